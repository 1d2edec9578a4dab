#!/usr/bin/env bash
# Puts the program where the CI scripts look for it, build/release/bin/steelyard of this checkout:
#   ci/provide_steelyard.sh       from the cache, else the released tarball, else built from this checkout
#   ci/provide_steelyard.sh key   prints key=NAME, under which the service keeps $STEELYARD_CACHE
# Which release, and its checksum, stand in ci/release.sha256, so that who pins this checkout pins the program. Nothing
# of another checksum is ever unpacked. $STEELYARD_RELEASE (1.2.3) with $STEELYARD_SHA256 names another one;
# STEELYARD_RELEASE=source builds. $STEELYARD_RELEASES is the address that releases lie under. Valgrind is installed
# where it is missing, but for arguments of the gate ($STEELYARD_ARGUMENTS) with --counts never.
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${STEELYARD_CACHE:-${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/steelyard}
releases=${STEELYARD_RELEASES:-https://github.com/steelyard/steelyard/releases/download}
place=$root/build/release
fail() { echo "$0: $*" >&2; exit 3; }

# The tarball to fetch, and its checksum; empty: there is none for this machine, or none is wanted.
tarball='' checksum=''
kind=linux-$(uname -m).tar.gz
case ${STEELYARD_RELEASE:-} in
  source) ;;
  '') [ ! -f "$root/ci/release.sha256" ] ||
    read -r checksum tarball < <(grep -E "  steelyard-[0-9.]+-$kind\$" "$root/ci/release.sha256") || true ;;
  *) tarball=steelyard-$STEELYARD_RELEASE-$kind checksum=${STEELYARD_SHA256:-} ;;
esac
if [ -n "$tarball" ]; then
  [[ $tarball =~ ^steelyard-([0-9]+\.[0-9]+\.[0-9]+)-$kind$ ]] ||
    fail "\$STEELYARD_RELEASE: \"$STEELYARD_RELEASE\", wanted a release, as 1.2.3, or: source"
  address=$releases/v${BASH_REMATCH[1]}/$tarball
  [[ $checksum =~ ^[0-9a-f]{64}$ ]] || fail "$tarball: checksum \"$checksum\", wanted the release's from its SHA256SUMS"
fi
source_key() {  # of all that the program is built of, and of what builds it
  cd "$root"
  # shellcheck disable=SC1091
  { . /etc/os-release && echo "$ID ${VERSION_ID:-} $kind"; } 2>/dev/null || echo "$kind"
  find CMakeLists.txt CMakePresets.json LICENSE cmake bench regress storage ci -type f ! -name '*.pyc' | sort |
    xargs sha256sum
}
built=$cache/source-$(source_key | sha256sum | cut -c1-32)
if [ "${1:-}" = key ]; then
  echo "key=steelyard-${checksum:-$(basename "$built")}"
  exit
fi
[ $# -eq 0 ] || fail "\"$*\", wanted nothing or: key"

unpack() {  # unpack FILE: in place only when it is whole and runs here
  rm -rf "$place.new" && mkdir -p "$place.new"
  tar -C "$place.new" --strip-components=1 --no-same-owner -xzf "$1"
  "$place.new/bin/steelyard" --version || return 1
  rm -rf "$place" && mv "$place.new" "$place"
}
has_checksum() { echo "$checksum  $1" | sha256sum --check --status; }

fetch() {  # into the cache; a status of its own where what came is not what was released
  local protocol
  case $releases in
    https://*) protocol='=https' ;;
    file://*) protocol='=file' ;;
    http://127.0.0.1[:/]* | http://localhost[:/]*) protocol='=http' ;;
    *) fail "\$STEELYARD_RELEASES: \"$releases\", wanted https://" ;;
  esac
  command -v curl >/dev/null || { echo "curl is not installed: nothing can be fetched" >&2; return 1; }
  rm -f "$cache/incoming"
  curl --fail --silent --show-error --location --proto "$protocol" --proto-redir "$protocol" --retry 3 \
    --connect-timeout 20 --max-time 300 --max-filesize 268435456 --output "$cache/incoming" "$address" || return 1
  if ! has_checksum "$cache/incoming"; then
    found=$(sha256sum <"$cache/incoming")
    rm -f "$cache/incoming"
    echo "REFUSED: $address: found SHA-256 ${found%% *}, wanted $checksum: not what was released; it was not run" >&2
    exit 3
  fi
  mv "$cache/incoming" "$cache/$tarball"
}

provide() {
  mkdir -p "$cache"
  if [ -n "$tarball" ]; then
    if [ -f "$cache/$tarball" ] && has_checksum "$cache/$tarball"; then
      echo "from the cache: $tarball"
      unpack "$cache/$tarball" && return
    elif fetch; then
      echo "fetched: $address"
      unpack "$cache/$tarball" && return
    fi
    echo "$tarball cannot be had or does not run here: building from source, which takes minutes" >&2
  fi
  if ! (cd "$built" 2>/dev/null && sha256sum --check --status SHA256SUMS); then
    rm -rf "$built" "$built.new"
    SOURCE_DATE_EPOCH=0 "$root/ci/package.sh" "$built.new"  # nobody asks a cache for a file's time
    mv "$built.new" "$built"
  else
    echo "from the cache: $(basename "$built")"
  fi
  unpack "$built/"steelyard-*-"$kind"
}
if [ ! -x "$place/bin/steelyard" ]; then provide; fi
# Instructions are counted by Valgrind. Without it timing and comparing work: a job that may install nothing goes on.
case " ${STEELYARD_ARGUMENTS:-} " in
  *" --counts never "*) ;;
  *) command -v valgrind >/dev/null || "$root/ci/install_dependencies.sh" count ||
    echo "valgrind is missing: instructions will not be counted" ;;
esac
echo "$place/bin/steelyard"
