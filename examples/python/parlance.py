"""The few lines that every example needs: the standard library is enough."""

import json, os, time, urllib.error, urllib.request

URL = os.environ.get("PARLANCE_URL", "http://127.0.0.1:8080")
TOKEN = os.environ["PARLANCE_TOKEN"]


def ask(method, path, body=None, headers={}):
    """Returns the answer's JSON and its headers. Waits as long as the server asks when there were too many requests."""
    request = urllib.request.Request(URL + path, method=method, headers={"Authorization": f"Bearer {TOKEN}", **headers})
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer), answer.headers
    except urllib.error.HTTPError as refusal:
        if refusal.code == 429:
            time.sleep(int(refusal.headers["Retry-After"]))
            return ask(method, path, body, headers)
        raise SystemExit(f"{method} {path}: {json.load(refusal)['error']['message']}")
