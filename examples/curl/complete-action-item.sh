#!/bin/sh
# complete-action-item.sh SESSION: marks its action items as completed, unless somebody has changed them since they were read.
set -eu

items="$PARLANCE_URL/v1/sessions/$1/action-items"
auth="Authorization: Bearer $PARLANCE_TOKEN"

answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
version=$(curl -fsS -H "$auth" -D - -o "$answer" "$items" | tr -d '\r' | sed -n 's/^etag: //Ip')

# The whole list is sent back, with what changes: items that are left out are removed.
list=$(sed -e 's/.*"action_items": *\(\[.*\]\).*/\1/' -e 's/"completed": *false/"completed":true/g' "$answer")
curl -fsS -X PATCH -H "$auth" -H 'Content-Type: application/json' -H "If-Match: $version" \
  -d "{\"action_items\": $list}" "$PARLANCE_URL/v1/sessions/$1"
