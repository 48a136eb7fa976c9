#!/usr/bin/env bash
# Proves that a backup of a running server can be restored, beside it and without touching it:
#
#   DATABASE_URL=postgres://… SECRET_KEY=… DATA_DIR=… TOKEN=… ops/backup-drill.sh
#
# Takes a backup with pg_dump, restores it into a database of its own on the same PostgreSQL, starts a server on that on
# free ports, runs `parlance doctor`, and reads with TOKEN, over HTTP, what its owner has: sessions, transcripts, recordings
# and the feed, to which it adds an event in the copy. Prints what it found as one line of JSON, and removes the copy again.
#
# The role of DATABASE_URL must be allowed to create databases, and the extension vector in them. Where it may not create the
# extension, a superuser puts it into template1 once. TOKEN needs sessions:read, sessions:write and events:read.
# The copy sends no webhooks, mails or traces, and asks no provider of models. It only reads the bucket of MEDIA_URL.
# KEEP_DUMP=FILE keeps the backup.
set -euo pipefail

: "${DATABASE_URL:?name the PostgreSQL of the running server}" "${SECRET_KEY:?as the running server has it}"
: "${TOKEN:?a token of somebody who has conversations}"
DATA_DIR=${DATA_DIR:-./data}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Node 24 comes with `npm ci`; the system's may be older.
PATH="$root/node_modules/.bin:$PATH"
work=$(mktemp -d)
copy=parlance_drill_$$_$RANDOM
server=

say() { echo "drill: $*" >&2; }

finish() {
  local code=$?
  trap - EXIT
  if [ -n "$server" ]; then
    kill "$server" 2> /dev/null || true
    wait "$server" 2> /dev/null || true
  fi
  [ "$code" = 0 ] || { [ -f "$work/log" ] && tail -n 20 "$work/log" >&2; }
  psql -q "$DATABASE_URL" -c "drop database if exists $copy with (force)" > /dev/null || true
  rm -rf "$work"
  [ "$code" = 0 ] || say "failed with exit code $code"
  exit "$code"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

parlance() { node --liftoff-only "$root/src/cli.ts" "$@"; }
free_port() { node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'; }

started=$SECONDS
pg_dump --format=custom --file="$work/database.dump" "$DATABASE_URL"
[ -z "${KEEP_DUMP:-}" ] || cp "$work/database.dump" "$KEEP_DUMP"
say "backup taken, $(du -h "$work/database.dump" | cut -f1), $((SECONDS - started)) s"

# Recordings after the database: whatever it names is there then.
mkdir -p -m 700 "$work/data"
[ -n "${MEDIA_URL:-}" ] || [ ! -d "$DATA_DIR/media" ] || cp -a "$DATA_DIR/media" "$work/data/media"
[ ! -f "$DATA_DIR/deletions.jsonl" ] || cp "$DATA_DIR/deletions.jsonl" "$work/data/"

started=$SECONDS
psql -q "$DATABASE_URL" -c "create database $copy"
url=$(node -p 'const url = new URL(process.argv[1]); url.pathname = `/${process.argv[2]}`; url.href' "$DATABASE_URL" "$copy")
psql -q "$url" -c 'create extension if not exists vector' 2> "$work/log" ||
  { say "run as a superuser, once: psql -d template1 -c 'create extension vector'"; exit 1; }
pg_restore --no-owner --no-comments --exit-on-error --dbname="$url" "$work/database.dump"
# As after every restore: a dump has no statistics, by which PostgreSQL plans statements.
psql -q "$url" -c analyze
# What the running server has to do must not be done twice: no delivery, no mail, no job of the backup. A server would enqueue sessions that
# are processing again.
psql -q "$url" -c 'update webhooks set active = false' -c "update sessions set state = 'failed' where state = 'processing'" \
  -c "delete from pgboss.job where state < 'completed'"
unset DATABASE_REPLICA_URL OPENAI_API_KEY TRANSCRIPTION_MODEL EMBEDDING_BASE_URL SMTP_URL OTEL_EXPORTER_OTLP_ENDPOINT
say "restored into $copy, $((SECONDS - started)) s"

started=$SECONDS
port=$(free_port)
admin=$(free_port)
settings=(DATABASE_URL="$url" DATA_DIR="$work/data" HOST=127.0.0.1 PORT="$port" ADMIN_HOST=127.0.0.1 ADMIN_PORT="$admin"
  PUBLIC_URL="http://127.0.0.1:$port" RATE_LIMIT_PER_MINUTE=1000000 RATE_LIMIT_PER_DAY=1000000 EMBEDDING_MODEL=none LOG_LEVEL=warn)
env "${settings[@]}" node --liftoff-only "$root/src/server/main.ts" > "$work/log" 2>&1 &
server=$!
node "$root/ops/await-ready.ts" "http://127.0.0.1:$admin/readyz" "$server"
say "a server is ready on it, $((SECONDS - started)) s"

(export "${settings[@]}" && parlance doctor --json) > "$work/doctor" || { cat "$work/doctor" >&2; exit 1; }
TOKEN=$TOKEN node "$root/ops/check-restored.ts" "http://127.0.0.1:$port"
