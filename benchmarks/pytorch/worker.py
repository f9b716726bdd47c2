#===- worker.py - one program on one device type of PyTorch/XLA -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""worker.py PROGRAM MODE, on the device type of PJRT_DEVICE: trains a model. Prints the seconds of compilation
as JSON, then for each number of steps on standard input {"wall": seconds of each step, "cpu": mean of CPU
seconds}."""

import json
import os
import resource
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "test", "pytorch")]
program, mode = sys.argv[1:]
sys.argv = sys.argv[:1]
import session

torch, torch_xla = session.start(spmd=mode != "plain")
import numpy as np
import torch_xla.debug.metrics as metrics
from torch import nn


def mlp():
    return nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 64)), (64, 256), 64


def conv():
    layers = [
        nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, padding=1),
        nn.BatchNorm2d(64), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10),
    ]  # fmt: skip
    return nn.Sequential(*layers), (16, 3, 32, 32), 10


class Gpt(nn.Module):
    def __init__(self, dim=128, layers=3, length=64, vocabulary=512):
        super().__init__()
        self.length, self.vocabulary = length, vocabulary
        self.tokens, self.places = nn.Embedding(vocabulary, dim), nn.Embedding(length, dim)
        self.layers = nn.ModuleList(
            nn.ModuleDict(
                {
                    "norm1": nn.LayerNorm(dim), "qkv": nn.Linear(dim, 3 * dim), "out": nn.Linear(dim, dim),
                    "norm2": nn.LayerNorm(dim), "up": nn.Linear(dim, 4 * dim), "down": nn.Linear(4 * dim, dim),
                }
            )
            for _ in range(layers)
        )  # fmt: skip
        self.head = nn.Linear(dim, vocabulary)

    def forward(self, x):
        b, t = x.shape
        x = self.tokens(x) + self.places(torch.arange(t, device=x.device))
        for layer in self.layers:
            q, k, v = layer["qkv"](layer["norm1"](x)).view(b, t, 3, 4, -1).permute(2, 0, 3, 1, 4)
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + layer["out"](y.transpose(1, 2).reshape(b, t, -1))
            x = x + layer["down"](nn.functional.gelu(layer["up"](layer["norm2"](x))))
        return self.head(x)[:, -1]


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(64, 128, batch_first=True), nn.Linear(128, 10)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


def make():
    """Returns the model, an input and labels."""
    torch.manual_seed(0)
    if program == "gpt":
        return Gpt(), torch.randint(0, 512, (8, 64)), torch.randint(0, 512, (8,))
    if program == "lstm":
        return Lstm(), torch.randn(16, 12, 64), torch.randint(0, 10, (16,))
    model, shape, classes = {"mlp": mlp, "conv": conv}[program]()
    return model, torch.randn(shape), torch.randint(0, classes, shape[:1])


def shard(model, x, y):
    import torch_xla.distributed.spmd as xs

    mesh = xs.Mesh(np.arange(session.DEVICES), (2, 4), ("data", "model"))
    for t in (x, y):
        xs.mark_sharding(t, mesh, ("data",) + (None,) * (t.dim() - 1))
    if mode == "tensor":
        for p in model.parameters():
            if p.dim() >= 2:
                xs.mark_sharding(p, mesh, ("model",) + (None,) * (p.dim() - 1))


def main():
    model, x, y = make()
    model, x, y = model.to("xla"), x.to("xla"), y.to("xla")
    if mode != "plain":
        shard(model, x, y)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, foreach=False)

    def step():
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        torch_xla.sync(wait=True)

    for _ in range(3):  # momentum has its buffers from the second step on
        step()
    print(json.dumps(metrics.metric_data("CompileTime")[1] / 1e9), flush=True)
    for line in sys.stdin:
        times, count = [], int(line)
        before = resource.getrusage(resource.RUSAGE_SELF)
        for _ in range(count):
            start = time.perf_counter()
            step()
            times.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_SELF)
        cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / count
        print(json.dumps({"wall": times, "cpu": cpu}), flush=True)
    os._exit(0)


main()
