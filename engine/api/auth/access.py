"""What each kind of token may reach (pure). What is not listed is refused, so a new route starts closed."""

import re
from typing import Final, get_args

from engine.api.auth.tokens import Identity
from engine.domain.errors import BadRequest, Forbidden
from engine.domain.gates import Via

PUBLIC: Final = frozenset({("GET", "/"), ("GET", "/api/health"), ("POST", "/api/auth/exchange")})
PAGE_PREFIX: Final = "/page/"
_OWNER_VIAS: Final = ("web", "cli", "terminal")

# The voice: what the spoken intents need. It makes and deletes nothing, registers no command, types no raw keys.
_VOICE: Final = (
    ("GET", "/org/snapshot"),
    ("GET", "/api/events"),
    ("GET", "/api/projects"),
    ("GET", "/api/projects/*"),
    ("GET", "/api/projects/*/agents"),
    ("GET", "/api/projects/*/agents/*"),
    ("GET", "/api/projects/*/agents/*/output"),
    ("POST", "/api/projects/*/agents/*/start"),
    ("POST", "/api/projects/*/agents/*/stop"),
    ("POST", "/api/projects/*/agents/*/restart"),
    ("POST", "/api/projects/*/agents/*/interrupt"),
    ("POST", "/api/projects/*/agents/*/gate/resolve"),
    ("GET", "/api/projects/*/plans"),
    ("POST", "/api/projects/*/plans/*/resolve"),
    ("GET", "/api/projects/*/groupchat"),
    ("POST", "/api/projects/*/groupchat"),
    ("GET", "/api/projects/*/audit"),
    ("POST", "/org/inject"),
    ("POST", "/org/messages/*/cancel"),
    ("POST", "/org/broadcast"),
    ("GET", "/api/policy"),
    ("GET", "/api/sessions"),
    ("GET", "/api/sessions/*"),
    ("POST", "/api/sessions/*/resume"),
    ("POST", "/api/sessions/*/halt"),
    ("POST", "/api/voice/sessions"),
    ("POST", "/api/voice/sessions/*/reading"),
    ("POST", "/api/voice/sessions/*/played"),
    ("POST", "/api/voice/sessions/*/heard"),
    ("PUT", "/api/voice/state"),
    ("POST", "/api/voice/command"),
)


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile("[^/]+".join(re.escape(part) for part in template.split("*")))


_VOICE_RULES: Final = tuple((method, _pattern(template)) for method, template in _VOICE)


def is_public(method: str, path: str) -> bool:
    """Whether no token is needed: health, the page's own files, the exchange of a one-time code."""
    return (method, path) in PUBLIC or (method == "GET" and path.startswith(PAGE_PREFIX))


def check_access(identity: Identity, method: str, path: str) -> None:
    """Raise :class:`Forbidden` unless this kind of token may use the (decoded) path."""
    match identity.kind:
        case "owner":
            return
        case "voice":
            if not any(method == allowed and rule.fullmatch(path) for allowed, rule in _VOICE_RULES):
                raise Forbidden("The voice may not do this. Use the page, or the conduit command.")
        case "agent":
            own = f"/org/hooks/{identity.run_id}"
            if path != own and not path.startswith(own + "/"):
                raise Forbidden("An agent's token reaches only that agent's own hooks.")


def via_of(identity: Identity, claimed: str | None) -> Via:
    """Which way a request came: fixed by the kind of token; the owner's header only tells page from command."""
    if identity.kind == "voice":
        return "voice"
    if claimed is None:
        return "cli"
    for via in get_args(Via):
        if via == claimed and via in _OWNER_VIAS:
            return via  # type: ignore[no-any-return]  # get_args loses the Literal; it was compared above
    raise BadRequest("X-Conduit-Via has to be one of web, cli and terminal.")
