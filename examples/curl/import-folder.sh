#!/bin/sh
# sh import-folder.sh FOLDER: imports the files of a folder and waits until each is processed. The next run imports what is new.
set -eu
. "$(dirname "$0")/parlance.sh"

folder=$(cd -- "${1:?Name the folder}" && pwd)
failed=0
for file in "$folder"/*; do
  [ -f "$file" ] || continue
  name=$(basename "$file")
  # Sent again, by the next run or after a broken connection, a file with the same external_id is not imported twice.
  accepted=$(TYPE=multipart/form-data parlance -F "file=@\"$file\"" --form-string "external_id=$(basename "$folder")/$name" "$PARLANCE_URL/v1/sessions/upload") || {
    printf '%s: refused\n' "$name"
    failed=1
    continue
  }
  id=$(printf '%s' "$accepted" | sed -n 's/^{"id":"\([^"]*\)".*/\1/p')
  session=$(parlance "$PARLANCE_URL/v1/sessions/$id")
  while printf '%s' "$session" | grep -q '"status":"processing"'; do
    sleep 1
    session=$(parlance "$PARLANCE_URL/v1/sessions/$id")
  done
  reason=$(printf '%s' "$session" | sed -n 's/.*"failure_reason":"\([^"]*\)".*/\1/p')
  [ -z "$reason" ] || failed=1
  printf '%s: %s\n' "$name" "${reason:-completed}"
done
exit "$failed"
