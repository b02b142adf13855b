"""Faces that several studies share: disguised ones, strangers, and a copy of AR."""

from .ar import load_ar
from .disguises import add_scarf, add_sunglasses
from .spoiled import disguised, strangers
