#!/bin/sh
# add-webhook.sh URL: makes a webhook and sends a test to it. Its secret is in the first answer, and never shown again.
set -eu

parlance() { curl -fsS -H "Authorization: Bearer $PARLANCE_TOKEN" -H 'Content-Type: application/json' "$@"; }

webhook=$(parlance -d "{\"url\": \"$1\", \"events\": [\"session.completed\"]}" "$PARLANCE_URL/v1/webhooks")
echo "$webhook"

id=$(echo "$webhook" | grep -o 'whk_[0-9a-z]*' | head -n 1)
parlance -X POST -d '{}' "$PARLANCE_URL/v1/webhooks/$id/test"
