"""Torch's package image: image files, and functions of images, which are tensors of C x H x W or H x W.

Colours go from 0 to 1, in ByteTensors from 0 to 255. As in Torch, most functions take an optional tensor for the result
first: `scale(destination, source)`; it gets the result's sizes. Files need Pillow
(`pip install functorch7[images]`).
"""

from ..tensors.named_errors import name_errors_in
from .camera import Camera as Camera
from .color import colormap as colormap
from .color import hsl2rgb as hsl2rgb
from .color import hsv2rgb as hsv2rgb
from .color import jetColormap as jetColormap
from .color import lab2rgb as lab2rgb
from .color import rgb2hsl as rgb2hsl
from .color import rgb2hsv as rgb2hsv
from .color import rgb2lab as rgb2lab
from .color import rgb2nrgb as rgb2nrgb
from .color import rgb2y as rgb2y
from .color import rgb2yuv as rgb2yuv
from .color import y2jet as y2jet
from .color import yuv2rgb as yuv2rgb
from .display import display as display
from .display import minmax as minmax
from .display import toDisplayTensor as toDisplayTensor
from .drawing import drawRect as drawRect
from .drawing import drawText as drawText
from .files import compressJPG as compressJPG
from .files import compressPNG as compressPNG
from .files import decompress as decompress
from .files import decompressJPG as decompressJPG
from .files import decompressPNG as decompressPNG
from .files import fabio as fabio
from .files import getJPGsize as getJPGsize
from .files import getPNGsize as getPNGsize
from .files import getPPMsize as getPPMsize
from .files import getSize as getSize
from .files import is_supported as is_supported
from .files import lena as lena
from .files import load as load
from .files import loadJPG as loadJPG
from .files import loadPNG as loadPNG
from .files import loadPPM as loadPPM
from .files import save as save
from .files import saveJPG as saveJPG
from .files import savePGM as savePGM
from .files import savePNG as savePNG
from .files import savePPM as savePPM
from .kernels import convolve as convolve
from .kernels import dilate as dilate
from .kernels import erode as erode
from .kernels import gaussian as gaussian
from .kernels import gaussian1D as gaussian1D
from .kernels import gaussianpyramid as gaussianpyramid
from .kernels import laplacian as laplacian
from .kernels import lcn as lcn
from .places import crop as crop
from .places import flip as flip
from .places import hflip as hflip
from .places import translate as translate
from .places import vflip as vflip
from .scaling import scale as scale
from .warping import affinetransform as affinetransform
from .warping import logpolar as logpolar
from .warping import polar as polar
from .warping import rotate as rotate
from .warping import warp as warp

name_errors_in(globals())
