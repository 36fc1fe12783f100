"""Recipes: whole training runs, described by files of hyper-parameters. `functorch7 train NAME` runs one."""

from .attention import Attention as Attention
from .billion_words import BillionWords as BillionWords
from .cart_pole import Balancing as Balancing
from .config import change as change
from .config import changed as changed
from .config import load as load
from .config import made as made
from .config import shipped as shipped
from .contrastive import Contrastive as Contrastive
from .images import Images as Images
from .language import Language as Language
from .recipe import Recipe as Recipe
from .recipe import Task as Task
from .run import Outcome as Outcome
from .run import run as run
from .sentiment import Sentiment as Sentiment
from .sequences import Translation as Translation
