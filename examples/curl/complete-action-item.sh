#!/bin/sh
# sh complete-action-item.sh SESSION: marks its action items as completed, unless somebody has changed them since they were read.
set -eu
. "$(dirname "$0")/parlance.sh"

session="$PARLANCE_URL/v1/sessions/${1:?Name the id of a session}"
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
items=$(parlance -D "$folder/headers" "$session/action-items")
version=$(tr -d '\r' < "$folder/headers" | sed -n 's/^[Ee][Tt]ag: //p')

# The whole list is sent back, with what changes: items that are left out are removed.
list=$(printf '%s' "$items" | sed -e 's/.*"action_items": *\(\[.*\]\).*/\1/' -e 's/"completed": *false/"completed":true/g')
# From a file: a long list is more than an argument holds.
printf '{"action_items": %s}' "$list" > "$folder/body"
parlance -X PATCH -H "If-Match: $version" -d "@$folder/body" "$session"
