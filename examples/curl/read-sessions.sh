#!/bin/sh
# sh read-sessions.sh: prints the newest sessions, then the first one whole: summary, action items, tags.
set -eu
. "$(dirname "$0")/parlance.sh"

sessions=$(parlance "$PARLANCE_URL/v1/sessions?limit=5")
printf '%s\n' "$sessions"

id=$(printf '%s' "$sessions" | grep -o 'ses_[0-9a-z]*' | head -n 1)
parlance "$PARLANCE_URL/v1/sessions/$id"
