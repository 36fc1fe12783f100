"""What a network that writes expects: the likeliest next characters at each place of a text.

    functorch7 train char-rnn --set text=shakespeare.txt
    python -m examples.writer runs/char-rnn [--prime "ROMEO:"] [--length 60] [--output writer.png]

The picture has the text in its first row, and below each character what the network would have written there, the
likeliest first; the darker, the likelier.
Source: Karpathy, The Unreasonable Effectiveness of Recurrent Neural Networks, 2015.
"""

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from functorch7.viz.style import styled
from functorch7_cli.sample import Speaker, chosen, of_run

GUESSES = 5


class Place(NamedTuple):
    """A character, and what the network expected in its place."""

    written: str
    guesses: list[tuple[str, float]]
    """The likeliest characters with their probabilities, none for the first of a text."""


def read(speaker: Speaker, prime: str, length: int, temperature: float, seed: int = 0) -> list[Place]:
    """A text, and as many characters after it, each drawn from what the network expects after all before."""
    given, random = speaker.read(prime), np.random.default_rng(seed)
    state, scores, places = speaker.state, np.zeros(len(speaker.tokens)), []
    for place in range(len(given) + length):
        number = given[place] if place < len(given) else chosen(scores, temperature, random)
        places.append(Place(speaker.tokens[number], likeliest(speaker, scores) if places else []))
        scores, state = speaker.step(state, number)
        scores = np.asarray(scores, np.float64)
    return places


def likeliest(speaker: Speaker, scores: np.ndarray) -> list[tuple[str, float]]:
    """Characters and their probabilities, by their logarithms."""
    best = np.argsort(-scores)[:GUESSES]
    return [(speaker.tokens[int(number) + 1], float(np.exp(scores[number]))) for number in best]


def picture(path: Path, places: list[Place], columns: int = 30) -> None:
    """Writes the text, a few lines of `columns` characters, with the guesses below each."""
    lines = [places[i : i + columns] for i in range(0, len(places), columns)]
    with styled():
        figure = Figure(figsize=(columns * 0.24, len(lines) * (GUESSES + 1) * 0.25), dpi=110)
        for i, line in enumerate(lines):
            axes = figure.add_subplot(len(lines), 1, i + 1)
            shades = np.zeros((GUESSES + 1, columns))
            for x, place in enumerate(line):
                axes.text(x, 0, shown(place.written), ha="center", va="center", weight="bold", family="monospace")
                for y, (token, chance) in enumerate(place.guesses, 1):
                    shades[y, x] = chance
                    color = "white" if chance > 0.6 else "black"
                    axes.text(x, y, shown(token), ha="center", va="center", size=7, color=color, family="monospace")
            axes.imshow(shades, cmap="Greens", vmin=0, vmax=1, aspect="auto")
            axes.set_axis_off()
        figure.savefig(path, bbox_inches="tight")


def shown(token: str) -> str:
    """Blanks and ends of lines as signs."""
    return {" ": "·", "\n": "¶", "$": "\\$"}.get(token, token)  # matplotlib takes dollars for mathematics


def main(arguments: list[str] | None = None) -> None:
    """Writes, and draws what it expected."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the folder of a run by a language recipe")
    parser.add_argument("--prime", default="ROMEO:", help="the text to begin with")
    parser.add_argument("--length", type=int, default=84, help="characters after it (84)")
    parser.add_argument("--temperature", type=float, default=0.7, help="lower: likelier characters (0.7)")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn (0)")
    parser.add_argument("--output", type=Path, help="the picture, a PNG")
    given = parser.parse_args(arguments)
    places = read(of_run(given.run), given.prime, given.length, given.temperature, given.seed)
    print("".join(place.written for place in places))
    if given.output:
        picture(given.output, places)


if __name__ == "__main__":
    main()
