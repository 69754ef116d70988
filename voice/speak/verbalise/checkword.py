"""Check words: two words from a digest, so that shortened text can still be told from other text."""

from hashlib import sha256


def check_words(exact: str, words: tuple[str, ...]) -> str:
    """Two of ``words``, chosen by the SHA-256 of ``exact``; the same text always gives the same two."""
    number = int.from_bytes(sha256(exact.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    first, rest = number % len(words), number // len(words)
    return f"{words[first]} {words[rest % len(words)]}"
