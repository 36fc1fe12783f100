"""Functions of whole networks: arrays by name, sharing, recurrent state, hooks, output sizes."""

from .carry import carry_of as carry_of
from .carry import forget as forget
from .carry import init_carry as init_carry
from .carry import with_carry as with_carry
from .fitting import check_module as check_module
from .fitting import check_variables as check_variables
from .hooked import check_called as check_called
from .hooked import hooked as hooked
from .kinds import buffer_kinds as buffer_kinds
from .kinds import map_state as map_state
from .kinds import state_axes as state_axes
from .naming import check_state as check_state
from .naming import find as find
from .naming import from_state_dict as from_state_dict
from .naming import in_order as in_order
from .naming import leaves_by_name as leaves_by_name
from .naming import load_state_dict as load_state_dict
from .naming import misfits as misfits
from .naming import named_buffers as named_buffers
from .naming import named_parameters as named_parameters
from .naming import state_dict as state_dict
from .naming import structure_of as structure_of
from .numbers import number as number
from .shapes import output_shape as output_shape
from .sharing import Shared as Shared
from .zero_mask import ZeroMask as ZeroMask
