"""Host and Origin, held against a fixed list of loopback names and the real port (pure)."""

from collections.abc import Iterable

from engine.domain.errors import BadRequest, Forbidden

_NAMES = ("127.0.0.1", "localhost", "[::1]")
Headers = Iterable[tuple[bytes, bytes]]


def values(headers: Headers, name: bytes) -> list[str]:
    """Every value of a header, in order."""
    return [value.decode("latin-1").strip() for key, value in headers if key.lower() == name]


def allowed_hosts(port: int) -> frozenset[str]:
    """What a Host header may say; the port may be left out only where it is HTTP's own."""
    with_port = {f"{name}:{port}" for name in _NAMES}
    return frozenset(with_port | set(_NAMES)) if port == 80 else frozenset(with_port)


def check_host(headers: Headers, port: int) -> None:
    """Refuse a missing, doubled or foreign Host, and a foreign Origin (also ``null``)."""
    hosts = values(headers, b"host")
    allowed = allowed_hosts(port)
    if len(hosts) != 1 or hosts[0].lower() not in allowed:
        raise Forbidden(f"The engine answers only on this machine: use http://127.0.0.1:{port}.")
    origins = values(headers, b"origin")
    if any(origin.lower().removeprefix("http://") not in allowed or "://" not in origin for origin in origins):
        raise Forbidden("A page of another origin may not talk to the engine. Open the page with: conduit up.")


def check_address(raw_path: bytes, path: str) -> None:
    """Refuse an address that means another one after decoding: dots, encoded slashes, control characters."""
    raw = raw_path.lower()
    segments = path.split("/")
    hidden = b"%2f" in raw or b"%5c" in raw or "\\" in path or any(ord(letter) < 32 for letter in path)
    if hidden or ".." in segments or "." in segments:
        raise BadRequest("The address holds dots, slashes or control characters where an id is expected.")
