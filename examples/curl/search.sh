#!/bin/sh
# sh search.sh QUERY: the sessions that answer it, with the moments to jump to. A query with quotes needs a JSON encoder.
set -eu
. "$(dirname "$0")/parlance.sh"

parlance -d "{\"query\": \"${1:?Name a query}\", \"limit\": 3, \"include_passages\": true}" "$PARLANCE_URL/v1/sessions/search"
