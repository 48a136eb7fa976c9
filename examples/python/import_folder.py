"""Imports the files of a folder and waits until each is processed: python3 import_folder.py FOLDER. The next run imports what is new."""

import sys, time
from pathlib import Path
from urllib.parse import urlencode
from parlance import Refusal, argument, ask

folder = Path(argument("FOLDER")).resolve()
accepted, failed = {}, False


def uploads(file):
    """The requests for a file: its name and bytes, or those of each document if it has one a line."""
    if file.suffix != ".jsonl":
        return [(file.name, file.name, file.read_bytes())]
    lines = file.read_bytes().splitlines()
    return [(f"{file.name}:{number}", f"{file.stem}.json", line) for number, line in enumerate(lines, 1) if line.strip()]


for name, sent_as, content in (upload for file in sorted(folder.iterdir()) if file.is_file() for upload in uploads(file)):
    # Sent again, by the next run or after a broken connection, a file with the same external_id is not imported twice.
    query = urlencode({"file": sent_as, "external_id": f"{folder.name}/{name}"})
    try:
        session, _ = ask("POST", f"/v1/sessions/upload?{query}", content, {"Content-Type": "application/octet-stream"})
        accepted[session["id"]] = name
    except Refusal as refusal:
        # A file that cannot be read does not hold up the others.
        if refusal.status not in (400, 413):
            raise
        failed = True
        print(f"{name}: refused: {refusal.message}")

for id, name in accepted.items():
    while (session := ask("GET", f"/v1/sessions/{id}")[0])["status"] == "processing":
        time.sleep(1)
    failed = failed or session["status"] == "failed"
    print(f"{name}: {session['status']}" + (f": {session['failure_reason']}" if session["failure_reason"] else ""))
sys.exit(failed)
