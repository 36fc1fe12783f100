"""Where data and models are kept. Each call reads the environment; none makes a folder."""

import os
from pathlib import Path


def torch_path() -> Path:
    """The parent of the two others: $TORCH_DATA_PATH, or the home folder."""
    return Path(os.environ.get("TORCH_DATA_PATH") or Path.home())


def data_path() -> Path:
    """The folder for data: $DEEP_DATA_PATH, or `data` in torch_path()."""
    return Path(os.environ.get("DEEP_DATA_PATH") or torch_path() / "data")


def save_path() -> Path:
    """The folder for models: $DEEP_SAVE_PATH, or `save` in torch_path()."""
    return Path(os.environ.get("DEEP_SAVE_PATH") or torch_path() / "save")
