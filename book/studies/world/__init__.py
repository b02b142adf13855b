"""Robust models beside what a reader would take instead: filters, pursuit, clipping, other NMF."""

from .grids import GRIDS, ONLINE, TASKS, WORLD
from .methods import answer, error, methods_of
from .tasks import task_of
