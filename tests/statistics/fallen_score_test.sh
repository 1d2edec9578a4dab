#!/usr/bin/env bash
# fallen_score_test.sh PUBLISHED_SCORES SOURCES: the program that holds docs/measured fails where a score is worse than
# the published one by more than its standard error, and only there.
set -euo pipefail
program=$1
sources=$2
score="duet: without a step, clean"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# doctored VALUE: the pages with that value published of the score.
doctored() {
  cp "$sources"/docs/measured/{judging_scores,history_scores}.md "$folder"
  sed -i -E "s/^(\| $score \| )[0-9.]+ /\1$1 /" "$folder/history_scores.md"
  grep -q "^| $score | $1 | " "$folder/history_scores.md" || fail "the page has no row of \"$score\""
}

fail() {
  echo "fallen_score_test: $1" >&2
  exit 1
}

# expect STATUS WORDS: the check ends so, and says that.
expect() {
  local status=0
  local said
  said=$("$program" "$sources/tests/statistics/noise" --check "$folder" --score "$score" 2>&1) || status=$?
  [[ $status == "$1" ]] || fail "exit status $status, wanted $1: $said"
  [[ $said == *"$2"* ]] || fail "wanted \"$2\", it said: $said"
}

row=$(grep "^| $score | " "$sources/docs/measured/history_scores.md") || fail "\"$score\" is not published"
published=$(cut -d '|' -f 3 <<<"$row" | tr -d ' ')
error=$(cut -d '|' -f 4 <<<"$row" | tr -d ' ')
# above FACTOR: the published value and that many standard errors.
above() { awk -v value="$published" -v error="$error" "BEGIN { printf \"%.4f\", value + $1 * error }"; }

doctored "$published"
expect 0 ""
doctored "$(above 0.5)"
expect 0 ""
doctored "$(above 2)"
expect 1 "history_scores.md: $score: "
expect 1 "more than its standard error of "
sed -i "/^| $score | /d" "$folder/history_scores.md"
expect 1 "\"$score\" is not published"
score="no such score"
expect 3 "no score's name contains \"no such score\""
