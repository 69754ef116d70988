"""``conduit doctor``: what works, what does not, and what to do about it."""

import sys

import click

from engine.cli.exits import FAILED, sentences
from engine.cli.show import as_json_text, json_option, plain
from voice.cli.checks import Finding, all_findings

_SIGNS = {"ok": "ok  ", "note": "note", "failed": "FAIL"}


@click.command()
@json_option
@sentences
def doctor(as_json: bool) -> None:
    """Check sound, models, CLIs, port and folder; exit code 1 if anything fails."""
    findings = []
    for finding in all_findings():
        findings.append(finding)
        if not as_json:
            _print(finding)
    if as_json:
        as_json_text([finding.as_dict() for finding in findings])
    if any(finding.state == "failed" for finding in findings):
        sys.exit(FAILED)


def _print(finding: Finding) -> None:
    click.echo(f"{_SIGNS[finding.state]} {plain(finding.check)}: {plain(finding.says)}")
    if finding.remedy:
        click.echo(f"       do: {plain(finding.remedy)}")
