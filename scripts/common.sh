# Shell functions that the scripts share. Sourced, never run.

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
VENV="$ROOT/.venv"
PYTHON="$VENV/bin/python"

say() { printf '== %s\n' "$*"; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

# as_root COMMAND...: as root, or by sudo where it asks for no password; 1 where neither works.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo -n "$@"
  else return 1
  fi
}

# missing_packages NAME...: those Debian packages that are not installed.
missing_packages() {
  local name
  for name in "$@"; do
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q '^install ok installed$' || printf '%s ' "$name"
  done
}

# install_packages NAME...: 0 when all are there afterwards; otherwise names what a person has to install.
install_packages() {
  local missing
  command -v apt-get >/dev/null || { say "Please install by your system's package manager: $*"; return 1; }
  missing="$(missing_packages "$@")"
  [ -z "$missing" ] && return 0
  say "Installing system packages: $missing"
  # shellcheck disable=SC2086  # a list of names
  if as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q >/dev/null &&
     as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing >/dev/null; then
    return 0
  fi
  printf 'Please install: sudo apt-get install %s\n' "$missing" >&2
  return 1
}
