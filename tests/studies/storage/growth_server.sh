#!/usr/bin/env bash
# A server for `generate` and `growth`, on a Unix socket in FOLDER alone, set up as a small machine of its own would be.
#
#     growth_server.sh start FOLDER     makes it where there is none; prints its address
#     growth_server.sh stop FOLDER
#
# As root the server runs as user postgres, who must reach FOLDER. Rows are written without a log where their table is
# new (wal_level=minimal): a store that is filled in one go needs none.
set -euo pipefail
action=$1 folder=$2
programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
as_server() { if [ "$(id -u)" = 0 ]; then su postgres -s /bin/bash -c "$1"; else bash -c "$1"; fi; }
case $action in
  start)
    if [ ! -f "$folder/data/PG_VERSION" ]; then
      mkdir -p "$folder"
      [ "$(id -u)" != 0 ] || chown postgres "$folder"
      as_server "'$programs/initdb' --pgdata '$folder/data' --auth trust --encoding UTF8 --locale C.UTF-8 --no-sync \
        >'$folder/initdb.log'"
      cat >>"$folder/data/postgresql.conf" <<SETTINGS
listen_addresses = ''
unix_socket_directories = '$folder'
shared_buffers = 4GB
effective_cache_size = 16GB
maintenance_work_mem = 1GB
max_wal_size = 8GB
wal_level = minimal
max_wal_senders = 0
jit = off
SETTINGS
    fi
    as_server "'$programs/pg_ctl' --pgdata '$folder/data' --log '$folder/server.log' --wait --timeout 120 start \
      >/dev/null"
    as_server "'$programs/createdb' --host '$folder' steelyard 2>/dev/null || true"
    echo "postgresql://postgres@/steelyard?host=$folder"
    ;;
  stop) as_server "'$programs/pg_ctl' --pgdata '$folder/data' --wait --timeout 300 --mode fast stop" ;;
  *) echo "growth_server.sh start|stop FOLDER" >&2; exit 3 ;;
esac
