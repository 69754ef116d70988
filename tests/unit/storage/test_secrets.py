"""What must not be shown or spoken is found; what people need to hear is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.secrets import find, mask, mask_value

AWS = "AKIA" + "IOSFODNN7EXAMPLE"
PEM = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\nAAAA\n-----END OPENSSH PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "secret", "kind"),
    [
        ("curl -H 'Authorization: Bearer abc123DEF456ghi' http://x", "abc123DEF456ghi", "a token"),
        ("curl -H 'X-Api-Key: 0123456789' http://x", "0123456789", "a token"),
        ("curl -u bob:pw123 http://x", "pw123", "a password"),
        ("curl 'https://api.x.com/?api_key=abcdef123&x=1'", "abcdef123", "a token"),
        ("psql postgres://app:s3cret@db:5432/prod", "s3cret", "a database address with a password"),
        ("redis-cli -u redis://:hunter@cache", "hunter", "a database address with a password"),
        ("git clone https://user:pa55@github.com/x/y", "pa55", "a password"),
        ("git clone https://ghp_abcdefghijklmnop1234@github.com/x/y", "ghp_abcdefghijklmnop1234", "a token"),
        ("export OPENAI_API_KEY=plainword", "plainword", "a key"),
        ("TOKEN=abc ./deploy", "abc", "a token"),
        ("SECRET_TOKEN='two words' ./deploy", "two words", "a token"),
        ("mysql -u root --password=foo db", "foo", "a password"),
        ("mysql -u root -psecret db", "secret", "a password"),
        ("sshpass -p hunter ssh x", "hunter", "a password"),
        ("PGPASSWORD=abc psql", "abc", "a password"),
        ("DB_PASS=xyz run", "xyz", "a password"),
        ('{"clientSecret": "abcd1234"}', "abcd1234", "a token"),
        ("password: hunter22", "hunter22", "a password"),
        (f"aws configure set x {AWS}", AWS, "a key"),
        ("sk-ant-api03-abcdefghijklmnop", "sk-ant-api03-abcdefghijklmnop", "a key"),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl", "c2lnbmF0dXJl", "a token"),
        ("xoxb-123456789012-abcdef", "xoxb-123456789012-abcdef", "a token"),
        (f"echo '{PEM}' > id", "b3BlbnNzaC1rZXk", "a private key"),
        (PEM.partition("AAAA")[0], "b3BlbnNzaC1rZXk", "a private key"),
    ],
)
def test_a_secret_is_masked_and_named_for_speech(text: str, secret: str, kind: str) -> None:
    masked, found = mask(text)
    assert found
    assert secret not in masked
    assert f"[{kind}]" in masked
    assert [s.kind for s in find(text)] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "TOKEN=$TOKEN ./x",
        'curl -H "Authorization: Bearer $API_TOKEN" http://x',
        "password=os.environ['X']",
        "the token is invalid: try again",
        "rm -rf build/token-cache",
        "Enter your password:",
        "max_tokens=4096",
        "keyboard: qwerty",
        "sort_key: name",
        "ssh -i ~/.ssh/id_ed25519 host",
        "tokenizer = AutoTokenizer.from_pretrained('bert')",
        "git commit -m 'fix: token handling'",
        "git push origin main",
        "mkdir -p foo/bar",
        "postgres://db.host:5432/prod",
        "https://example.com:8080/path",
        "commit 18d76973fe0a1b2c3d4e5f60718293a4b5c6d7e8",
        "password: [a password]",
    ],
)
def test_ordinary_text_is_left_as_it_is(text: str) -> None:
    assert mask(text) == (text, False)


def test_the_engines_own_tokens_are_found_anywhere() -> None:
    assert mask("say plainwordtoken aloud", ["plainwordtoken"]) == ("say [a token] aloud", True)
    assert mask("a short one: abc", ["abc"]) == ("a short one: abc", False)


def test_nested_values_are_masked_by_text_and_by_key() -> None:
    value = {"password": "any words", "list": [{"run": "TOKEN=abcd x"}], "n": 3, "none": None, "label": "Yes"}
    masked, found = mask_value(value)
    assert found
    assert masked == {
        "password": "[a password]",
        "list": [{"run": "TOKEN=[a token] x"}],
        "n": 3,
        "none": None,
        "label": "Yes",
    }
    assert value["password"] == "any words"


@pytest.mark.parametrize("text", [*(f"run export TOKEN=abc{n} && psql postgres://a:b{n}@c/d" for n in range(3)), PEM])
def test_masking_twice_masks_once(text: str) -> None:
    once, _ = mask(text)
    assert mask(once)[0] == once


@given(st.text(max_size=300), st.lists(st.text(min_size=8, max_size=12), max_size=2))
def test_findings_lie_in_the_text_and_never_overlap(text: str, own: list[str]) -> None:
    found = find(text, own)
    ends = [0, *(s.end for s in found)]
    assert all(before <= s.start < s.end <= len(text) for before, s in zip(ends, found, strict=False))
    assert not any(exact in mask(text, own)[0] for exact in own if exact not in "[a token][a key]")


@pytest.mark.parametrize(
    "piece", ["a", "token", "-----BEGIN PRIVATE KEY-----", "http://", "a:", "--password", "mysql -", "eyJ", "secret_"]
)
def test_long_hostile_text_costs_no_more_than_its_length(piece: str) -> None:
    mask(piece * (400_000 // len(piece)))  # the suite's time limit is what a quadratic pattern would break
