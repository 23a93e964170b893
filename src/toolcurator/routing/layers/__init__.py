"""The layers that come with the package; any object with a name and ``answer`` is one."""

from toolcurator.routing.layers.context import Context
from toolcurator.routing.layers.out_of_domain import OutOfDomain
from toolcurator.routing.layers.rag import Rag
from toolcurator.routing.layers.tools import Tools

__all__ = ["Context", "OutOfDomain", "Rag", "Tools"]
