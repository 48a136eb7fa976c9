"""Prints every session, newest first, with its open action items."""

from urllib.parse import urlencode
from parlance import ask

page = {"limit": 50}
while page:
    listed, _ = ask("GET", "/v1/sessions?" + urlencode(page))
    for session in listed["sessions"]:
        detail, _ = ask("GET", f"/v1/sessions/{session['id']}")
        print(session["timestamp"] or "undated", session["title"])
        for item in detail["action_items"]:
            if not item["completed"]:
                print("  [ ]", item["text"])
    page = listed["has_more"] and {"limit": 50, "cursor": listed["next_cursor"]}
