#!/bin/sh
# search.sh QUERY: the sessions that answer it, with the moments to jump to. A query with quotes needs a JSON encoder.
set -eu

curl -fsS -H "Authorization: Bearer $PARLANCE_TOKEN" -H 'Content-Type: application/json' \
  -d "{\"query\": \"$1\", \"limit\": 3, \"include_passages\": true}" "$PARLANCE_URL/v1/sessions/search"
