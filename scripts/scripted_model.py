"""A server of OpenAI's protocol of chat completions on the loopback interface, whose answers a script gives."""

import contextlib
import http.server
import json
import threading


class Server(http.server.ThreadingHTTPServer):
    """Answers each request with what `answer` makes of its body: a text, or an HTTP status."""

    daemon_threads = True

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer

    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        answer = self.server.answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        status = 200
        if isinstance(answer, int):
            status, document = answer, {"error": {"message": "scripted"}}
        else:
            message = {"role": "assistant", "content": answer}
            document = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
        data = json.dumps(document).encode()
        # The client may have gone.
        with contextlib.suppress(ConnectionError):
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(answer):
    """The base address of a running server."""
    with Server(answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.url()
        finally:
            server.shutdown()
            thread.join()


def question_of(body):
    """Text of the last message of a request."""
    return body["messages"][-1]["content"]
