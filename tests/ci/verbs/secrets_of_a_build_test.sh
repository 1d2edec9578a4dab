#!/usr/bin/env bash
# secrets_of_a_build_test.sh PROGRAM FIXTURE [SANITIZER]: a gate whose build looks for the job's secrets in its own
# environment and in the one that /proc shows of the program that started it, and whether that one's memory may be read.
set -euo pipefail
program=$1 fixture=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null STEELYARD_STATE=$work/state
cd "$work"
git init -q -b main code
cd code
cat >build.sh <<'SCRIPT'
{ env; tr '\0' '\n' </proc/$STEELYARD_PID_OF_TEST/environ; } >>"$OUT_OF_TEST" 2>/dev/null || true
stat -c 'owners %u:%g' /proc/$STEELYARD_PID_OF_TEST/mem /proc/$$/mem >>"$OUT_OF_TEST"
mkdir -p out && cp "$FIXTURE_OF_TEST" out/bench
SCRIPT
for subject in start go; do
  git -c user.name=t -c user.email=t@t -c commit.gpgsign=false commit -q --allow-empty -m "$subject"
done
git add -A
git -c user.name=t -c user.email=t@t commit -q -m build
git -c user.name=t -c user.email=t@t commit -q --allow-empty -m again
as=()
export OUT_OF_TEST=$work/seen FIXTURE_OF_TEST=$fixture
gate() {
  rm -f "$work/seen"
  # A shell that becomes the program, so that the number of its process is known beforehand.
  "${as[@]}" env "$@" PGPASSWORD=hunter2 GITHUB_TOKEN=hunter3 REPOSITORY_URL=https://job:hunter4@example.org/code.git \
    bash -c 'export STEELYARD_PID_OF_TEST=$$; exec "$@"' sh \
    "$program" gate --no-store --build 'sh build.sh' --bench out/bench --rounds 2 --min-time 1ms --counts never \
    --filter varied >"$work/log" 2>&1 || [ $? -le 2 ] || { cat "$work/log"; exit 1; }
  grep -q '^PATH=' "$work/seen" || { cat "$work/log"; echo "the build saw no environment"; exit 1; }
  if grep -a hunter "$work/seen"; then echo "the build saw a secret ($*)"; exit 1; fi
}
gate STEELYARD_CONFINE=yes
# Where no stranger is expected memory stays open, and the environment that /proc shows has no secret all the same.
echo "tr '\\0' '\\n' </proc/\$(cat '$work/pid')/environ >'$work/shown'" >"$work/look.sh"
PGPASSWORD=hunter2 bash -c 'echo $$ >"$0"; exec "$@"' "$work/pid" "$program" run --no-store --rounds 2 \
  --counts never --command "sh $work/look.sh" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
grep -q '^PATH=' "$work/shown" || { echo "/proc showed nothing"; exit 1; }
if grep -a hunter "$work/shown"; then echo "/proc shows a secret"; exit 1; fi
# Where /proc shows another process's environment to the build, it shows none either. Nor is its memory the user's to
# read: to the system these files are root's (PR_SET_DUMPABLE of prctl(2)), and the build's own are not, where one of
# its user and group is another than root's.
[ "$(id -u)" != 0 ] || as=(setpriv --regid=65534 --clear-groups)
gate STEELYARD_CONFINE=no
if [[ ${3:-} == *address* ]]; then
  echo "left out: under AddressSanitizer, whose leak checker reads it, the memory is not closed"
else
  own=$("${as[@]}" bash -c 'echo "$(id -u):$(id -g)"')
  printf '%s\n' "owners 0:0" "owners $own" >"$work/wanted"
  grep '^owners' "$work/seen" | head -n 2 | diff "$work/wanted" - || { echo "the build may read our memory"; exit 1; }
  [ "$own" != 0:0 ] || { echo "this test would find nothing anyway"; exit 1; }
fi
