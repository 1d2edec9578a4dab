#!/usr/bin/env bash
# faulty_network_test.sh PROGRAM FIXTURE SLOW_FIXTURE: gates whose store is reached over a network that is slow, that is
# away, that is cut in the middle of keeping, or that is lost without a word. Of each: the exit status, that nothing
# stays behind, and that in the end every run that was measured is in the store, once.
set -euo pipefail
program=$1 fixture=$2 slow=$3
source "$(dirname "$0")/gate_under_fault.sh"

# A server of our own, which only the proxy and psql reach.
postgres=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
if [ ! -x "$postgres/initdb" ]; then
  leave_out postgresql "a network before a store: no PostgreSQL server"
  exit
fi
as=()
[ "$(id -u)" != 0 ] || as=(setpriv --reuid postgres --regid postgres --clear-groups)
as_server() { "${as[@]}" "$@"; }
mkdir "$work/server"
[ "$(id -u)" != 0 ] || chown postgres "$work/server"
as_server env -u TMPDIR "$postgres/initdb" -D "$work/server/data" -U steelyard --auth=trust --no-locale -E UTF8 \
  --no-sync >"$work/log" 2>&1 || fail initdb
(
  cd /
  as_server env -u TMPDIR "$postgres/pg_ctl" -D "$work/server/data" -l "$work/server/log" -w -t 120 \
    -o "-c listen_addresses= -c fsync=off -c jit=off -k $work/server" start >"$work/log" 2>&1
) || fail "the server does not start"
undo+=('(cd / && as_server "$postgres/pg_ctl" -D "$work/server/data" -m immediate -w stop >/dev/null)')
query() { "$postgres/psql" -X -q -A -t -h "$work/server" -U steelyard -d postgres -c "$1"; }

# The network: in a namespace of its own where we may have one, so that it can be lost.
mkdir "$work/net"
echo whole >"$work/net/network"
namespace=()
unshare -n true 2>/dev/null && namespace=(unshare -n)
# Without our TMPDIR, by which a gate's processes are known.
env -u TMPDIR "${namespace[@]}" python3 "$here/faulty_network.py" "$work/server/.s.PGSQL.5432" "$work/net" \
  ${namespace[0]:+own} >"$work/net/log" 2>&1 &
proxy=$!
undo=('kill "$proxy" 2>/dev/null; wait "$proxy" 2>/dev/null' "${undo[@]}")
await "the network" test -s "$work/net/port"
[ ${#namespace[@]} = 0 ] || within=(nsenter --net="/proc/$proxy/ns/net")
order() {
  echo "$1" >"$work/net/order"
  mv "$work/net/order" "$work/net/network"
  await "the order $1" cmp -s "$work/net/network" "$work/net/followed"
}
export STEELYARD_STORE="postgresql://steelyard@127.0.0.1:$(cat "$work/net/port")/postgres?sslmode=disable"

measured=0  # runs, of all gates
# This is not about the layout, and trying both starts 128 processes.
small_gate() {
  gate --layout interleaved
  measured=$((measured + 2))
}
kept() {
  local runs
  runs=$(query 'select count(*) from steelyard.runs')
  [ "$runs" = "$1" ] || fail "$runs runs in the store, wanted $1"
}
waiting() { find "$STEELYARD_STATE/spool" -name '*.syrun' | wc -l; }

commit start "$run_fixture"
commit slower "$run_slow"
small_gate
expect "a network that is whole" 0
kept "$measured"
before=$(cat "$work/net/carried")
small_gate
one=$(($(cat "$work/net/carried") - before))

order "slow 20"
small_gate
expect "each piece takes 20 ms more" 0
kept "$measured"

order away
small_gate
expect "the network is away" 5 "spool"
[ "$(waiting)" = 2 ] || fail "$(waiting) runs wait, wanted 2"
order whole
small_gate
expect "the network is there again" 0
[ "$(waiting)" = 0 ] || fail "$(waiting) runs wait, wanted none"
kept "$measured"

for percent in 10 50 80 95; do
  order "cut $((one * percent / 100))"
  small_gate
  [ "$status" != 0 ] || [ "$percent" = 95 ] || fail "cut after $percent % of a gate's bytes: exit status 0"
  [ "$status" = 0 ] || expect "the network is cut after $percent % of a gate's bytes" 5 "spool"
  order whole
  small_gate
  expect "the gate after that" 0
  [ "$(waiting)" = 0 ] || fail "$(waiting) runs wait, wanted none"
  kept "$measured"
done

# The server is at work for us, our question was acknowledged, and then nothing comes through any more.
if [ ${#namespace[@]} != 0 ]; then
  "$postgres/psql" -X -q -h "$work/server" -U steelyard -d postgres >"$work/log.lock" 2>&1 \
    -c 'begin; lock table steelyard.runs in access exclusive mode; select pg_sleep(600)' &
  blocker=$!
  is_waiting() { [ "$(query "select count(*) from pg_locks where not granted")" != 0 ]; }
  (
    await "a gate that waits for the server" is_waiting
    order lost
  ) &
  begun=$SECONDS
  small_gate
  wait $!
  took=$((SECONDS - begun))
  kill "$blocker"
  wait "$blocker" 2>/dev/null || true
  query "select pg_terminate_backend(pid) from pg_stat_activity
    where query like '%pg_sleep%' and pid <> pg_backend_pid()" >/dev/null
  expect "the network is lost while the server works, after $took s" 5 "spool"
  order whole
  small_gate
  expect "the gate after that" 0
  kept "$measured"
else
  leave_out network-namespace "a network that is lost without a word: no right to a network namespace"
fi
[ "$(query 'select count(distinct id) from steelyard.runs')" = "$measured" ] || fail "a run is there twice"
echo "runs measured, and in the store once: $measured"
