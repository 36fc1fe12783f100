"""A run of char-rnn on a text of two alternating lines, which a small network soon knows by heart."""

from functorch7 import recipes


def trained(folder):
    """The folder of the run, in a folder for it and its text."""
    text = folder / "text.txt"
    text.write_text("ab cd\nef gh\n" * 60)
    changes = {
        "text": str(text), "hidden_sizes": [16], "columns": 4, "sequence_length": 10, "epochs": 8,
        "learning_rate": 0.03, "schedule": {7: 0.01}, "min_frequency": 1,
    }  # fmt: skip
    recipes.run(recipes.load("char-rnn", changes), folder / "run", verbose=False)
    return folder / "run"
