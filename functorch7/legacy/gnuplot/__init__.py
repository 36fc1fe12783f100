"""Torch's package gnuplot: plots of tensors, drawn by matplotlib (`pip install functorch7[viz]`).

A plot goes to the current figure: `figure(n)` is a window, if there is a screen, or appears below a notebook's cell;
`pngfigure(name)` and the like are files, which `plotflush()` writes.
"""

from ..tensors.named_errors import name_errors_in
from .figures import axis as axis
from .figures import close as close
from .figures import closeall as closeall
from .figures import epsfigure as epsfigure
from .figures import figprint as figprint
from .figures import figure as figure
from .figures import grid as grid
from .figures import logscale as logscale
from .figures import movelegend as movelegend
from .figures import pdffigure as pdffigure
from .figures import plotflush as plotflush
from .figures import pngfigure as pngfigure
from .figures import setterm as setterm
from .figures import svgfigure as svgfigure
from .figures import title as title
from .figures import xlabel as xlabel
from .figures import ylabel as ylabel
from .figures import zlabel as zlabel
from .histogram import Histogram as Histogram
from .histogram import bar as bar
from .histogram import hist as hist
from .histogram import histc as histc
from .plots import imagesc as imagesc
from .plots import plot as plot
from .plots import scatter3 as scatter3
from .plots import splot as splot
from .raw import raw as raw

name_errors_in(globals())
