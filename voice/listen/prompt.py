"""What the recogniser is told beforehand: example sentences, never a word that decides."""

from collections.abc import Callable, Iterable, Sequence

from engine.domain.errors import BadRequest
from voice.deciding import deciding_word

PROMPT_TOKENS = 223
"""Half of the decoder's context less one: what Whisper takes as earlier text."""


def check_examples(examples: Iterable[str]) -> None:
    """BadRequest when an example holds a word of consent."""
    for example in examples:
        if (found := deciding_word(example)) is not None:
            raise BadRequest(f'"{example}" can not be an example for the recogniser: "{found}" decides something.')


def without_consent(examples: Iterable[str]) -> list[str]:
    """Those examples that hold no word of consent."""
    return [example for example in examples if deciding_word(example) is None]


def encode_prompt(examples: Sequence[str], encode: Callable[[str], list[int]]) -> list[int]:
    """Tokens of as many whole examples as fit, first ones first; nothing is cut in the middle."""
    tokens: list[int] = []
    for example in examples:
        more = encode(" " + example.strip())
        if len(tokens) + len(more) > PROMPT_TOKENS:
            break
        tokens.extend(more)
    return tokens
