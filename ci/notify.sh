#!/usr/bin/env bash
# Tells owners of alerts that came into another state: after the gate, where a job of the default branch names a place
# in its environment (docs/guide/alerts.md). For gate.sh of GitHub and GitLab, which source it before anything is built:
# what the places are is taken out of their environment then, and only `steelyard alerts notify` gets it back.
notice_places=()
for name in STEELYARD_WEBHOOK_URL STEELYARD_WEBHOOK_SECRET STEELYARD_SLACK_WEBHOOK_URL STEELYARD_SMTP_URL \
  STEELYARD_SMTP_USER STEELYARD_SMTP_PASSWORD STEELYARD_MAIL_FROM; do
  [ -z "${!name:-}" ] || notice_places+=("$name=${!name}")
  unset "$name"
done

# notify_owners PROGRAM ARGUMENT...: of the gate, which has ended; never fails the job.
notify_owners() {
  local notifier=$1 arguments=() take=''
  shift
  [ "${#notice_places[@]}" -gt 0 ] || return 0
  [ -n "${STEELYARD_DEFAULT_BRANCH:-}" ] || return 0
  [ "$STEELYARD_DEFAULT_BRANCH" = "${CI_COMMIT_BRANCH:-${GITHUB_REF_NAME:-}}" ] || return 0
  for word in "$@"; do
    case $word in
      # Nothing was kept that anybody could be told of.
      --no-store | --shard | --shard=*) return 0 ;;
      --store | --project) take=$word ;;
      --store=* | --project=*) arguments+=("$word") ;;
      *)
        [ -z "$take" ] || arguments+=("$take" "$word")
        take=''
        ;;
    esac
  done
  # As an assignment of the shell's own: the arguments of a process are anybody's to read.
  (
    for place in "${notice_places[@]}"; do export "${place?}"; done
    exec "$notifier" alerts notify "${arguments[@]}"
  ) || true
}
