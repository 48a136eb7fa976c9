#!/bin/sh
# sh follow-events.sh: prints what has happened since the last run with this token, and acknowledges it.
set -eu
. "$(dirname "$0")/parlance.sh"

while :; do
  page=$(parlance "$PARLANCE_URL/v1/events?limit=50")
  # Within the text of a session the quotes would have backslashes.
  last=$(printf '%s' "$page" | sed -n 's/.*"next_cursor":\([0-9]*\),"has_more".*/\1/p')
  [ -n "$last" ] || break
  printf '%s\n' "$page"
  parlance -d "{\"cursor\": $last}" "$PARLANCE_URL/v1/events/ack"
done
