"""What all sides of a benchmark that are processes share: requests on stdin, answers on stdout, as onnxruntime_peer.py has them."""

import json
import os
import sys


def serve(requests):
    """`requests`: by name what answers one, a function of its object."""
    # What libraries print goes elsewhere.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = requests[request["do"]](request)
        except Exception as error:  # pylint: disable=broad-except
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)
