"""Marks the first open action item as completed: python3 complete_action_item.py SESSION."""

from parlance import argument, ask

session = f"/v1/sessions/{argument('SESSION')}"
read, headers = ask("GET", f"{session}/action-items")
done = next((item for item in read["action_items"] if not item["completed"]), None)
if done:
    # The whole list is sent back: items that are left out are removed. If-Match refuses when somebody has changed it since.
    items = [{**item, "completed": item["completed"] or item is done} for item in read["action_items"]]
    ask("PATCH", session, {"action_items": items}, {"If-Match": headers["ETag"]})
    print("[x]", done["text"])
