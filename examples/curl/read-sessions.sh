#!/bin/sh
# Prints the newest sessions, then the first one whole: summary, action items, tags.
set -eu

parlance() { curl -fsS -H "Authorization: Bearer $PARLANCE_TOKEN" "$@"; }

sessions=$(parlance "$PARLANCE_URL/v1/sessions?limit=5")
echo "$sessions"

id=$(echo "$sessions" | grep -o 'ses_[0-9a-z]*' | head -n 1)
parlance "$PARLANCE_URL/v1/sessions/$id"
