#!/usr/bin/env bash
# Runs a test of the page in Node with the packages that ci/web/package-lock.json names, or says why it cannot:
#   with_packages.sh FOLDER TEST.mjs ...
# FOLDER keeps the packages between runs. Exits with 77, a skip, where Node, the registry or a browser is not there.
set -euo pipefail
folder=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
web=$here/../../../ci/web
skip() { echo "skipped: $1"; exit 77; }
command -v node >/dev/null || skip "node is not installed, which builds the page and drives its tests"
command -v npm >/dev/null || skip "npm is not installed, which brings what the page is built with"
[ "$(node -p 'parseInt(process.versions.node)')" -ge 18 ] || skip "node is older than 18"

# Once, whoever comes first; anew where the lock file changed.
mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9
if ! cmp -s "$web/package-lock.json" "$folder/package-lock.json" || [ ! -e "$folder/complete" ]; then
  rm -f "$folder/complete"
  cp "$web/package.json" "$web/package-lock.json" "$folder/"
  (cd "$folder" && timeout 100 npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1) >"$folder/log" 2>&1 9>&- ||
    skip "npm could not bring the packages: $(grep -m1 -E 'npm (ERR!|error)' "$folder/log" || tail -n1 "$folder/log")"
  touch "$folder/complete"
fi
flock -u 9
export STEELYARD_WEB_PACKAGES=$folder
STEELYARD_BROWSER=$(command -v chromium chromium-browser google-chrome 2>/dev/null | head -1 || true)
export STEELYARD_BROWSER
for test in "$@"; do
  if grep -q STEELYARD_BROWSER "$test" && [ -z "$STEELYARD_BROWSER" ]; then skip "chromium is not installed"; fi
done
exec node --test --test-concurrency=1 "$@"
