#!/usr/bin/env bash
# A released tarball on a machine that has nothing installed:
#   bare_machine_test.sh PACKAGES BENCHMARK         on this one, as in a container of a distribution
#   bare_machine_test.sh PACKAGES BENCHMARK libc    in a root that has this machine's C library and not a file more
# PACKAGES: what ci/package.sh made. BENCHMARK: what build_benchmark.sh made.
set -euo pipefail
packages=$(cd "$1" && pwd) benchmark=$(cd "$2" && pwd)
if [ "${3:-}" = libc ] && [ -z "${STEELYARD_IN_NAMESPACE:-}" ]; then
  # A mount of our own, which ends with us.
  export STEELYARD_IN_NAMESPACE=yes
  exec unshare --mount --map-root-user "$0" "$@"
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/steelyard-bare.XXXXXX")
finish() {
  umount --lazy "$work/proc" "$work/dev/null" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap finish EXIT
fail() { echo "FAILED: $*" >&2; [ ! -f "$work/log" ] || cat "$work/log" >&2; exit 1; }

(cd "$packages" && sha256sum --check --quiet SHA256SUMS) || fail "the checksums"
tarball=$(basename "$packages"/steelyard-*.tar.gz)
mkdir "$work/unpacked here" "$work/tmp"
tar -C "$work/unpacked here" -xzf "$packages/$tarball"
# It may be moved.
mv "$work/unpacked here/${tarball%.tar.gz}" "$work/moved"
cp -r "$benchmark" "$work/benchmark"
chmod +x "$work/benchmark/bench"  # what carries artifacts forgets it
libc='lib(c|m|resolv|dl|pthread|rt)\.so\.[0-9]+'
place=$work start=()
if [ "${3:-}" = libc ]; then
  while read -r file; do
    install -D "$file" "$work$file"
  done < <(ldd "$work/moved/bin/steelyard" | grep -oE "/[^ ]*/(ld-linux[^ ]*|$libc)")
  mkdir "$work/proc" "$work/dev"
  mount --rbind /proc "$work/proc"
  touch "$work/dev/null"
  mount --bind /dev/null "$work/dev/null"
  place='' start=("$(command -v chroot)" "$work")
fi
# With an empty environment, from another folder.
steelyard() { (cd / && env -i HOME="$place/tmp" TMPDIR="$place/tmp" "${start[@]}" "$place/moved/bin/steelyard" "$@"); }
status_of() { status=0; "$@" >"$work/log" 2>&1 || status=$?; }

version=${tarball#steelyard-}
[ "$(steelyard --version)" = "steelyard ${version%%-linux*}" ] || fail "--version is not that of $tarball"
# A measured program's libraries are not taken for its own.
mkdir "$work/tmp/others" && touch "$work/tmp/others/libpq.so.5"
(cd / && env -i LD_LIBRARY_PATH="$work/tmp/others" "$work/moved/bin/steelyard" --version) >"$work/log" ||
  fail "LD_LIBRARY_PATH changes what the program loads"

# Nothing is loaded but what came along, and the C library.
env -i LD_TRACE_LOADED_OBJECTS=1 "$work/moved/bin/steelyard" >"$work/log"
others=$(awk '$2 == "=>" { print $3 }' "$work/log" | grep -v "^$work/moved/" |
  grep -vE "/$libc\$" || true)
[ -z "$others" ] || fail "loaded from elsewhere: $others"

for side in old new; do
  status_of steelyard run --no-store --output "$place/tmp/$side.syrun" --rounds 2 --min-time 1ms \
    -- "$place/benchmark/bench"
  [ "$status" -eq 0 ] || fail "run: status $status, wanted 0"
done
grep -q BM_work "$work/log" || fail "the run's report does not name BM_work"
status_of steelyard compare --json "$place/tmp/old.syrun" "$place/tmp/new.syrun"
grep -q '"steelyard.comparison/1"' "$work/log" || fail "compare: status $status and no comparison"
status_of steelyard ab --no-store --json --rounds 4 --min-time 1ms --counts auto "$place/benchmark/bench" \
  "$place/benchmark/bench"
grep -q '"steelyard.comparison/1"' "$work/log" || fail "ab: status $status and no comparison"

# What is not there is asked for by its package's name.
if [ "${3:-}" = libc ] || ! command -v valgrind >/dev/null; then
  status_of steelyard run --no-store --counts always --rounds 2 -- "$place/benchmark/bench"
  [ "$status" -eq 3 ] && grep -q "install the package valgrind" "$work/log" || fail "no Valgrind: status $status"
fi
if [ "${3:-}" = libc ] || ! compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; then
  status_of steelyard db status
  [ "$status" -eq 5 ] && grep -q "install the package postgresql" "$work/log" || fail "no PostgreSQL: status $status"
fi
echo "ok: $tarball on ${3:-$(. /etc/os-release && echo "$PRETTY_NAME")}"
