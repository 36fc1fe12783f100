"""Sequence to sequence with attention: dates as people write them, translated into 2014-03-09.

    python -m examples.translate [--steps 700] [--output translate.png] [--date "the 9th of March, 2014"]

An encoder reads the characters in both directions. A decoder is given the characters that it should have written so
far, and looks, before each one, at what the encoder says of the whole text: SoftMax(queries keys') keys.
Source: Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine Translation, 2015.
"""

import datetime
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from matplotlib.figure import Figure

import functorch7 as f7
from examples import pictures
from functorch7.training import init_state, make_train_step
from functorch7.viz.style import styled

LENGTH = 28
"""Characters of a text, with spaces after it."""
UNITS = 64
BATCH = 64
FORMS = ("{day} {month} {year}", "{month} {day}, {year}", "the {nth} of {month}, {year}", "{month} {nth} {year}")
FIRST = datetime.date(1900, 1, 1).toordinal()
LAST = datetime.date(2100, 1, 1).toordinal()
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
LETTERS = sorted({*" -,0123456789", *"".join(MONTHS), *"theofsndr"})
NUMBERS = {letter: number for number, letter in enumerate(LETTERS, 1)}


class Translator(f7.Composite):
    """[the source (B, S), the character before each (B, T)] -> [scores (B, T, letters), attention (B, T, S)]."""

    letters: f7.LookupTable
    written: f7.LookupTable
    encoder: f7.BiSequencer
    decoder: f7.SeqLSTM
    keys: f7.Linear
    answer: f7.Sequential

    def f(self, run, input):
        source, before = input
        memory = run.keys(run.encoder(run.letters(source).swapaxes(0, 1))).swapaxes(0, 1)
        queries = run.decoder(run.written(before).swapaxes(0, 1)).swapaxes(0, 1)
        attention = jax.nn.softmax(queries @ memory.swapaxes(1, 2))
        return [run.answer(jnp.concatenate([queries, attention @ memory], -1)), attention]


network = Translator(
    f7.LookupTable(len(LETTERS), UNITS),
    f7.LookupTable(len(LETTERS), UNITS),
    f7.BiSequencer(f7.FastLSTM(UNITS, UNITS)),
    f7.SeqLSTM(UNITS, UNITS),
    f7.Linear(2 * UNITS, UNITS),
    f7.Sequential(f7.Linear(2 * UNITS, UNITS), f7.Tanh(), f7.Linear(UNITS, len(LETTERS))),
)
criterion = f7.CrossEntropyCriterion()
optimizer = optax.adam(3e-3)


def loss(output, target):
    """The mean over all characters."""
    return criterion(output[0].reshape(-1, len(LETTERS)), target.reshape(-1))


def spoken(date, form):
    """A date as people write it."""
    ending = "th" if date.day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(date.day % 10, "th")
    return form.format(day=date.day, nth=f"{date.day}{ending}", month=MONTHS[date.month - 1], year=date.year)


def coded(texts, length):
    """Texts as the numbers of their characters, with spaces after them."""
    return np.array([[NUMBERS[letter] for letter in text.ljust(length)] for text in texts], np.int32)


def draw(random, count):
    """So many texts, and what they mean."""
    dates = [datetime.date.fromordinal(int(day)) for day in random.integers(FIRST, LAST, count)]
    return [spoken(date, FORMS[random.integers(len(FORMS))]) for date in dates], [str(date) for date in dates]


def batch(random, count=BATCH):
    """What the training step takes: the texts and all but the last character, after a space, of the answers."""
    texts, answers = draw(random, count)
    return (coded(texts, LENGTH), coded([f" {answer[:-1]}" for answer in answers], 10)), coded(answers, 10)


@jax.jit
def answered(params, buffers, before, source):
    """The scores and the attention of every character, and the likeliest ones."""
    scores, attention = network.apply(params, buffers, [source, before])[0]
    return jnp.argmax(scores, -1) + 1, attention


def translate(state, texts):
    """(what the network writes, where it looked): each character is given back to it before the next."""
    source, written = coded(texts, LENGTH), np.full((len(texts), 10), NUMBERS[" "], np.int32)
    for place in range(10):
        likeliest, attention = answered(state.params, state.buffers, written, source)
        if place < 9:
            written[:, place + 1] = likeliest[:, place]
    return ["".join(LETTERS[number - 1] for number in row) for row in np.asarray(likeliest)], np.asarray(attention)


def train(steps, count=BATCH):
    """The state after so many steps, and the loss of each."""
    random, losses = np.random.default_rng(1), []
    step, state = make_train_step(network, loss, optimizer), init_state(network, optimizer, jax.random.key(0))
    for _ in range(steps):
        state, metrics = step(state, batch(random, count), None)
        losses.append(metrics["loss"])
    return state, np.array(losses)


def picture(path: Path, text: str, answer: str, attention: np.ndarray) -> None:
    """Where the network looked for each character of its answer."""
    with styled():
        figure = Figure(figsize=(7, 3.2), dpi=110)
        axes = figure.add_subplot()
        axes.imshow(attention, cmap="gray_r", vmin=0, vmax=1)
        axes.set_xticks(range(LENGTH), list(text.ljust(LENGTH, "·")))  # what comes after the text is read, too
        axes.set_yticks(range(len(answer)), list(answer))
        axes.set(xlabel="read", ylabel="written")
        axes.grid(False)
        figure.savefig(path, bbox_inches="tight")


def main(arguments: list[str] | None = None) -> None:
    """Trains, says how many dates it has right, translates one, and draws where it looked."""
    parser = pictures.options(__doc__, 700)
    parser.add_argument("--date", default="the 9th of March, 2014", help="a date to translate")
    given = parser.parse_args(arguments)
    state, losses = train(given.steps)
    texts, answers = draw(np.random.default_rng(2), 500)
    right = np.mean([one == other for one, other in zip(translate(state, texts)[0], answers, strict=True)])
    written, attention = translate(state, [given.date])
    print(f"loss {losses[:10].mean():.2f} at first, {losses[-10:].mean():.3f} after {given.steps} steps")
    print(f"{100 * right:.1f} % of 500 other dates right; {given.date} is {written[0]}")
    if given.output:
        picture(given.output, given.date, written[0], attention[0])


if __name__ == "__main__":
    main()
