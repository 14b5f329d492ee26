"""Records a federated run as an Overhear transcript, and writes what an audit of it needs besides."""

from .names import renamed
from .recorder import Recorder
from .rounds import Round
from .tables import knowledge, truth

__all__ = ["Recorder", "Round", "knowledge", "renamed", "truth"]
__version__ = "0.1.0"
