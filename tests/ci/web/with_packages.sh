#!/usr/bin/env bash
# Runs a command of Node with the packages that ci/web/package-lock.json names, or says why it cannot:
#   with_packages.sh FOLDER COMMAND ...
# FOLDER keeps the packages between runs; the command finds it in $STEELYARD_WEB_PACKAGES, and the browser in
# $STEELYARD_BROWSER. Exits with 77, a skip, where Node, the packages' registry or a browser is not there.
set -euo pipefail
mkdir -p "$1"
STEELYARD_WEB_PACKAGES=$(cd "$1" && pwd)
export STEELYARD_WEB_PACKAGES
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
web=$here/../../../ci/web
skip() { echo "skipped: $1"; exit 77; }
command -v node >/dev/null || skip "node is not installed, which builds the page and drives its tests"
command -v npm >/dev/null || skip "npm is not installed, which brings what the page is built with"
[ "$(node -p 'parseInt(process.versions.node)')" -ge 18 ] || skip "node is older than 18"
STEELYARD_BROWSER=$(command -v chromium chromium-browser google-chrome 2>/dev/null | head -1 || true)
export STEELYARD_BROWSER
for argument in "$@"; do
  if [ -z "$STEELYARD_BROWSER" ] && grep -qs STEELYARD_BROWSER -- "$argument"; then skip "chromium is not installed"; fi
done

# What starts the program needs its store.
if grep -qs STEELYARD_PROGRAM -- "$@" && ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
  skip "PostgreSQL is not installed"
fi

# Once, whoever comes first; anew where the lock file changed.
exec 9>"$STEELYARD_WEB_PACKAGES/lock"
flock 9
log=$STEELYARD_WEB_PACKAGES/log
if ! cmp -s "$web/package-lock.json" "$STEELYARD_WEB_PACKAGES/complete"; then
  cp "$web/package.json" "$web/package-lock.json" "$STEELYARD_WEB_PACKAGES/"
  (cd "$STEELYARD_WEB_PACKAGES" && exec timeout 100 npm ci --ignore-scripts --no-audit --no-fund --prefer-offline \
    --fetch-retries=1) >"$log" 2>&1 9>&- ||
    skip "npm could not bring the packages: $(grep -m1 -E 'npm (ERR!|error)' "$log" || tail -n1 "$log")"
  cp "$web/package-lock.json" "$STEELYARD_WEB_PACKAGES/complete"
fi
flock -u 9
exec "$@"
