#===- models.py - training of models, sharded and not ---------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""An MLP (of sizes that the devices do not divide), a conv net, a small GPT and an LSTM train 50 steps:
plain, data-parallel, tensor-parallel and with FSDPv2. The losses equal those of torch's CPU and of
PyTorch/XLA's own CPU device."""

import json
import os
import sys

import session

args = session.arguments(__doc__, worker=None, models="mlp,conv,gpt,lstm")
STEPS = 50
MODES = {"plain": ["plain"], "spmd": ["data", "tensor", "fsdp"]}


def mlp(nn):
    return nn.Sequential(nn.Linear(20, 50), nn.ReLU(), nn.Linear(50, 10)), "adamw"


def conv(nn):
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 16, 3), nn.ReLU(),
        nn.Flatten(), nn.Linear(64, 10),
    ), "sgd"  # fmt: skip


def gpt(nn):
    import torch

    class Block(nn.Module):
        def __init__(self, dim, heads):
            super().__init__()
            self.heads = heads
            self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
            self.up_qkv, self.down_out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
            self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

        def forward(self, x):
            b, t, d = x.shape
            q, k, v = self.up_qkv(self.norm1(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.down_out(y.transpose(1, 2).reshape(b, t, d))
            return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

    class Gpt(nn.Module):
        def __init__(self, vocabulary=64, dim=32, length=16):
            super().__init__()
            self.tokens, self.places = nn.Embedding(vocabulary, dim), nn.Embedding(length, dim)
            self.blocks = nn.Sequential(Block(dim, 4), Block(dim, 4))
            self.head = nn.Linear(dim, vocabulary)

        def forward(self, x):
            x = self.tokens(x) + self.places(torch.arange(x.shape[1], device=x.device))
            return self.head(self.blocks(x)).flatten(0, 1)

    return Gpt(), "adamw"


def lstm(nn):
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.head = nn.LSTM(12, 24, batch_first=True), nn.Linear(24, 5)

        def forward(self, x):
            return self.head(self.lstm(x)[0][:, -1])

    return Tagger(), "sgd"


MODELS = {"mlp": mlp, "conv": conv, "gpt": gpt, "lstm": lstm}


def batches(torch, name):
    """Returns the inputs and labels of all steps. The batch of the MLP does not divide."""
    random = torch.Generator().manual_seed(1)
    if name == "gpt":
        text = torch.randint(0, 64, (4, 16, 17), generator=random)
        return [(text[i % 4, :, :-1], text[i % 4, :, 1:].flatten()) for i in range(STEPS)]
    shape, classes = {"mlp": ((12, 20), 10), "conv": ((16, 3, 8, 8), 10), "lstm": ((16, 6, 12), 5)}[name]
    draw = lambda: (torch.randn(shape, generator=random), torch.randint(0, classes, shape[:1], generator=random))
    data = [draw() for _ in range(4)]
    return [data[i % 4] for i in range(STEPS)]


def tensor_spec(name, p):
    """The partition spec of a parameter for tensor parallelism: columns, then rows."""
    rows = any(part in name for part in ("down", "2.weight")) and p.dim() == 2
    return (None, "model") if rows else ("model",) + (None,) * (p.dim() - 1)


def shard(torch, torch_xla, model, mode):
    """Returns the model and a function that shards an input."""
    import numpy as np
    import torch_xla.distributed.spmd as xs

    if mode == "plain":
        return model, lambda x: x
    if mode == "fsdp":
        from torch_xla.experimental.spmd_fully_sharded_data_parallel import SpmdFullyShardedDataParallel

        mesh = xs.Mesh(np.arange(session.DEVICES), (session.DEVICES, 1), ("fsdp", "model"))
        model = SpmdFullyShardedDataParallel(model, mesh=mesh, shard_output=lambda output, mesh: None)
        axis = "fsdp"
    else:
        mesh = xs.Mesh(np.arange(session.DEVICES), (session.DEVICES // 4, 4), ("data", "model"))
        axis = "data"
        if mode == "tensor":
            for name, p in model.named_parameters():
                xs.mark_sharding(p, mesh, tensor_spec(name, p))

    def shard_input(x):
        xs.mark_sharding(x, mesh, (axis,) + (None,) * (x.dim() - 1))
        return x

    return model, shard_input


def train(torch, torch_xla, name, mode, device):
    torch.manual_seed(0)
    model, kind = MODELS[name](torch.nn)
    model = model.to(device)
    shard_input = lambda x: x
    if device == "xla":
        model, shard_input = shard(torch, torch_xla, model, mode)
    optimizer = (
        torch.optim.AdamW(model.parameters(), lr=3e-3)
        if kind == "adamw"
        else torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    )
    losses = []
    for x, y in batches(torch, name):
        x, y = shard_input(x.to(device)), shard_input(y.to(device))
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        if device == "xla":
            torch_xla.sync()
        losses.append(loss.detach())
    return [float(loss.cpu()) for loss in losses]


def work():
    """Prints {model/mode: losses} as JSON, of the modes in `args.worker`, and of torch's CPU as model/torch."""
    torch, torch_xla = session.start(spmd=args.worker == "spmd")
    found = {}
    for name in args.models.split(","):
        for mode in MODES[args.worker]:
            found[f"{name}/{mode}"] = train(torch, torch_xla, name, mode, "xla")
    for name in args.models.split(","):
        found[f"{name}/torch"] = train(torch, torch_xla, name, "plain", "cpu")
    print(json.dumps(found))


def difference(found, expected):
    """The largest difference of two lists of losses, relative to the loss."""
    return max(abs(a - b) / max(1, abs(b)) for a, b in zip(found, expected, strict=True))


def main():
    tally = session.Tally("models")
    for kind, modes in MODES.items():
        ours, error = session.worker("models.py", "SHARDWRIGHT", "--worker", kind, "--models", args.models)
        if not tally.check(f"{kind} on our devices", ours, error):
            continue
        theirs, error = session.worker("models.py", "CPU", "--worker", kind, "--models", args.models)
        tally.check(f"{kind} on PyTorch/XLA's CPU device", theirs, error)
        for name in args.models.split(","):
            for mode in modes:
                losses, reference = ours[f"{name}/{mode}"], ours[f"{name}/torch"]
                worst = difference(losses, reference)
                tally.check(f"{name} {mode} as torch", worst < 2e-4, f"differs by {worst}\n{losses}\n{reference}")
                tally.check(f"{name} {mode} learns", losses[-1] < losses[0], str(losses))
                if theirs:
                    worst = difference(losses, theirs[f"{name}/{mode}"])
                    tally.check(f"{name} {mode} as PyTorch/XLA", worst < 2e-4, f"differs by {worst}\n{losses}")
    tally.finish()


if args.worker:
    work()
else:
    main()
