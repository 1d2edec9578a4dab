#!/usr/bin/env bash
# Installs the Debian packages that are missing: ci/install_dependencies.sh build [run] [test] [package] [count] [fuzz]
# The list with its meaning: cmake/packages.txt. Asks for nothing; uses sudo where it is not root.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
list="$here/../cmake/packages.txt"
[ $# -gt 0 ] || { echo "usage: $0 build|run|test|package|count|fuzz ..." >&2; exit 3; }

missing=()
for purpose in "$@"; do
  names=$(awk -v purpose="$purpose" '!/^#/ && $2 == purpose { print $1 }' "$list")
  [ -n "$names" ] || { echo "$0: found \"$purpose\", wanted build, run, test, package, count or fuzz" >&2; exit 3; }
  for name in $names; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$name")
  done
done
[ ${#missing[@]} -gt 0 ] || { echo "packages: nothing is missing"; exit 0; }

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "$0: these packages are missing and neither root nor sudo is at hand: ${missing[*]}" >&2
    echo "  as root: apt-get install ${missing[*]}" >&2
    exit 3
  }
  as_root=(sudo)
fi
command -v apt-get >/dev/null || {
  echo "$0: no apt-get here; the program needs the counterparts of: ${missing[*]}" >&2
  exit 3
}

# Debian's PostgreSQL package starts a cluster of its own on installation unless it is told not to beforehand; ours is
# private to the state folder. A machine that has the package keeps its settings.
settings=/etc/postgresql-common/createcluster.conf
if printf '%s\n' "${missing[@]}" | grep -qx postgresql && [ ! -e "$settings" ]; then
  "${as_root[@]}" mkdir -p "$(dirname "$settings")"
  echo "create_main_cluster = false" | "${as_root[@]}" tee "$settings" >/dev/null
fi

echo "packages: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Options::=--force-confold \
    -o Acquire::Retries=3 "$@" </dev/null >"$log" 2>&1
}
# By the lists of packages that are there, as a CI service's machine has them; where they will not do, by new ones.
install() { apt install -y --no-install-recommends "${missing[@]}"; }
if ! install && ! { apt update && install; }; then
  tail -n 20 "$log" >&2
  echo "$0: apt-get could not install the packages (its last lines are above)" >&2
  exit 3
fi
