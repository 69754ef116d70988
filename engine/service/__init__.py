"""What people can ask of the engine: one method a request."""

from engine.service.service import Service

__all__ = ["Service"]
