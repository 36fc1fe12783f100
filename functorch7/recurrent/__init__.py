"""Recurrent layers and what runs them over sequences."""

from .cells import FastLSTM as FastLSTM
from .sequencer import Sequencer as Sequencer
