"""Writes small random T5 models and the logits that Hugging Face transformers computes with them.

Usage: python make_reference.py [DIR]   (default: the folder `reference` beside this file)

Needs torch, transformers 5, safetensors and numpy; the files in the repository were written with the versions in
`reference/versions.json`. Each model is a directory with `config.json`, weights, and `expected.safetensors`:

    ids          I32 [rows, width], padded on the right
    lengths      I32 [rows]
    decoder_ids  I32 [rows, steps]
    logits       F32 [rows, steps, vocabulary]

`codet5/` is a directory with the files that CodeT5 was published with, small and untrained: tokenizer files of
`RobertaTokenizer`, an old configuration, weights as a stream of pickles. `tokens.json` in it holds token numbers.

`buckets.json` holds `T5Attention._relative_position_bucket` of some configurations, for each distance.
"""

import json
import pathlib
import shutil
import sys

import numpy
import safetensors
import torch
import transformers
from safetensors.torch import save_file
from tokenizers import ByteLevelBPETokenizer
from transformers import RobertaTokenizer, T5Config, T5ForConditionalGeneration
from transformers.models.t5.modeling_t5 import T5Attention

SEED = 20_260_101
# More than the bucket's exact distances in each direction, and beyond the maximal distance.
WIDTH, STEPS = 210, 44

# name: (configuration, tied head, format of the weights)
MODELS = {
    "relu-tied": ({"feed_forward_proj": "relu", "num_layers": 2, "num_decoder_layers": 1}, True, "safetensors"),
    "relu-untied": ({"feed_forward_proj": "relu", "num_layers": 1, "num_decoder_layers": 2}, False, "safetensors"),
    "gated-tied": ({"feed_forward_proj": "gated-gelu", "num_layers": 1, "num_decoder_layers": 1}, True, "zip"),
    "gated-untied": (
        {"feed_forward_proj": "gated-gelu", "num_layers": 2, "num_decoder_layers": 1, "num_heads": 3, "d_kv": 4},
        False,
        "safetensors",
    ),
    "old-tied": ({"feed_forward_proj": "relu", "num_layers": 1, "num_decoder_layers": 1}, True, "legacy"),
    "half-untied": ({"feed_forward_proj": "gated-gelu", "num_layers": 1, "num_decoder_layers": 1}, False, "bfloat16"),
}
COMMON = {
    "vocab_size": 64,
    "d_model": 16,
    "d_kv": 5,
    "d_ff": 24,
    "num_heads": 4,
    "relative_attention_num_buckets": 16,
    "relative_attention_max_distance": 40,
    "pad_token_id": 0,
    "eos_token_id": 2,
    "decoder_start_token_id": 0,
}
# What the tokenizer of `codet5` learns from.
TEXTS = [
    "def area(shape):\n    return shape.width * shape.height\n",
    "for name in names:\n    print(name, end='')\n",
    "class Reader(Base):\n    def __init__(self, path=None):\n        self.path = path or '.'\n",
]


def build(settings: dict, tied: bool) -> T5ForConditionalGeneration:
    """A model whose weights are large enough that every part shows in the logits."""
    config = T5Config(**{**COMMON, **settings}, tie_word_embeddings=tied)
    model = T5ForConditionalGeneration(config).eval()
    if not tied:
        model.lm_head.weight = torch.nn.Parameter(torch.empty_like(model.shared.weight))
    with torch.no_grad():
        for name, tensor in sorted(model.named_parameters()):
            if "layer_norm" in name:
                tensor.uniform_(0.5, 1.5)
            elif "relative_attention_bias" in name:
                tensor.normal_(std=1.0)
            elif tensor is model.shared.weight or name.startswith("lm_head"):
                tensor.normal_(std=1.0)
            else:
                tensor.normal_(std=tensor.shape[1] ** -0.5)
    return model


def old_keys(config: dict, tied: bool) -> dict:
    """A configuration as transformers 4 wrote it."""
    config = {key: value for key, value in config.items() if key not in ("scale_decoder_outputs", "dtype")}
    return {**config, "tie_word_embeddings": tied, "transformers_version": "4.8.2"}


def write(folder: pathlib.Path, model: T5ForConditionalGeneration, tied: bool, form: str) -> None:
    if form == "bfloat16":
        model.to(torch.bfloat16).save_pretrained(folder)
        model.to(torch.float32)
    else:
        model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    if form in ("zip", "legacy"):
        (folder / "model.safetensors").unlink()
        # All names of shared tensors, as published files have them.
        torch.save(model.state_dict(), folder / "pytorch_model.bin", _use_new_zipfile_serialization=form == "zip")
        path = folder / "config.json"
        path.write_text(json.dumps(old_keys(json.loads(path.read_text()), tied), indent=2) + "\n")


