"""Compiled programs: counted, limited, and freed when they are not needed."""

from .cache import CacheInfo as CacheInfo
from .cache import Compiled as Compiled
from .cache import cache_info as cache_info
from .cache import cache_limit as cache_limit
from .cache import clear_cache as clear_cache
from .cache import kept as kept
from .memory import keep_freed_memory as keep_freed_memory
