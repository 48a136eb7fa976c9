"""Prints what has happened since the last run with this token, and acknowledges it."""

from parlance import ask

more = True
while more:
    page, _ = ask("GET", "/v1/events?limit=50")
    for event in page["events"]:
        print(event["created_at"], event["event"], event["data"]["session"]["id"])
    if page["events"]:
        ask("POST", "/v1/events/ack", {"cursor": page["events"][-1]["seq"]})
    more = page["has_more"]
