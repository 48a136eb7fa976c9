#!/bin/sh
# sh import-folder.sh FOLDER: imports the files of a folder and waits until each is processed. The next run imports what is new.
set -eu
. "$(dirname "$0")/parlance.sh"

folder=$(cd -- "${1:?Name the folder}" && pwd)
failed=0
document=$(mktemp)
trap 'rm -f "$document"' EXIT

# import_file NAME FILE SENT_AS
import_file() {
  # Sent again, by the next run or after a broken connection, a file with the same external_id is not imported twice.
  accepted=$(TYPE=multipart/form-data parlance -F "file=@\"$2\";filename=\"$3\"" --form-string "external_id=$(basename "$folder")/$1" "$PARLANCE_URL/v1/sessions/upload") || {
    printf '%s: refused\n' "$1"
    failed=1
    return
  }
  id=$(printf '%s' "$accepted" | sed -n 's/^{"id":"\([^"]*\)".*/\1/p')
  session=$(parlance "$PARLANCE_URL/v1/sessions/$id")
  while printf '%s' "$session" | grep -q '"status":"processing"'; do
    sleep 1
    session=$(parlance "$PARLANCE_URL/v1/sessions/$id")
  done
  reason=$(printf '%s' "$session" | sed -n 's/.*"failure_reason":"\([^"]*\)".*/\1/p')
  [ -z "$reason" ] || failed=1
  printf '%s: %s\n' "$1" "${reason:-completed}"
}

for file in "$folder"/*; do
  [ -f "$file" ] || continue
  name=$(basename "$file")
  case $name in
  *.jsonl)
    # One document a line.
    number=0
    while IFS= read -r line || [ -n "$line" ]; do
      number=$((number + 1))
      printf '%s\n' "$line" > "$document"
      [ -z "$line" ] || import_file "$name:$number" "$document" "${name%l}"
    done < "$file"
    ;;
  *) import_file "$name" "$file" "$name" ;;
  esac
done
exit "$failed"
