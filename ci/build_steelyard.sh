#!/usr/bin/env bash
# Builds the program from this checkout, for CI: installs what is missing, then the release preset. A no-op where the
# program stands already (a cache restored build/release). Prints the program's path last.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program="$root/build/release/bin/steelyard"
"$root/ci/install_dependencies.sh" build run
if [ ! -x "$program" ]; then
  (cd "$root" && cmake --preset release && cmake --build --preset release --target steelyard)
fi
echo "$program"
