"""The estimators: each chooses a loss, a step and penalties.

The names in `__all__` of these modules are estimators; `rnmf_tutorial` exports them.
"""

from rnmf_tutorial.models.basis import *
from rnmf_tutorial.models.entrywise import *
from rnmf_tutorial.models.errors import *
from rnmf_tutorial.models.graphs import *
from rnmf_tutorial.models.lines import *
from rnmf_tutorial.models.plain import *
from rnmf_tutorial.models.truncated import *
