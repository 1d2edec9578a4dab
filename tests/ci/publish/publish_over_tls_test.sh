#!/usr/bin/env bash
# A token does not reach a server whose certificate nobody vouches for: publish_over_tls_test.sh PROGRAM
set -euo pipefail
program=$1
if ! command -v openssl >/dev/null; then
  case " ${STEELYARD_TESTS_PROMISED:-} " in *" openssl "*) echo "promised by ./check: openssl" >&2; exit 1 ;; esac
  echo "skipped: openssl is not installed"
  exit 77
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/steelyard-tls.XXXXXX")
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; cat "$work/log" "$work/server" >&2 || true; exit 1; }
cd "$work"
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 1 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>/dev/null
openssl s_server -accept 127.0.0.1:0 -cert cert.pem -key key.pem -www >server 2>&1 </dev/null &
server=$!
for _ in $(seq 100); do grep -q ^ACCEPT server && break; sleep 0.05; done
port=$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' server)
[ -n "$port" ] || fail "no server"
status=0
env -u GITHUB_EVENT_PATH STEELYARD_STATE="$work/state" GITHUB_TOKEN=a-secret-token GITHUB_REPOSITORY=acme/shop \
  GITHUB_API_URL="https://127.0.0.1:$port" "$program" publish github "$work" --status 4 --request 1 \
  --commit "$(printf 'a%.0s' $(seq 40))" >log 2>&1 || status=$?
[ "$status" -eq 5 ] || fail "status $status, wanted 5"
grep -qi certificate log || fail "the reason is not named"
! grep -q a-secret-token server log || fail "the token left"
echo "ok"
