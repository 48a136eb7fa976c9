#!/bin/sh
# Prints what has happened since the last run with this token, and acknowledges it.
set -eu

parlance() { curl -fsS -H "Authorization: Bearer $PARLANCE_TOKEN" "$@"; }

while :; do
  page=$(parlance "$PARLANCE_URL/v1/events?limit=50")
  last=$(echo "$page" | grep -o '"seq":[0-9]*' | tail -n 1 | cut -d : -f 2)
  [ -n "$last" ] || break
  echo "$page"
  parlance -H 'Content-Type: application/json' -d "{\"cursor\": $last}" "$PARLANCE_URL/v1/events/ack"
done
