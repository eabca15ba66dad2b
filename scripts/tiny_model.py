"""Writes a llama model with random weights in GGUF, a few megabytes of nonsense that a real llama.cpp server can load.

Its vocabulary are the 256 bytes and what llama.cpp needs beside them. With a grammar it writes what the grammar allows,
whatever its weights are: that is what the tests of the protocol ask of it.
"""

import sys

import gguf
import numpy

EMBEDDING = 64
HEADS = 4
LAYERS = 2
FEED_FORWARD = 128
CONTEXT = 8192
SPECIAL = ["<unk>", "<s>", "</s>"]


def main(path):
    random = numpy.random.default_rng(0)
    tokens = [token.encode() for token in SPECIAL] + [f"<0x{byte:02X}>".encode() for byte in range(256)]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL] + [gguf.TokenType.BYTE] * 256
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("random")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(EMBEDDING)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(EMBEDDING // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_space_prefix(False)  # else the server does not find its own prompt at the start of its grammar

    def weights(name, *shape):
        writer.add_tensor(name, random.normal(0, 0.05, shape).astype(numpy.float32))

    weights("token_embd.weight", len(tokens), EMBEDDING)
    weights("output.weight", len(tokens), EMBEDDING)
    writer.add_tensor("output_norm.weight", numpy.ones(EMBEDDING, numpy.float32))
    for layer in range(LAYERS):
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{name}.weight", numpy.ones(EMBEDDING, numpy.float32))
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            weights(f"blk.{layer}.{name}.weight", EMBEDDING, EMBEDDING)
        weights(f"blk.{layer}.ffn_gate.weight", FEED_FORWARD, EMBEDDING)
        weights(f"blk.{layer}.ffn_up.weight", FEED_FORWARD, EMBEDDING)
        weights(f"blk.{layer}.ffn_down.weight", EMBEDDING, FEED_FORWARD)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main(sys.argv[1])
