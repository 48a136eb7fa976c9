"""Takes webhooks on RECEIVER_PORT (3000), signed with WEBHOOK_SECRET, each event once."""

import hashlib, hmac, json, os, signal, sys, time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = (os.environ.get("WEBHOOK_SECRET") or sys.exit("Set WEBHOOK_SECRET to the secret of the webhook")).encode()
PORT = os.environ.get("RECEIVER_PORT", "3000")
signal.signal(signal.SIGINT, signal.SIG_DFL)
seen = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.is_genuine(body):
            return self.answer(401)
        # The answer first: what takes longer than 15 seconds counts as failed and comes again.
        self.answer(204)
        event = json.loads(body)
        if event["id"] not in seen:
            seen.add(event["id"])
            print(event["event"], event["data"]["session"]["id"], event["data"]["session"]["title"], flush=True)

    def is_genuine(self, body):
        message_id, timestamp, signature = (self.headers.get(f"X-Svc-Webhook-{name}", "") for name in ("Id", "Timestamp", "Signature"))
        if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
            return False
        expected = hmac.new(SECRET, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
        return hmac.compare_digest(expected.encode(), signature.encode())

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


try:
    server = HTTPServer(("127.0.0.1", int(PORT)), Receiver)
    print(f"Waiting for webhooks at http://127.0.0.1:{PORT}", flush=True)
    server.serve_forever()
except (OSError, ValueError, OverflowError) as fault:
    sys.exit(f"The receiver cannot listen on port {PORT}: {fault}")
