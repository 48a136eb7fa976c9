"""Prints where in which session the question is answered: python3 search.py why the launch slipped."""

from parlance import argument, ask

found, _ = ask("POST", "/v1/sessions/search", {"query": argument("QUERY"), "limit": 3, "include_passages": True})
for result in found["results"]:
    print(result["title"])
    print("  " + result["snippet"])
    for passage in result["passages"]:
        if passage["start"] is not None:
            print(f"  at {passage['start']:.0f} s, {passage['speaker']}")
