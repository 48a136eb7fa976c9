"""The few lines that every example needs: the standard library is enough. What goes wrong ends the program with one sentence."""

import http.client, json, os, signal, sys, time, urllib.error, urllib.request

URL = os.environ.get("PARLANCE_URL", "http://127.0.0.1:8080").rstrip("/")
TOKEN = os.environ.get("PARLANCE_TOKEN") or sys.exit("Set PARLANCE_TOKEN to a token of the server")
signal.signal(signal.SIGINT, signal.SIG_DFL)


def argument(what):
    """The words of the command line, which have to be there."""
    return " ".join(sys.argv[1:]) or sys.exit(f"Usage: python3 {sys.argv[0]} {what}")


class Refusal(SystemExit):
    """Ends the program with the sentence of the server, unless it is caught."""

    def __init__(self, request, status, message, param=None):
        super().__init__(f"{request}: {message}")
        self.status, self.message, self.param = status, message, param


def ask(method, path, body=None, headers={}):
    """Returns the answer's JSON and its headers. A body of bytes is sent as it is, any other as JSON. Waits as long as the server asks when there were too many requests."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **headers}
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    try:
        request = urllib.request.Request(URL + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer), answer.headers
    except urllib.error.HTTPError as refusal:
        if refusal.code == 429:
            time.sleep(int(refusal.headers["Retry-After"]))
            return ask(method, path, body, headers)
        error = error_of(refusal)
        raise Refusal(f"{method} {path}", refusal.code, error["message"], error.get("param")) from None
    except (OSError, ValueError, http.client.HTTPException) as fault:
        sys.exit(f"{URL} does not answer as Parlance does: {fault}")


def error_of(refusal):
    try:
        error = json.load(refusal)["error"]
        return {**error, "message": error["message"]}
    except (ValueError, LookupError, TypeError):
        return {"message": refusal}
