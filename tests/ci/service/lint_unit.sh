#!/usr/bin/env bash
# Holds ci/service/steelyard.service to systemd's own checks: that it understands every line, and that what the unit may
# do is little (`systemd-analyze security`, of 10 at most 2). Exits with 77, a skip, where systemd is not installed.
#   lint_unit.sh ci/service/steelyard.service
set -euo pipefail
command -v systemd-analyze >/dev/null || { echo "skipped: systemd-analyze is not installed"; exit 77; }
systemd-analyze --help | grep -q -- --offline || { echo "skipped: systemd is older than 250"; exit 77; }
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
# The program need not be installed here.
sed 's#^ExecStart=/usr/bin/steelyard .*#ExecStart=/bin/true#' "$1" >"$folder/steelyard.service"
grep -q '^ExecStart=/bin/true$' "$folder/steelyard.service"
said=$(systemd-analyze verify "$folder/steelyard.service" 2>&1) || { echo "$said"; exit 1; }
if [ -n "$said" ]; then echo "$said"; exit 1; fi
systemd-analyze security --no-pager --offline=true --threshold=20 "$folder/steelyard.service" | tail -1
