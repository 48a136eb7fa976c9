#!/bin/sh
# sh add-webhook.sh URL: adds a webhook and sends a test to it. Its secret is in the first answer, and never shown again.
set -eu
. "$(dirname "$0")/parlance.sh"

webhook=$(parlance -d "{\"url\": \"${1:?Name the URL of the webhook}\", \"events\": [\"session.completed\"]}" "$PARLANCE_URL/v1/webhooks")
printf '%s\n' "$webhook"

id=$(printf '%s' "$webhook" | grep -o 'whk_[0-9a-z]*' | head -n 1)
parlance -X POST -d '{}' "$PARLANCE_URL/v1/webhooks/$id/test"
