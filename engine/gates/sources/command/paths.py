"""Where a path lies: project, home, root, system, temp or elsewhere, and what it is good for. Pure, by text."""

import posixpath
import re

from engine.domain.gates import Place
from engine.gates.sources.command.surroundings import Surroundings

_SYSTEM = frozenset(
    [
        "bin",
        "boot",
        "dev",
        "etc",
        "lib",
        "lib32",
        "lib64",
        "opt",
        "proc",
        "root",
        "run",
        "sbin",
        "srv",
        "sys",
        "usr",
        "var",
        "home",
        "Users",
        "System",
        "Library",
        "Applications",
        "mnt",
        "media",
        "Volumes",
        "private",
    ]
)
# Folders below which people keep projects: only their top level counts as the system's.
_SHALLOW = frozenset(("home", "Users", "srv", "mnt", "media", "opt", "Volumes", "root", "run"))
_STREAMS = re.compile(r"/dev/(null|stdout|stderr|stdin|tty|zero|full|u?random|fd/\d+|pts/\d+)$")
_STARTUP = re.compile(
    r"(^|/)(\.bashrc|\.bash_profile|\.bash_login|\.bash_logout|\.profile|\.zshrc|\.zshenv|\.zprofile|\.zlogin"
    r"|\.login|\.cshrc|\.tcshrc|\.kshrc|\.xinitrc|\.xprofile|\.inputrc|\.envrc|\.gitconfig|\.pam_environment"
    r"|config\.fish|sitecustomize\.py|usercustomize\.py|\.pythonrc|authorized_keys|crontab)$"
    r"|/\.config/(autostart|systemd|fish|git)/|/LaunchAgents/|/LaunchDaemons/|/cron\.[a-z]+/|/init\.d/"
    r"|^/etc/|/\.ssh/|\.vimrc$|\.vscode/tasks\.json$"
)
_HOOKS = re.compile(
    r"(^|/)\.git/(hooks(/|$)|config$|info/attributes$)|(^|/)\.husky/|(^|/)\.claude/(settings[^/]*\.json"
    r"|hooks/|commands/|agents/)"
    r"|(^|/)\.claude\.json$|(^|/)\.mcp\.json$|(^|/)\.codex/|(^|/)\.gemini/(settings\.json|trustedFolders\.json|hooks/)"
    r"|(^|/)opencode\.jsonc?$|(^|/)\.config/opencode/|(^|/)\.opencode/|(^|/)\.aider\.conf\.yml$|(^"
    r"|/)\.cursor/(mcp|hooks)\.json$"
)
_CREDENTIALS = re.compile(
    r"(^|/)(\.env(\.(?!example$|sample$|template$|dist$)[\w.-]+)?|\.netrc|\.npmrc|\.pypirc|\.pgpass"
    r"|\.my\.cnf|\.git-credentials"
    r"|id_(rsa|dsa|ecdsa|ed25519)|credentials(\.json|\.csv)?|secrets?(\.ya?ml|\.json|\.env)|service-account[\w-]*\.json"
    r"|kubeconfig|\.dockercfg|shadow|cookies\.sqlite|[\w.-]+\.(pem|key|p12|pfx|keystore|jks|kdbx))$"
    r"|/\.aws/|/\.gnupg/|/\.kube/config|/\.docker/config\.json|/\.config/gcloud/|/\.azure/"
)
_TEMP = ("/tmp", "/var/tmp", "/private/tmp", "/dev/shm", "/var/folders")
_LIVE = re.compile(r"\.(db|sqlite3?|mdb|rdb|tfstate|env)$")
_DATA = re.compile(r"\.(db|sqlite3?|mdb|sql|dump|bak|rdb|tfstate|parquet|env|log)$|(^|/)\.env$")


def normal(path: str, cwd: str) -> str:
    """Absolute and without dots; a trailing slash or glob is kept out."""
    full = posixpath.normpath(posixpath.join(cwd or "/", path))
    return "/" + full.lstrip("/")


def is_stream(path: str) -> bool:
    """Devices that hold nothing."""
    return _STREAMS.match(path) is not None


def inside(path: str, folder: str) -> bool:
    """Whether ``path`` is ``folder`` or lies below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def place_of(path: str, where: Surroundings) -> Place:
    """The place of an absolute path whose glob, if any, was taken off."""
    if path == "/":
        return "root"
    if inside(path, where.conduit_home):
        return "home"
    if inside(path, where.project):
        return "project"
    if path == where.home or _top_of_home(path, where.home):
        return "home"
    if inside(where.project, path):
        return "home" if inside(path, where.home) else "system"
    if inside(path, where.home):
        return "outside"
    return _far(path)


def _top_of_home(path: str, home: str) -> bool:
    """A first-level entry of the home folder, or anything in a hidden one (not a cache)."""
    if not inside(path, home):
        return False
    rest = path[len(home.rstrip("/")) + 1 :]
    return "/" not in rest or (rest.startswith(".") and not rest.startswith(".cache/"))


def _far(path: str) -> Place:
    parts = path.strip("/").split("/")
    for temp in _TEMP:
        if path.startswith(temp + "/"):
            return "temp"
    if path == "/tmp" or len(parts) == 1:
        return "system"
    if parts[0] in _SHALLOW:
        return "outside" if len(parts) > 2 or parts[0] not in ("home", "Users") else "system"
    return "system" if parts[0] in _SYSTEM else "outside"


def is_startup(path: str) -> bool:
    """A file that a shell, login, scheduler or system reads by itself."""
    return _STARTUP.search(path) is not None


def is_hook(path: str) -> bool:
    """Hooks of git, and the settings of agents themselves."""
    return _HOOKS.search(path) is not None


def is_credential(path: str) -> bool:
    """Keys, passwords and tokens by their usual names (a public half is none)."""
    return _CREDENTIALS.search(path) is not None and not path.endswith(
        (".pub", ".example", ".sample", ".template", ".dist")
    )


def is_temp_root(path: str) -> bool:
    """The folder for temporary files itself, into which things may be put."""
    return path in _TEMP


def is_live_data(path: str) -> bool:
    """Files in which a program keeps its only copy: a missing one may be meant, and is not made by hand."""
    return _LIVE.search(path) is not None


def is_data(path: str) -> bool:
    """Files whose content nobody makes again."""
    return _DATA.search(path) is not None and not path.endswith((".log",))
