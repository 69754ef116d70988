"""Prose and Markdown: markup goes, code and links are announced, technical words are said as they are written."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from voice.speak.verbalise.clean import readable
from voice.speak.verbalise.command import speak_exact
from voice.speak.verbalise.hide import Hidden, hidden_stretches
from voice.speak.verbalise.phrases import Phrases

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ \t]*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_IMAGE_OR_LINK = re.compile(r"!?\[([^\]\n]*)\]\(([^)\s]+)[^)\n]*\)")
_URL = re.compile(r"[\[<(]?\b((?:https?|ftp|file|ssh|git)://[^\s\])>]+)[\])>]?")
_CODE = re.compile(r"`([^`\n]+)`")
_LINE_MARKUP = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)", re.MULTILINE)
_TABLE_RULE = re.compile(r"^[ \t|:-]*-[ \t|:-]*$", re.MULTILINE)
_TABLE_ROW = re.compile(r"^[ \t]*\|(.+?)\|?[ \t]*$", re.MULTILINE)
_EMPHASIS = re.compile(r"(?<![\w*~])(\*{1,3}|~~|_{1,3})(?=\S)([^\n]*?\w[^\n]*?)(?<=\S)\1(?![\w*~])")
_HTML_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
_WORD = re.compile(r"^([\"'(\[]*)(.*?)([\"')\],;:.!?]*)$", re.DOTALL)
_ABBREVIATION = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,:]\d+)*(?:%|[A-Za-z]{1,2})?")
_TECHNICAL = re.compile(
    r"[/\\_=*<>|&@#~$`{}^]|\w[.]\w|^--?\w|^\.\w|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]{2}|\w:\w|\w\(|[^\W\d_]{2}-\d"
)
_OPERATORS = frozenset({"&&", "||", "|", ">", ">>", "<", "&", "*", "~", "$", "=", "/"})


def speak_prose(text: str, phrases: Phrases) -> tuple[str, int]:
    """The spoken form of prose or Markdown, a sentence or item a line, and how many secrets were named."""
    kept, secrets = _named_secrets(text, phrases)
    lines = [_line(line, phrases) for line in _without_markup(kept, phrases).split("\n")]
    return "\n".join(line for line in lines if line), secrets


def _named_secrets(text: str, phrases: Phrases) -> tuple[str, int]:
    """Secrets and long hashes replaced by their names before any markup rule can take part of them away."""
    stretches = hidden_stretches(text, phrases)
    return replace_stretches(text, stretches), sum(stretch.secret for stretch in stretches)


def replace_stretches(text: str, stretches: tuple[Hidden, ...]) -> str:
    """``text`` with each stretch replaced by its phrase."""
    pieces, place = [], 0
    for stretch in stretches:
        pieces += [text[place : stretch.start], " ", stretch.phrase, " "]
        place = stretch.end
    return "".join([*pieces, text[place:]])


def _without_markup(text: str, phrases: Phrases) -> str:
    def block(match: re.Match[str]) -> str:
        lines = len(match[2].strip("\n").split("\n")) if match[2].strip() else 0
        return f"\n{phrases.sentence('code_block', lines=phrases.counted('line', lines))}\n"

    text = _FENCE.sub(block, text)
    text = _IMAGE_OR_LINK.sub(lambda match: match[1] or _link(match[2], phrases), text)
    text = _URL.sub(lambda match: _link(match[1], phrases), text)
    text = _CODE.sub(lambda match: _masked(speak_exact(match[1], (), phrases, exact=False)), text)
    text = _TABLE_ROW.sub(lambda match: match[1].replace("|", ","), _TABLE_RULE.sub("", text))
    text = _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", text))
    return readable(_HTML_TAG.sub("", _LINE_MARKUP.sub("", text)))


def _masked(spoken: str) -> str:
    """Spoken words hold no sign that a later rule could take for markup; the blanks keep them apart."""
    return f" {spoken} "


def _link(target: str, phrases: Phrases) -> str:
    parts = urlsplit_or_none(target)
    if parts is None or not parts[0]:
        return phrases.sentences["bare_link"]
    scheme, host = parts
    if scheme == "file" or not host:
        return phrases.sentences["file_link"]
    return phrases.sentence("link", host=speak_exact(host, (), phrases, exact=False))


def urlsplit_or_none(target: str) -> tuple[str, str] | None:
    """Scheme and host of ``target``; None for what is no address."""
    try:
        parts = urlsplit(target)
        return parts.scheme, parts.hostname or ""
    except ValueError:
        return None


def _line(line: str, phrases: Phrases) -> str:
    words = [_word(word, phrases) for word in line.split()]
    spoken = " ".join(word for word in words if word)
    spoken = re.sub(r"\s+([,;:.!?])", r"\1", re.sub(r"[:;,]\s*$", ".", spoken))
    return spoken if has_sound(spoken) else ""


def _word(word: str, phrases: Phrases) -> str:
    if word in _OPERATORS or (word in phrases.symbols and len(word) > 1):
        return f"{phrases.symbols[word]}" if word in phrases.symbols else ""
    match = _WORD.match(word)
    before, core, after = match.groups() if match else ("", word, "")
    if core.endswith("("):
        core, after = core[:-1], after.lstrip(")")
    if not has_sound(core):
        return after[:1] if after[:1] in ".,!?" else ""
    if _NUMBER.fullmatch(core) or _ABBREVIATION.fullmatch(core + after) or not _TECHNICAL.search(core):
        return f"{before}{core}{after}".replace("[", "").replace("]", "")
    return speak_exact(core, (), phrases, exact=False) + after.strip("\"')]")[:1]


def has_sound(text: str) -> bool:
    """Whether a synthesiser would find anything to say in ``text``."""
    return any(char.isalnum() for char in text)


def spoken_lines(text: str, phrases: Phrases) -> Iterator[str]:
    """Each line of ``text`` that has anything to say, spoken."""
    for line in text.split("\n"):
        if spoken := _line(readable(line), phrases):
            yield spoken
