#!/usr/bin/env bash
# Makes the demo's git repository: make_repository.sh FOLDER
#
# Four commits of textkit, a small library with a benchmark program: base/ is the first, with its message in MESSAGE;
# the patches of steps/, each below the message of its commit, follow in the order of their numbers. Author and dates
# are fixed, so the same sources give the same commit ids everywhere; no setting of the user's git is read or changed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 3; }
folder=$1
if [ -e "$folder" ] && { [ ! -d "$folder" ] || [ -n "$(ls -A "$folder")" ]; }; then
  echo "$0: found $folder with something in it, wanted a new or empty folder" >&2
  exit 3
fi

# A caller that is itself inside git (a hook, a rebase) leaves variables that would aim these commands at its own
# repository.
unset $(env | sed -n 's/^\(GIT_[A-Z_]*\)=.*/\1/p')
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TEMPLATE_DIR=
# As root in a folder of another user git refuses to work; the folder is the one that was asked for.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
export GIT_AUTHOR_NAME="Textkit" GIT_AUTHOR_EMAIL="textkit@example.invalid"
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL

# commit DAY: with the message on stdin.
commit() {
  local date="2024-03-0${1}T12:00:00+00:00"
  GIT_AUTHOR_DATE=$date GIT_COMMITTER_DATE=$date git commit --quiet --file -
}

umask 022  # another user than the one who makes it must be able to read it
mkdir -p "$folder"
cd "$folder"
git init --quiet --initial-branch=main
(cd "$here/base" && find . -type f ! -name MESSAGE -print0 | sort -z) |
  while IFS= read -r -d '' file; do
    # Plain files of one mode, whatever the umask made of the checkout: the commit id depends on it.
    install -D -m 0644 "$here/base/$file" "$file"
  done
git add --all
day=1
commit "$day" <"$here/base/MESSAGE"
for step in "$here"/steps/*.patch; do
  day=$((day + 1))
  git apply --index "$step"
  sed '/^diff --git/,$d' "$step" | commit "$day"
done
