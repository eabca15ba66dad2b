"""A real llama.cpp server on the loopback interface, for tests: `llama_server.py MODEL PORT` serves a GGUF file until it
is killed. The server is that of llama.cpp itself, which the package xllamacpp has compiled in."""

import signal
import sys

import xllamacpp

CONTEXT = 8192


def main(model, port):
    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    parameters.warmup = False
    parameters.chat_template = "chatml"
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    signal.pause()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
