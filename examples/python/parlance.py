"""The few lines that every example needs: the standard library is enough. What goes wrong ends the program with one sentence."""

import http.client, json, os, signal, sys, time, urllib.error, urllib.request

URL = os.environ.get("PARLANCE_URL", "http://127.0.0.1:8080")
TOKEN = os.environ.get("PARLANCE_TOKEN") or sys.exit("Set PARLANCE_TOKEN to a token of the server")
signal.signal(signal.SIGINT, signal.SIG_DFL)


def argument(what):
    """The words of the command line, which have to be there."""
    return " ".join(sys.argv[1:]) or sys.exit(f"Usage: python3 {sys.argv[0]} {what}")


def ask(method, path, body=None, headers={}):
    """Returns the answer's JSON and its headers. Waits as long as the server asks when there were too many requests."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **headers}
    data = None if body is None else json.dumps(body).encode()
    try:
        request = urllib.request.Request(URL + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer), answer.headers
    except urllib.error.HTTPError as refusal:
        if refusal.code == 429:
            time.sleep(int(refusal.headers["Retry-After"]))
            return ask(method, path, body, headers)
        sys.exit(f"{method} {path}: {sentence_of(refusal)}")
    except (OSError, ValueError, http.client.HTTPException) as fault:
        sys.exit(f"{URL} does not answer as Parlance does: {fault}")


def sentence_of(refusal):
    try:
        return json.load(refusal)["error"]["message"]
    except (ValueError, LookupError, TypeError):
        return refusal
