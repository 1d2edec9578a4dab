#!/usr/bin/env bash
# Runs the steps of the release workflow, as they stand there, with the program that was built already, and looks at
# what they made: release_test.sh SOURCE_FOLDER BUILD_FOLDER
# In place of containers the steps run here, those of the bare machines in a root of the C library alone.
set -euo pipefail
source=$1 build=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/steelyard-release.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; [ ! -f "$work/log" ] || tail -n 40 "$work/log" >&2; exit 1; }
workflow=$source/.github/workflows/release.yml

# What is not ours is pinned by commit, what a job may do is said for each, and nobody keeps the credentials.
for file in "$source"/.github/workflows/*.yml "$source"/ci/github/{,report/}action.yml; do
  ! grep -E '^ *(- )?uses:' "$file" | grep -vE '@[0-9a-f]{40}  # v[0-9.]+$|: \./\.steelyard-action/' ||
    fail "$file: not pinned by commit"
done
grep -qx 'permissions: {}' "$workflow" || fail "the workflow begins with rights"
[ "$(grep -c '^    permissions: ' "$workflow")" = "$(grep -c '^    runs-on: ' "$workflow")" ] || fail "a job's rights"
[ "$(grep -c 'actions/checkout@' "$workflow")" = "$(grep -c 'persist-credentials: false' "$workflow")" ] ||
  fail "a checkout keeps its credentials"

# The program of each step, by the step's name.
step() {
  awk -v name="- name: $1" '
    { at = match($0, /[^ ]/) }
    run && NF && at <= run { run = 0; found = 0 }
    run { print substr($0, run + 2) }
    at && substr($0, at) == name { found = 1 }
    found && /^ *run: \|$/ { run = at }' "$workflow" >"$work/step"
  [ -s "$work/step" ] || fail "no step \"$1\""
}
ran=0
run_step() {  # run_step FOLDER NAME [VARIABLE=VALUE...]
  step "$2"
  ran=$((ran + 1))
  (cd "$1" && shift 2 && env PATH="$work/bin:$PATH" GITHUB_REF_NAME="v$version" GITHUB_REPOSITORY=some/repository "$@" \
    bash -e "$work/step") >"$work/log" 2>&1
}
version=$("$build/bin/steelyard" --version)
version=${version#steelyard }

# docker run OPTIONS IMAGE COMMAND...: the command here, in the folder that is mounted; with what was built, in place of
# a build; on a machine without a network with nothing but the C library.
mkdir "$work/bin"
cat >"$work/bin/docker" <<STUB
#!/usr/bin/env bash
set -euo pipefail
[ "\$1" = run ] && shift
place='' bare='' environment=()
while [[ \$1 == --* ]]; do
  case \$1 in
    --rm) shift ;;
    --network) bare=libc; shift 2 ;;
    --volume) mounted=\${2%:ro}; place=\${mounted#*:}; host=\${mounted%%:*}; shift 2 ;;
    --workdir) [ "\$2" = "\$place" ] && cd "\$host"; shift 2 ;;
    --env) environment+=("\$2"); shift 2 ;;
    *) echo "docker: \$1" >&2; exit 125 ;;
  esac
done
shift
command=("\${@//"\$place"/"\$host"}")
[ "\$1" != ci/package.sh ] || command+=(--build "$build")
exec env "\${environment[@]}" "\${command[@]}" \$bare
STUB
printf '#!/bin/sh\nprintf "%%s\\n" "$@" >"%s/published"\n' "$work" >"$work/bin/gh"
chmod +x "$work"/bin/*

# Two packagings, in places, at times and by ways to sort that differ.
for place in steelyard elsewhere; do
  checkout=$work/$place-of-a-machine
  mkdir -p "$checkout"/{cmake,tests/ci}
  cp -r "$source/ci" "$source/LICENSE" "$checkout/"
  cp "$source/cmake/packages.txt" "$checkout/cmake/"
  cp -r "$source/tests/ci/package" "$checkout/tests/ci/"
  printf '#!/bin/sh\n' >"$checkout/ci/install_dependencies.sh"  # nothing is installed by a test
  export GIT_AUTHOR_NAME=Test GIT_AUTHOR_EMAIL=test@example.invalid GIT_COMMITTER_NAME=Test
  export GIT_COMMITTER_EMAIL=test@example.invalid GIT_COMMITTER_DATE='2026-01-02T03:04:05Z' GIT_CONFIG_GLOBAL=/dev/null
  git -C "$checkout" init -q && git -C "$checkout" commit -q --allow-empty -m "Release"
  differs=(TZ=UTC)
  [ "$place" = steelyard ] || differs=(TZ=Asia/Tokyo LANG=C.UTF-8 TMPDIR="$work/$place-of-a-machine/ci")
  run_step "$checkout" Package PLACE="/$place" "${differs[@]}" || fail "Package"
  mkdir -p "$work/artifacts/$place"
  cp -r "$checkout/released" "$work/artifacts/$place/"
done
run_step "$checkout" "Build a benchmark to try it with" || fail "the benchmark"
mkdir "$work/tried"
cp -r "$checkout"/{released,benchmark,bare_machine_test.sh} "$work/tried/"
chmod -x "$work/tried/benchmark/bench"  # as artifacts are
run_step "$work/tried" "Try it where nothing is installed" IMAGE=debian:12 || fail "on a bare machine"

run_step "$work/artifacts" "Compare both packagings" || fail "two packagings of one commit differ"
run_step "$work/artifacts" Publish GH_TOKEN=none || fail "Publish"
files=$(grep -c '^steelyard/released/' "$work/published")
[ "$files" = 3 ] || fail "published $files files, wanted the tarball, the .deb and SHA256SUMS"
echo " " >>"$(echo "$work"/artifacts/elsewhere/released/*.deb)"
! run_step "$work/artifacts" "Compare both packagings" || fail "packagings that differ were not told"
[ "$(grep -c ' name: ' "$workflow")" -ge 5 ] && [ "$(grep -c '^        run: ' "$workflow")" = 5 ] && [ "$ran" = 7 ] ||
  fail "the workflow has another step: run it here"

# What is in the packages.
released=$work/tried/released
name=steelyard-$version-linux-$(uname -m)
tar -tvzf "$released/$name.tar.gz" --full-time --numeric-owner >"$work/log"
! grep -v " 0/0 .* 2026-01-02 03:04:05 $name/" "$work/log" || fail "owner, time or place of a file in the tarball"
awk '{ print $6 }' "$work/log" | LC_ALL=C sort --check || fail "the tarball's files are in no order"
mkdir "$work/tarball" "$work/deb"
tar -C "$work/tarball" -xzf "$released/$name.tar.gz"
dpkg-deb --extract "$released"/*.deb "$work/deb"
diff -r "$work/tarball/$name" "$work/deb/usr" || fail "the .deb has other files than the tarball"
cd "$work/deb/usr"
! grep -rl "$source\|$build" share lib || fail "a folder of the build stands in a file"
[ "$(zcat share/man/man1/steelyard-gate.1.gz | sed -n 's/^\.TH \([^ ]*\).*/\1/p')" = STEELYARD-GATE ] || fail "a page"
for verb in run ab compare gate verify completion; do
  zcat "share/man/man1/steelyard-$verb.1.gz" | grep '^\.SH SYNOPSIS' >/dev/null || fail "no page of $verb"
