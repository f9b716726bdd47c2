#===- capture.py - programs of PyTorch/XLA for tests without it ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Writes the programs of small training steps and functions to test/end_to_end/Inputs/torch_xla, where
test/end_to_end/gspmd.py replays them without PyTorch: with their shardings and without. `capture.py NAME`
writes one."""

import os
import re
import sys
import tempfile

FOLDER = tempfile.mkdtemp()
os.environ["SHARDWRIGHT_SAVE_PROGRAMS"] = FOLDER
# test/oracle/hlo_programs.py makes protos of these programs.
os.environ["XLA_STABLEHLO_COMPILE"] = "1"
wanted = sys.argv[1:]
import session

torch, torch_xla = session.start(spmd=True)
import numpy as np
import torch_xla.distributed.spmd as xs
from torch import nn

TARGET = os.path.join(session.ROOT, "test", "end_to_end", "Inputs", "torch_xla")
GRID = xs.Mesh(np.arange(session.DEVICES), (2, 4), ("data", "model"))
PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def sharded(tensor, *spec):
    moved = tensor.to("xla")
    xs.mark_sharding(moved, GRID, spec)
    return moved


def step(model, x, y, specs, optimizer):
    """One training step. `specs`: the sharding of parameters by name."""
    model = model.to("xla")
    for name, p in model.named_parameters():
        if name in specs:
            xs.mark_sharding(p, GRID, specs[name])
    optimizer = optimizer(model.parameters())
    torch_xla.sync()
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    torch_xla.sync()
    return loss.item()


@program
def train_conv():
    model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 5))
    x, y = torch.randn(6, 3, 6, 6), torch.randint(0, 5, (6,))
    spec = ("data", None, "model", None)  # the batch divides, the rows do not
    step(model, sharded(x, *spec), sharded(y, "data"), {}, lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, foreach=False))


@program
def train_attention():
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.qkv, self.head = nn.Embedding(20, 8), nn.Linear(8, 24), nn.Linear(8, 20)

        def forward(self, x):
            b, t = x.shape
            q, k, v = self.qkv(self.tokens(x)).view(b, t, 3, 2, 4).permute(2, 0, 3, 1, 4)
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.head(y.transpose(1, 2).reshape(b, t, 8)).flatten(0, 1)

    x, y = torch.randint(0, 20, (4, 6)), torch.randint(0, 20, (24,))
    specs = {"qkv.weight": ("model", None), "head.weight": (None, "model"), "tokens.weight": ("model", None)}
    step(Attention(), sharded(x, "data", None), sharded(y, "data"), specs, lambda p: torch.optim.SGD(p, 0.1, foreach=False))


@program
def train_lstm():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.head = nn.LSTM(4, 6, batch_first=True), nn.Linear(6, 3)

        def forward(self, x):
            return self.head(self.lstm(x)[0][:, -1])

    x, y = torch.randn(10, 3, 4), torch.randint(0, 3, (10,))
    specs = {"lstm.weight_ih_l0": ("model", None), "lstm.weight_hh_l0": ("model", None)}
    step(Tagger(), sharded(x, "data", None, None), sharded(y, "data"), specs, lambda p: torch.optim.SGD(p, 0.1, foreach=False))


@program
def train_fsdp():
    model = nn.Sequential(nn.Linear(7, 10), nn.GELU(), nn.Linear(10, 5))  # no dimension divides
    x, y = torch.randn(9, 7), torch.randint(0, 5, (9,))
    axes = ("data", "model")
    specs = {"0.weight": (axes, None), "0.bias": (axes,), "2.weight": (axes, None), "2.bias": (axes,)}
    step(model, sharded(x, axes, None), sharded(y, axes), specs, lambda p: torch.optim.AdamW(p, 0.01, foreach=False))


@program
def mixed_precision():
    x, w = sharded(torch.randn(6, 10), "data", None), sharded(torch.randn(10, 12), None, "model")
    with torch.autocast("xla", dtype=torch.bfloat16):
        y = torch.relu(x @ w).float().sum(1)
    y.cpu()


@program
def sorting_and_indexing():
    x = sharded(torch.randn(9, 6), "data", None)
    index = torch.tensor([4, 0, 8]).to("xla")
    values, places = torch.topk(x, 4, dim=0)
    kept = (values.sum(), places, torch.cumsum(x, 0)[index], torch.sort(x, 1).values)
    torch_xla.sync()
    del kept


@program
def eigenvalues():
    x = sharded(torch.randn(4, 5, 5), "model", None, None)
    a = x @ x.transpose(1, 2)
    torch.linalg.eigvalsh(a).sum(0).cpu()


def captured(function):
    """Returns the text of the longest program that the function makes, without locations."""
    before = set(os.listdir(FOLDER))
    torch.manual_seed(0)
    function()
    torch_xla.sync(wait=True)
    texts = []
    for name in set(os.listdir(FOLDER)) - before:
        with open(os.path.join(FOLDER, name)) as file:
            texts.append(file.read())
    text = max(texts, key=len)
    text = re.sub(r' loc\((?:"[^"]*"(?:\(#loc\d*\))?|#loc\d*|unknown)\)', "", text)
    return "\n".join(line for line in text.splitlines() if line and not line.startswith("#loc")) + "\n"


for name, function in PROGRAMS.items():
    if not wanted or name in wanted:
        text = captured(function)
        with open(os.path.join(TARGET, name + ".mlir"), "w") as file:
            file.write(text)
        print(f"{name}: {len(text.splitlines())} lines")
sys.stdout.flush()
os._exit(0)
