"""A case: a network, its sizes, and how it is run; each as text."""

from dataclasses import dataclass
from functools import cached_property

from .cells import STATES
from .pieces import DRAWING, ENDS, Misfit, Shape, step


@dataclass(frozen=True)
class Case:
    """What a program is made of. `layers` are names of pieces (or of cells, for "memory") with widths."""

    kind: str  # of the input: a kind of Shape, or "memory"
    features: int
    length: int
    batch: int
    layers: tuple[tuple[str, int], ...]
    outputs: int
    classes: bool  # whether the outputs are classes; else numbers
    interface: str  # "legacy" or "functional"
    flat: bool
    dtype: str
    seed: int

    @cached_property
    def built(self) -> tuple[list[str], Shape]:
        """The texts of the network's modules, and what comes out before the last Linear. Raises Misfit."""
        shape, texts, layers = Shape(self.kind, self.features, self.length), [], list(self.layers)
        if self.kind == "memory":
            if not self.memory:
                raise Misfit("no cell")
            layers = layers[len(self.memory) :]
            shape, texts = Shape("vector", self.memory[-1][1]), [f"cells({self.features}, {self.memory})"]
        for name, width in layers:
            text, shape = step(shape, name, width)
            texts.append(text)
        if shape.kind not in ENDS:
            raise Misfit(f"{shape.kind} as output")
        last = f"nn.Linear({shape.features}, {self.outputs})"
        texts += [last if shape.kind == "vector" else f"nn.Sequencer({last})"]
        if self.classes:
            texts += ["nn.LogSoftMax()" if shape.kind == "vector" else "nn.Sequencer(nn.LogSoftMax())"]
        return texts, shape

    @property
    def memory(self) -> list[tuple[str, int]]:
        """The cells that the layers begin with."""
        count = next((i for i, (name, _) in enumerate(self.layers) if name not in STATES), len(self.layers))
        return list(self.layers[:count]) if self.kind == "memory" else []

    @property
    def draws(self) -> bool:
        """Whether the network draws random numbers."""
        return any(name in DRAWING for name, _ in self.layers)

    @property
    def fits(self) -> bool:
        """Whether it is a network."""
        try:
            return bool(self.built)
        except Misfit:
            return False

    def criterion(self, package: str) -> str:
        """The text of the criterion for the outputs."""
        if not self.classes:
            return f"{package}.MSECriterion()"
        each = f"{package}.ClassNLLCriterion()"
        return f"{package}.SequencerCriterion({each})" if self.built[1].kind == "steps" else each

    @property
    def input(self) -> str:
        """The text of the input."""
        size = f"{self.batch}, {self.features}"
        match self.kind:
            case "vector":
                return f"normal({size})"
            case "pair":
                return f"[normal({size}), normal({size})]"
            case "memory":
                states = [f"normal({self.batch}, {width})" for name, width in self.memory for _ in range(STATES[name])]
                return f"[{', '.join([f'normal({size})', *states])}]"
            case "image":
                return f"normal({size}, {self.length}, {self.length})"
            case "rows":
                return f"normal({self.batch}, {self.length}, {self.features})"
            case "steps":
                return f"normal({self.length}, {size})"
            case "words":
                return f"numbers.integers(1, {self.features}, ({self.batch}, {self.length}), endpoint=True)"
        return f"numbers.integers(1, {self.features}, ({self.length}, {self.batch}), endpoint=True)"

    @property
    def target(self) -> str:
        """The text of the target."""
        steps = [self.length] if self.built[1].kind == "steps" else []
        if self.classes:
            return f"numbers.integers(1, {self.outputs}, {(*steps, self.batch)}, endpoint=True)"
        return f"normal({', '.join(map(str, [*steps, self.batch, self.outputs]))})"
