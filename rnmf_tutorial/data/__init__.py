"""Faces, other data sets, and ways to corrupt them."""

from rnmf_tutorial.data.corruption import *
from rnmf_tutorial.data.files import *
from rnmf_tutorial.data.loaders import *
from rnmf_tutorial.data.toy import *
