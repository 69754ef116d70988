"""Models: one manifest, found and verified before use.

``find(name)`` gives the folder of a model, ``list_models()`` their states, ``python -m voice.models.install`` fetches.
"""

from voice.models.lookup import ModelState, find, list_models
from voice.models.verify import WrongModel

__all__ = ["ModelState", "WrongModel", "find", "list_models"]
