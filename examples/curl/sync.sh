#!/bin/sh
# sh sync.sh FILE: prints the sessions that have changed since the last run, deleted ones with deleted_at. FILE keeps the cursor.
# When the server says that the cursor is too old, empty your copy, delete FILE and run it again.
set -eu
. "$(dirname "$0")/parlance.sh"

file=${1:?Name the file of the cursor}
touch "$file"
more=true
while [ "$more" = true ]; do
  cursor=$(cat "$file")
  page=$(parlance "$PARLANCE_URL/v1/sessions?order=updated&include=deleted&limit=100${cursor:+&cursor=$cursor}")
  printf '%s\n' "$page"
  more=$(printf '%s' "$page" | sed -n 's/.*"next_cursor":"[^"]*","has_more":\([a-z]*\).*/\1/p')
  # After the page has been printed: a run that is stopped repeats a page, and skips none.
  printf '%s' "$page" | sed -n 's/.*"next_cursor":"\([^"]*\)","has_more".*/\1/p' > "$file"
done
