"""Finds what must not be shown or spoken: keys, tokens, passwords in addresses, private keys. Pure."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

SecretKind = Literal["a token", "a password", "a key", "a private key", "a database address with a password"]


@dataclass(frozen=True, slots=True, order=True)
class Secret:
    """Characters ``start`` to ``end`` of a text, and what they are, as it is said to a person."""

    start: int
    end: int
    kind: SecretKind


_PEM = (
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}KEY[A-Z ]{0,8}-----|\Z)"
)
_B = r"(?<![A-Za-z0-9_-])"  # what comes before is not part of the same word
_KNOWN: tuple[tuple[SecretKind, str], ...] = (
    ("a token", _B + r"gh[pousr]_[A-Za-z0-9]{16,}"),
    ("a token", _B + r"github_pat_[A-Za-z0-9_]{20,}"),
    ("a token", _B + r"gl(?:pat|dt|rt|soat|ptt|agent)-[A-Za-z0-9_-]{16,}"),
    ("a token", _B + r"xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("a token", _B + r"xapp-[0-9]-[A-Za-z0-9-]{10,}"),
    ("a token", _B + r"npm_[A-Za-z0-9]{30,}"),
    ("a token", _B + r"pypi-[A-Za-z0-9_-]{20,}"),
    ("a token", _B + r"hf_[A-Za-z0-9]{20,}"),
    ("a token", _B + r"dop_v1_[0-9a-f]{32,}"),
    ("a token", _B + r"hv[sb]\.[A-Za-z0-9_-]{20,}"),
    ("a token", _B + r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ("a token", _B + r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}"),
    ("a key", _B + r"sk-(?:ant-|proj-|or-|svcacct-)?[A-Za-z0-9_-]{16,}"),
    ("a key", _B + r"(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}"),
    ("a key", _B + r"AIza[A-Za-z0-9_-]{30,}"),
    ("a key", _B + r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("a key", _B + r"(?:gsk|xai|nvapi|tvly|pplx|r8)[_-][A-Za-z0-9_-]{20,}"),
    ("a key", _B + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])"),
    ("a key", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    ("a private key", _PEM),
)
_SHAPES = tuple((kind, re.compile(pattern)) for kind, pattern in _KNOWN)

_DATABASES = (
    r"postgres(?:ql)?|mysql|mariadb|mongodb|redis|rediss|amqps?|mssql|sqlserver|oracle|clickhouse|cockroachdb|jdbc"
)
_ADDRESS = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{1,30})://(?P<user>[^\s:/@'\"?#]{0,200}):(?P<password>[^\s/'\"]{1,400})@"
)
_DATABASE = re.compile(rf"(?i)(?:{_DATABASES})\b.*")
_USER_TOKEN = re.compile(r"(?i)https?://(?P<secret>[A-Za-z0-9_-]{20,})@")
_IN_QUERY = re.compile(
    r"(?i)[?&](?:access_token|token|api_?key|key|secret|password|sig|signature|client_secret|code)=(?P<secret>[^\s&#'\"]{6,})"
)

_BEARER = re.compile(r"(?i)\b(?:bearer|basic|token)[ \t]+(?P<secret>[A-Za-z0-9._~+/-]{12,}={0,2})(?![A-Za-z0-9])")
_HEADERS = "authorization|proxy-authorization|x-api-key|api-key|x-auth-token|private-token|cookie|set-cookie"
_HEADER = re.compile(
    rf"(?i)\b(?:{_HEADERS})[\"']?[ \t]*[:=][ \t]*[\"']?"
    r"(?:(?:bearer|basic|token|digest)[ \t]+)?(?P<secret>[^\s\"',]{4,})"
)
_TOKENS = "token|api[_-]?key|access[_-]?key|secret|credential|(?:private|auth|encryption|signing|master)[_-]?key|_key"
_PASSWORDS = "password|passwd|passphrase|pwd|_pass"
_VALUE = r"(?:\"(?P<double>[^\"\n]{1,2000})\"|'(?P<single>[^'\n]{1,2000})'|(?P<bare>[^\s\"'`;,&|<>(){}\[\]]{1,2000}))"
_ASSIGNED = re.compile(
    rf"(?i)(?P<word>{_TOKENS}|{_PASSWORDS})[A-Za-z0-9_]{{0,40}}[\"']?[ \t]*"
    rf"(?P<sign>:=|=>|=|:)[ \t]*{_VALUE}(?P<call>[(\[])?"
)
_FLAG = re.compile(
    r"(?i)(?<![\w-])--?(?P<word>[a-z-]{0,30}(?:password|passwd|passphrase|token|api-?key|secret|access-key)[a-z-]{0,30})"
    rf"(?P<sign>[ \t=]+){_VALUE}(?P<call>[(\[])?"
)
_CURL_USER = re.compile(r"(?<![\w-])(?:-u|--user)[ \t=]+[\"']?[^\s:\"']{1,200}:(?P<secret>[^\s\"']{1,400})")
_SHORT_FLAG = re.compile(  # these take a password right after -p
    r"\b(?:(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;&]{0,300}?[ \t]-p|sshpass[ \t]+-p[ \t]*)"
    r"[\"']?(?P<secret>[^\s\"']{3,400})"
)

_IS_PASSWORD = re.compile(r"(?i)pass|pwd")
_IS_KEY = re.compile(r"(?i)key")
# A value that only points at a secret is none: $TOKEN, $(pass ...), %TOKEN%, <token>, os.environ[...], true, 3
_REFERENCE = re.compile(
    r"(?i)(\$[({]?\w.*|%\w+%|<.*>?|\{\{.*|\*{3,}|x{3,}|\.{3}|process\.env.*|os\.(environ|getenv).*|env\..*|"
    r"true|false|none|null|nil|yes|no|undefined|str|string|int|bool|optional|required|\d{1,5}|~/.*|\./.*|\[a .*)"
)


def find(text: str, own: Iterable[str] = ()) -> tuple[Secret, ...]:
    """Every secret of ``text``, in order, none overlapping. ``own``: exact secrets of the engine itself."""
    found = sorted(_all(text, own), key=lambda s: (s.start, -(s.end - s.start)))
    kept: list[Secret] = []
    for secret in found:
        if kept and secret.start < kept[-1].end:  # overlapping: one, as wide as both
            kept[-1] = Secret(kept[-1].start, max(kept[-1].end, secret.end), kept[-1].kind)
        else:
            kept.append(secret)
    return tuple(kept)


def mask(text: str, own: Iterable[str] = ()) -> tuple[str, bool]:
    """``text`` with each secret replaced by ``[a token]`` and the like, and whether there was any."""
    secrets = find(text, own)
    parts, position = [], 0
    for secret in secrets:
        parts += [text[position : secret.start], f"[{secret.kind}]"]
        position = secret.end
    return "".join([*parts, text[position:]]), bool(secrets)


def mask_value(value: Any, own: Iterable[str] = ()) -> tuple[Any, bool]:
    """The same for nested JSON: every string in it, and what stands under a key that names a secret."""
    own = tuple(own)
    match value:
        case str():
            return mask(value, own)
        case dict():
            pairs = {key: _mask_item(key, item, own) for key, item in value.items()}
            return {key: masked for key, (masked, _) in pairs.items()}, any(hit for _, hit in pairs.values())
        case list() | tuple():
            items = [mask_value(item, own) for item in value]
            return [masked for masked, _ in items], any(hit for _, hit in items)
        case _:
            return value, False


def _mask_item(key: object, item: Any, own: tuple[str, ...]) -> tuple[Any, bool]:
    if isinstance(key, str) and isinstance(item, str) and (named := _named(key, item)) is not None:
        return f"[{named}]", True
    return mask_value(item, own)


def _named(key: str, value: str) -> SecretKind | None:
    match = _ASSIGNED.search(f'{key}="-"')
    return None if match is None or _harmless(value, quoted=True) else _kind(match["word"])


def _all(text: str, own: Iterable[str]) -> Iterator[Secret]:
    for exact in own:
        if len(exact) >= 8:  # a shorter one would blank half of every text
            yield from (Secret(m.start(), m.end(), "a token") for m in re.finditer(re.escape(exact), text))
    for kind, shape in _SHAPES:
        yield from (Secret(m.start(), m.end(), kind) for m in shape.finditer(text))
    yield from _addresses(text)
    yield from _headers(text)
    yield from _assignments(text)


def _addresses(text: str) -> Iterator[Secret]:
    for match in _ADDRESS.finditer(text):
        if _REFERENCE.fullmatch(match["password"]) is not None:
            continue
        if _DATABASE.fullmatch(match["scheme"]) is not None:
            yield Secret(match.start(), _address_end(text, match.end()), "a database address with a password")
        else:
            yield Secret(match.start("password"), match.end("password"), "a password")
    for shape in (_USER_TOKEN, _IN_QUERY):
        for match in shape.finditer(text):
            if _REFERENCE.fullmatch(match["secret"]) is None:
                yield Secret(match.start("secret"), match.end("secret"), "a token")


def _address_end(text: str, start: int) -> int:
    match = re.compile(r"[^\s'\"`;|<>)]*").match(text, start)
    return match.end() if match else start


def _headers(text: str) -> Iterator[Secret]:
    for match in _HEADER.finditer(text):
        if not _harmless(match["secret"], quoted=True):
            yield Secret(match.start("secret"), match.end("secret"), "a token")
    for match in _BEARER.finditer(text):
        if _random(match["secret"]):
            yield Secret(match.start("secret"), match.end("secret"), "a token")
    for shape in (_CURL_USER, _SHORT_FLAG):
        for match in shape.finditer(text):
            if not _harmless(match["secret"], quoted=True):
                yield Secret(match.start("secret"), match.end("secret"), "a password")


def _assignments(text: str) -> Iterator[Secret]:
    for shape in (_ASSIGNED, _FLAG):
        for match in shape.finditer(text):
            group = next(name for name in ("double", "single", "bare") if match[name] is not None)
            if group == "bare" and match["call"]:  # code that makes the value, not the value
                continue
            if not _harmless(match[group], quoted=group != "bare" or "=" in match["sign"]):
                yield Secret(match.start(group), match.end(group), _kind(match["word"]))


def _kind(word: str) -> SecretKind:
    if _IS_PASSWORD.search(word):
        return "a password"
    return "a key" if _IS_KEY.search(word) else "a token"


def _harmless(value: str, quoted: bool) -> bool:
    """Whether a value is no secret: a reference, a placeholder, or (after a colon in prose) an ordinary word."""
    if _REFERENCE.fullmatch(value) is not None or len(value) < 3:
        return True
    return not quoted and not _random(value)


def _random(text: str) -> bool:
    """Whether a word looks drawn rather than written: mixed characters, and many different ones."""
    kinds = sum(any(test(c) for c in text) for test in (str.islower, str.isupper, str.isdigit))
    if kinds < 2 and not (len(text) >= 20 and kinds == 1 and "-" not in text and "/" not in text):
        return False
    counts = Counter(text)
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values()) >= 2.5
