"""The page: a fixed list of files from the package, nothing by name from outside."""

from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Response

from engine.domain.errors import NotFound

_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
_FILES = frozenset(
    {"app.js", "net.js", "dom.js", "cards.js", "agents.js", "side.js", "sessions.js"} | {"style.css", "icon.svg"}
)
router = APIRouter()


@router.get("/")
async def index() -> Response:
    return _file("index.html")


@router.get("/page/{name}")
async def page_file(name: str) -> Response:
    if name not in _FILES:
        raise NotFound("The page has no such file.")
    return _file(name)


def _file(name: str) -> Response:
    return Response(_read(name), media_type=_TYPES[name.rsplit(".", 1)[1]])


@cache
def _read(name: str) -> bytes:
    return (files("engine.api") / "page" / name).read_bytes()
