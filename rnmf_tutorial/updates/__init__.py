"""What moves the factors: the published updates, and coordinate descent on cleaned data."""

from rnmf_tutorial.updates.absolute import *
from rnmf_tutorial.updates.basis import *
from rnmf_tutorial.updates.coordinate import *
from rnmf_tutorial.updates.divergence import *
from rnmf_tutorial.updates.errors import *
from rnmf_tutorial.updates.multiplicative import *
from rnmf_tutorial.updates.nesterov import *