def expect(model: T5ForConditionalGeneration) -> dict:
    vocabulary = model.config.vocab_size
    lengths = torch.tensor([WIDTH, 1, 77])
    ids = torch.randint(3, vocabulary, (len(lengths), WIDTH))
    mask = (torch.arange(WIDTH)[None] < lengths[:, None]).long()
    ids = ids * mask
    decoder_ids = torch.randint(3, vocabulary, (len(lengths), STEPS))
    decoder_ids[:, 0] = model.config.decoder_start_token_id
    with torch.no_grad():
        output = model(
            input_ids=ids,
            attention_mask=mask,
            decoder_input_ids=decoder_ids,
            decoder_attention_mask=torch.ones_like(decoder_ids),
            use_cache=False,
        )
    return {
        "ids": ids.to(torch.int32),
        "lengths": lengths.to(torch.int32),
        "decoder_ids": decoder_ids.to(torch.int32),
        "logits": output.logits.contiguous(),
    }


def codet5(folder: pathlib.Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    trained = ByteLevelBPETokenizer(add_prefix_space=False)
    named = ["<pad>", "<s>", "</s>", "<unk>", "<mask>"]
    trained.train_from_iterator(TEXTS * 30, vocab_size=400, min_frequency=2, special_tokens=named)
    trained.save_model(str(folder))
    special = {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "sep_token": "</s>",
        "cls_token": "<s>",
        "pad_token": "<pad>",
        "mask_token": {"content": "<mask>", "lstrip": True, "normalized": True, "rstrip": False, "single_word": False},
        "additional_special_tokens": [f"<extra_id_{number}>" for number in range(99, -1, -1)],
    }
    settings = {**special, "add_prefix_space": False, "tokenizer_class": "RobertaTokenizer"}
    for name, value in [
        ("added_tokens.json", {}),
        ("special_tokens_map.json", special),
        ("tokenizer_config.json", settings),
    ]:
        (folder / name).write_text(json.dumps(value) + "\n")
    tokenizer = RobertaTokenizer.from_pretrained(folder)
    sizes = {"vocab_size": len(tokenizer), "d_model": 16, "d_kv": 4, "d_ff": 32, "num_heads": 4, "num_layers": 2}
    config = T5Config(**sizes, feed_forward_proj="relu", decoder_start_token_id=0, eos_token_id=2, n_positions=512)
    write(folder, T5ForConditionalGeneration(config).eval(), True, "legacy")
    asked = [*TEXTS, "\u00e9t\u00e9 = f(g(x))[0]\t# \u4e2d\u6587 \U0001f40d\r\n", "a  b\n\n\n    c", "x" * 300]
    tokens = [{"text": text, "ids": tokenizer(text, add_special_tokens=False)["input_ids"]} for text in asked]
    extra = tokenizer.convert_tokens_to_ids([f"<extra_id_{number}>" for number in range(100)])
    (folder / "tokens.json").write_text(json.dumps({"texts": tokens, "extra": extra}) + "\n")


def buckets() -> list:
    distances = torch.arange(-600, 601)
    cases = [(32, 128), (16, 40), (64, 256), (8, 20), (32, 1000)]
    return [
        {
            "buckets": count,
            "max_distance": far,
            "bidirectional": both,
            "from": -600,
            "expected": T5Attention._relative_position_bucket(distances, both, count, far).tolist(),
        }
        for count, far in cases
        for both in (True, False)
    ]


def main() -> None:
    default = pathlib.Path(__file__).parent / "reference"
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    target.mkdir(parents=True, exist_ok=True)
    for number, (name, (settings, tied, form)) in enumerate(MODELS.items()):
        torch.manual_seed(SEED + number)
        model = build(settings, tied)
        folder = target / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        write(folder, model, tied, form)
        # What counts is the model as transformers reads it back.
        again = T5ForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
        torch.manual_seed(SEED - number)
        expected = expect(again)
        if form != "bfloat16":
            torch.manual_seed(SEED - number)
            difference = (expect(model)["logits"] - expected["logits"]).abs().max().item()
            assert difference < 1e-5, f"{name}: reading back changes the logits by {difference}"
        save_file(expected, folder / "expected.safetensors")
        print(f"{name}: logits up to {expected['logits'].abs().max():.2f}")
    torch.manual_seed(SEED)
    codet5(target / "codet5")
    (target / "buckets.json").write_text(json.dumps(buckets(), separators=(",", ":")) + "\n")
    modules = (torch, transformers, safetensors, numpy)
    versions = {module.__name__: module.__version__.split("+")[0] for module in modules}
    (target / "versions.json").write_text(json.dumps(versions, indent=2) + "\n")


if __name__ == "__main__":
    main()
