"""Keeps a copy of every session in a file: python3 sync.py FILE. The next run goes on where this one ended."""

import json, os
from urllib.parse import urlencode
from parlance import Refusal, argument, ask

path = argument("FILE")
copy = {"cursor": None, "sessions": {}}
if os.path.exists(path):
    with open(path) as file:
        copy = json.load(file)

more = True
while more:
    query = {"order": "updated", "include": "deleted", "limit": 100, **({"cursor": copy["cursor"]} if copy["cursor"] else {})}
    try:
        page, _ = ask("GET", "/v1/sessions?" + urlencode(query))
    except Refusal as refusal:
        if refusal.param != "cursor":
            raise
        # The server no longer knows every deletion since then.
        copy = {"cursor": None, "sessions": {}}
        continue
    for session in page["sessions"]:
        if "deleted_at" in session:
            copy["sessions"].pop(session["id"], None)
        else:
            copy["sessions"][session["id"]] = session
    copy["cursor"], more = page["next_cursor"], page["has_more"]
    # Rows and cursor are written together: a run that is stopped repeats a page, and skips none.
    with open(path + ".new", "w") as file:
        json.dump(copy, file)
    os.replace(path + ".new", path)
print(len(copy["sessions"]), "sessions")
