"""Tables and pictures of networks.

`summary` and `profile` return tables; `draw` makes an SVG picture of any network. The others need matplotlib
(`pip install functorch7[viz]`): `plot_transfer(f7.ELU(0.1), f7.ELU(1.0), path="elu.png")` draws transfer functions with
their derivatives, as does `python -m functorch7.viz` on the command line; `plot_learning("runs/digits")` draws the
records of a `training.Trainer`, and `LiveCurves` draws them in notebooks while it trains.
"""

from .command import main as main
from .drawing import Drawing as Drawing
from .drawing import draw as draw
from .flops import flops as flops
from .gallery import GALLERY as GALLERY
from .gallery import write_gallery as write_gallery
from .graphs import Picture as Picture
from .learning import LiveCurves as LiveCurves
from .learning import plot_learning as plot_learning
from .profiling import Profile as Profile
from .profiling import profile as profile
from .style import styled as styled
from .summary import Summary as Summary
from .summary import summary as summary
from .transfer import RANGES as RANGES
from .transfer import curve as curve
from .transfer import plot_transfer as plot_transfer
