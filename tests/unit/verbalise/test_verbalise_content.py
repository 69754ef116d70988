"""What is spoken holds no secret, nothing for eyes only, and nothing that a synthesiser would choke on."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.errors import ConduitError
from engine.domain.secrets import SecretKind
from voice.speak.verbalise import Kind, sentences, verbalise
from voice.speak.verbalise.phrases import cardinal, load

KINDS = get_args(Kind)
TOKEN = "sk-demo-AAAA1111BBBB2222CCCC"
AWKWARD = st.text(st.one_of(st.sampled_from("`*_#|>[]()!-~\n\r\t\x1b[0m\\\"'{}:;,.@+ "), st.characters()), max_size=40)


@settings(max_examples=400, deadline=None)
@given(AWKWARD, st.sampled_from(KINDS), st.sampled_from(["en", "de"]))
def test_any_text_gives_speech_without_control_bytes(text: str, kind: Kind, language: str) -> None:
    spoken = verbalise(text, kind=kind, language=language)
    assert any(char.isalnum() for char in spoken.text)
    assert not any((ord(char) < 32 and char != "\n") or char == "\x1b" for char in spoken.text)
    assert sentences(spoken.text)
    assert all(any(char.isalnum() for char in chunk) for chunk in sentences(spoken.text))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text",
    [
        f"curl -H 'Authorization: Bearer {TOKEN}' https://api.example.test/v1",
        "DATABASE_URL=postgres://app:hunter2@db.example.test/app",
        f'{{"token": "{TOKEN}"}}',
        f"+export API_TOKEN={TOKEN}",
        f"the output has `{TOKEN}` in it",
    ],
)
def test_secrets_are_named_and_never_read(text: str, kind: Kind) -> None:
    spoken = verbalise(text, kind=kind)
    plain = spoken.text.lower()
    assert "hunter" not in plain
    assert "aaaa" not in plain.replace(" ", "")
    assert "repeat four times" not in plain
    assert "redacted" in plain
    assert spoken.secrets == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_private_key_over_several_lines_is_never_read(kind: Kind) -> None:
    key = "-----BEGIN PRIVATE KEY-----\n+MIIEvQIBADANBgkqhkiG9w0BAQEF\n+Zebrazebra\n+-----END PRIVATE KEY-----"
    spoken = verbalise(f"--- a/key.pem\n+++ b/key.pem\n@@ -0,0 +1,4 @@\n+{key}\n", kind=kind)
    assert "zebra" not in spoken.text.lower()
    assert spoken.secrets == 1


def test_a_password_is_known_by_its_key_in_json() -> None:
    spoken = verbalise('{"user": "ada", "password": "correct-horse"}', kind="json")
    assert "horse" not in spoken.text
    assert spoken.secrets == 1


def test_two_secrets_sound_different_by_their_check_words() -> None:
    first, second = (verbalise(f"export TOKEN=sk-demo-{tail * 20}", kind="command").text for tail in "AB")
    assert first != second


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_kind_of_secret_has_a_name(language: str) -> None:
    assert set(get_args(SecretKind)) <= set(load(language).secret_kinds)


@pytest.mark.parametrize(
    "command",
    [
        "ls docs" + " " * 400 + "; rm -rf .",
        "rm -rf ./\u202egnp.elif",
        "cat a\u200b.txt && rm -rf d",
        "echo safe\rrm -rf d",
        "make test \u001b[8m; rm -rf d\u001b[0m",
        "pytest\u00a0rm -rf d",
        "ls\u2028rm -rf d",
        "pytest\u3164rm -rf d",
        "make test" + "\n" * 40 + "rm -rf d",
    ],
)
def test_a_command_that_hides_something_is_marked_and_its_tail_is_read(command: str) -> None:
    spoken = verbalise(command, kind="command")
    assert spoken.hidden
    assert spoken.text.startswith("Hidden characters in this.")
    assert "rm, dash r f" in spoken.text
    assert len(spoken.text) < 300


@pytest.mark.parametrize("command", ["ls docs", "echo 'a  b'", "cat <<EOF\nhi\nEOF", "git commit -m 'naïve café'"])
def test_a_plain_command_is_not_marked_as_hiding(command: str) -> None:
    assert not verbalise(command, kind="command").hidden


def test_a_long_command_keeps_every_part_and_has_a_short_beginning() -> None:
    command = " && ".join(f"make step{number}" for number in range(40)) + " && rm -rf build"
    spoken = verbalise(command, kind="command")
    assert spoken.long
    assert spoken.text.endswith("rm, dash r f, build")
    assert len(spoken.short) <= 300 < len(spoken.text)


def test_every_command_of_a_line_is_audible() -> None:
    spoken = verbalise("make test && ./deploy.sh --prod || ./rollback.sh", kind="prose").text
    assert spoken == "make test and then dot slash deploy dot sh dash dash prod or else dot slash rollback dot sh"


def test_sentences_break_long_speech_at_breaths_and_lose_nothing() -> None:
    text = ", ".join(f"part number {number}" for number in range(100)) + ". Short one."
    chunks = sentences(text)
    assert max(map(len, chunks)) <= 220
    assert " ".join(chunks) == text


def test_sentences_of_nothing_are_none() -> None:
    assert sentences(" \n --- \n ...") == []


def test_unknown_language_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConduitError, match="de, en"):
        verbalise("ls", kind="command", language="xx")


@pytest.mark.parametrize(
    ("count", "english", "german"),
    [
        (5, "five", "fünf"),
        (20, "twenty", "zwanzig"),
        (41, "forty one", "einundvierzig"),
        (312, "three hundred twelve", "drei hundert zwölf"),
    ],
)
def test_counts_are_spoken_in_the_order_of_the_language(count: int, english: str, german: str) -> None:
    assert cardinal(count, load("en").cardinals) == english
    assert cardinal(count, load("de").cardinals) == german


def test_german_speaks_the_same_command_in_its_own_words() -> None:
    assert verbalise("rm -rf build/*", kind="command", language="de").text == "rm, minus r f, build schrägstrich stern"


def test_json_nested_beyond_reason_is_still_read() -> None:
    assert verbalise("[" * 900 + "1" + "]" * 900, kind="json").text
