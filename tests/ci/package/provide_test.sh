#!/usr/bin/env bash
# What ci/provide_steelyard.sh fetches, keeps, refuses and builds, in a checkout whose package.sh only notes that it was
# called: provide_test.sh SOURCE_FOLDER
set -euo pipefail
source=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/steelyard-provide.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; [ ! -f "$work/log" ] || cat "$work/log" >&2; exit 1; }
kind=linux-$(uname -m).tar.gz

# A tarball of a program that says what it is: write_tarball FILE WORDS [STATUS]
write_tarball() {
  rm -rf "$work/made" && mkdir -p "$work/made/steelyard/bin" "$(dirname "$1")"
  local program=$work/made/steelyard/bin/steelyard
  printf '#!/bin/sh\necho "%s" | tee -a "%s/ran"\nexit %s\n' "$2" "$work" "${3:-0}" >"$program"
  chmod +x "$program"
  tar -C "$work/made" -czf "$1" steelyard
}
checkout=$work/checkout
new_checkout() {  # new_checkout [CHECKSUM]: as the service lays it for every job
  rm -rf "$checkout" && mkdir -p "$checkout"/{ci,cmake,bench,regress,storage}
  touch "$checkout"/{CMakeLists.txt,CMakePresets.json,LICENSE}
  cp "$source/ci/provide_steelyard.sh" "$checkout/ci/"
  [ -z "${1:-}" ] || echo "$1  steelyard-1.2.3-$kind" >"$checkout/ci/release.sha256"
  cat >"$checkout/ci/package.sh" <<STUB
#!/bin/sh
echo package >>"$work/calls"
mkdir -p "\$1" && cp "$work/built.tar.gz" "\$1/steelyard-1.2.3-$kind" && cd "\$1" && sha256sum *.tar.gz >SHA256SUMS
STUB
  printf '#!/bin/sh\necho "install $*" >>"%s/calls"\n' "$work" >"$checkout/ci/install_dependencies.sh"
  chmod +x "$checkout"/ci/*.sh
  rm -f "$work/calls" "$work/ran" && touch "$work/calls" "$work/ran"
}
provide() {  # provide [VARIABLE=VALUE...]: leaves $status, and in $said what the program provided says
  status=0
  env -u STEELYARD_RELEASE -u STEELYARD_SHA256 STEELYARD_CACHE="$work/cache" \
    STEELYARD_RELEASES="file://$work/releases" STEELYARD_ARGUMENTS="--rounds 2 --counts never" \
    "$@" "$checkout/ci/provide_steelyard.sh" >"$work/log" 2>&1 || status=$?
  said=''
  local program=$checkout/build/release/bin/steelyard
  if [ "$status" -eq 0 ] && [ "$(tail -n 1 "$work/log")" = "$program" ]; then said=$("$program"); fi
}
expect() { [ "$status $said" = "$1" ] || fail "$2: status and program \"$status $said\", wanted \"$1\""; }
built() { grep -c package "$work/calls" || true; }

write_tarball "$work/built.tar.gz" built
release=$work/releases/v1.2.3/steelyard-1.2.3-$kind
write_tarball "$release" released
cp "$release" "$work/good"
checksum=$(sha256sum <"$release")
checksum=${checksum%% *}

new_checkout "$checksum"
provide
expect "0 released" "a release with its checksum"
mv "$work/releases" "$work/away"
new_checkout "$checksum"
provide
expect "0 released" "a second job, with the release's server away"
provide
expect "0 released" "a second use in one job"

# What was changed in the cache is not run, but fetched again.
mv "$work/away" "$work/releases"
write_tarball "$work/cache/steelyard-1.2.3-$kind" tampered
new_checkout "$checksum"
provide
expect "0 released" "a cache that was tampered with"
! grep -q tampered "$work/ran" || fail "the tampered program was run"

# Another checksum: refused in words, neither run nor kept nor built around.
rm -rf "$work/cache"
write_tarball "$release" forged
new_checkout "$checksum"
provide
expect "3 " "a release of another checksum"
[ ! -s "$work/ran" ] || fail "the forged program was run"
[ ! -e "$checkout/build/release" ] || fail "the forged program was put in place"
[ "$(built)" = 0 ] || fail "a refusal was built around"
[ -z "$(ls -A "$work/cache")" ] || fail "the forged tarball was kept"
grep -q "REFUSED.*found SHA-256 $(sha256sum <"$release" | cut -d' ' -f1), wanted $checksum" "$work/log" ||
  fail "the refusal does not name both checksums"

# Without a release it is built once for one source.
mv "$work/releases" "$work/away"
new_checkout "$checksum"
provide
expect "0 built" "no release to be had"
[ "$(built)" = 1 ] || fail "built $(built) times, wanted 1"
new_checkout "$checksum"
provide
expect "0 built" "a second job without a release"
[ "$(built)" = 0 ] || fail "the same source was built again"
new_checkout
provide
expect "0 built" "a checkout that names no release"
key=$("$checkout/ci/provide_steelyard.sh" key)
echo "// changed" >"$checkout/bench/changed.cpp"
provide STEELYARD_RELEASE=source
[ "$key" != "$("$checkout/ci/provide_steelyard.sh" key)" ] || fail "the cache's key does not tell another source"
key=$("$source/ci/provide_steelyard.sh" key)
[ "$key" = "$("$source/ci/provide_steelyard.sh" key)" ] || fail "two keys of one source"

# A release that does not run here, as with an older C library, is no end.
write_tarball "$work/releases/v1.2.3/steelyard-1.2.3-$kind" "no such GLIBC" 127
new_checkout "$(sha256sum <"$release" | cut -d' ' -f1)"
provide
expect "0 built" "a release that does not run here"

# What cannot be checked is not fetched.
new_checkout
provide STEELYARD_RELEASE=1.2.3
expect "3 " "a release without its checksum"
provide STEELYARD_RELEASE=1.2.3 STEELYARD_SHA256="$checksum" STEELYARD_RELEASES=http://releases.invalid
expect "3 " "an address without https"
provide STEELYARD_RELEASE=../1.2.3 STEELYARD_SHA256="$checksum"
expect "3 " "a release that is no version"
[ "$(built)" = 0 ] || fail "a mistake was built around"

# Valgrind is installed where it is missing and wanted.
mkdir "$work/tools"
ln -s /usr/bin/* "$work/tools/"
ln -sf /bin/* "$work/tools/"
rm -f "$work/tools/valgrind"
new_checkout
provide PATH="$work/tools"
! grep -q install "$work/calls" || fail "Valgrind was installed for --counts never"
provide PATH="$work/tools" STEELYARD_ARGUMENTS=''
grep -qx "install count" "$work/calls" || fail "Valgrind is missing and was not installed"

# By the lists of packages that the machine has, as new ones take seconds; where those will not do, by new ones.
mkdir "$work/apt"
cat >"$work/apt/apt-get" <<STUB
#!/bin/sh
case "\$*" in
  *" update") echo update >>"$work/calls"; touch "$work/lists" ;;
  *" install "*" valgrind") echo install >>"$work/calls"; [ -e "$work/lists" ] ;;
  *) exit 9 ;;
esac
STUB
printf '#!/bin/sh\nexit 1\n' >"$work/apt/dpkg-query"
printf '#!/bin/sh\nexec "$@"\n' >"$work/apt/sudo"
chmod +x "$work"/apt/*
for wanted in "install update install" install; do
  : >"$work/calls"
  PATH=$work/apt:$PATH "$source/ci/install_dependencies.sh" count >"$work/log" 2>&1 || fail "not installed"
  [ "$(tr '\n' ' ' <"$work/calls")" = "$wanted " ] || fail "apt-get: $(cat "$work/calls"), wanted $wanted"
done
echo "ok"