done
bash -n share/bash-completion/completions/steelyard || fail "the completion of bash"
grep -q "Apache License" share/doc/steelyard/copyright && grep -q "libpq5" share/doc/steelyard/copyright ||
  fail "the terms of what is carried"
# Of the newest symbols that any file asks the C and the C++ library for.
{ find bin lib -type f -exec objdump -T {} + || true; } >"$work/symbols" 2>/dev/null
newest_of() { grep -o "($1_[0-9.]*" "$work/symbols" | sort -Vu | tail -n 1 | sed 's/^(//'; }
newest=$(newest_of GLIBC)
depends=$(dpkg-deb --field "$released"/*.deb Depends)
[ "$depends" = "libc6 (>= ${newest#GLIBC_})" ] || fail "the .deb depends on $depends, its files on $newest"
# What is built on the older Debian, as a release is, runs with the libraries of Ubuntu 22.04: the program and what it
# carries. In a release the C++ library is linked in, as far as it is used; in this build it is carried whole.
if grep -qx 'VERSION_ID="12"' /etc/os-release; then
  { find bin lib -type f ! -name 'libstdc++.so.*' -exec objdump -T {} + || true; } >"$work/symbols" 2>/dev/null
  for most in GLIBC_2.35 GLIBCXX_3.4.30; do
    asked=$(newest_of "${most%_*}")
    [ "$(printf '%s\n' "$asked" "$most" | sort -V | tail -n 1)" = "$most" ] ||
      fail "a file asks for $asked, Ubuntu 22.04 has $most: $(grep -m 3 "($asked)" "$work/symbols")"
  done
fi

# dpkg installs the .deb where there is the C library that it depends on, refuses it where there is an older one, and
# takes all of it away again.
root=$work/root
mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers}
dpkg_of_root() {
  dpkg --root="$root" --force-not-root --force-script-chrootless --log=/dev/null "$@" >"$work/log" 2>&1
}
has_libc() {  # has_libc VERSION
  printf 'Package: libc6\nStatus: install ok installed\nArchitecture: %s\nVersion: %s\nMaintainer: Test\n%s\n\n' \
    "$(dpkg --print-architecture)" "$1" "Description: of the test" >"$root/var/lib/dpkg/status"
}
has_libc 2.19
! dpkg_of_root --install "$released"/*.deb || fail "installed with a C library of 2.19"
rm -rf "$root/usr" "$root"/var/lib/dpkg/info/steelyard.*
has_libc "${newest#GLIBC_}"
dpkg_of_root --install "$released"/*.deb || fail "dpkg does not install it"
diff -r "$work/deb/usr" "$root/usr" || fail "dpkg installed other files"
[ "$("$root/usr/bin/steelyard" --version)" = "steelyard $version" ] || fail "what dpkg installed does not run"
dpkg_of_root --purge steelyard || fail "dpkg does not take it away"
[ -z "$(find "$root" -name '*steelyard*')" ] || fail "left behind: $(find "$root" -name '*steelyard*')"
echo "ok: $name asks for $newest and $(newest_of GLIBCXX)"
