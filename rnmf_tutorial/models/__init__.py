"""The estimators: each says which loss, which step and which penalties.

What a module names in `__all__` is an estimator, which `rnmf_tutorial` then exports.
"""

from rnmf_tutorial.models.basis import *
from rnmf_tutorial.models.entrywise import *
from rnmf_tutorial.models.errors import *
from rnmf_tutorial.models.graphs import *
from rnmf_tutorial.models.lines import *
from rnmf_tutorial.models.plain import *
from rnmf_tutorial.models.truncated import *
