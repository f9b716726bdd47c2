#===- replicas.py - a thread or a process for each replica ----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`torch_xla.launch`: a thread for each of 4 devices of one process, a process for each device, and 2
processes of 2 threads. Collectives, rendezvous, data-parallel training, process groups and
DistributedDataParallel, each compared with torch's CPU; replicas that fail or never come."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

import session

WORLD = 4
GROUPS = [[0, 2], [3, 1]]
STEPS = 12
CASES = {}


def case(expected):
    """A function (rank) -> result on a device; `expected`: the list of the results, by rank, or a function that
    computes it (in the driver: autograd in a replica counts the devices when it is first used)."""

    def add(function):
        CASES[function.__name__] = (function, expected)
        return function

    return add


def start_worker():
    """Loads PyTorch/XLA without using a device, as torch_xla.launch needs it."""
    import shardwright.torch
    import torch_xla

    shardwright.torch.register()
    return torch_xla


torch_xla = start_worker()
import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr
from torch import nn


def given(rank):
    return torch.arange(8.0).reshape(4, 2) * (rank + 1) + rank


def on_device(rank):
    return given(rank).to(torch_xla.device())


ALL = [given(rank) for rank in range(WORLD)]
SUM = sum(ALL)


def group_of(rank):
    return next(group for group in GROUPS if rank in group)


def over_groups(function):
    return [function([ALL[m] for m in group_of(rank)], group_of(rank).index(rank)) for rank in range(WORLD)]


@case([SUM] * WORLD)
def all_reduce(rank):
    return xm.all_reduce(xm.REDUCE_SUM, on_device(rank))


@case([torch.stack(ALL).amax(0)] * WORLD)
def all_reduce_of_maxima(rank):
    return xm.all_reduce(xm.REDUCE_MAX, on_device(rank))


@case(over_groups(lambda members, index: sum(members) / 2))
def all_reduce_of_groups(rank):
    return xm.all_reduce(xm.REDUCE_SUM, on_device(rank), groups=GROUPS, scale=0.5)


@case([[SUM, SUM * 3]] * WORLD)
def all_reduce_in_place(rank):
    values = [on_device(rank), on_device(rank) * 3]
    xm.all_reduce(xm.REDUCE_SUM, values)
    return values


@case([torch.cat(ALL, 1)] * WORLD)
def all_gather(rank):
    """The programs differ: the number of the replica is a constant."""
    return xm.all_gather(on_device(rank), dim=1)


@case([torch.cat(ALL)] * WORLD)
def all_gather_unpinned(rank):
    return xm.all_gather(on_device(rank), pin_layout=False)


@case(over_groups(lambda members, index: torch.cat(members)))
def all_gather_of_groups(rank):
    return xm.all_gather(on_device(rank), groups=GROUPS, pin_layout=False)


@case([SUM[rank : rank + 1] for rank in range(WORLD)])
def reduce_scatter(rank):
    return xm.reduce_scatter(xm.REDUCE_SUM, on_device(rank), 1.0, scatter_dim=0, shard_count=WORLD)


@case(over_groups(lambda members, index: sum(members)[2 * index : 2 * index + 2]))
def reduce_scatter_of_groups(rank):
    return xm.reduce_scatter(xm.REDUCE_SUM, on_device(rank), 1.0, scatter_dim=0, shard_count=2, groups=GROUPS)


@case([torch.cat([value[rank : rank + 1] for value in ALL], 1) for rank in range(WORLD)])
def all_to_all(rank):
    return xm.all_to_all(on_device(rank), split_dimension=0, concat_dimension=1, split_count=WORLD)


@case([ALL[(rank - 1) % WORLD] for rank in range(WORLD)])
def collective_permute(rank):
    return xm.collective_permute(on_device(rank), [[r, (r + 1) % WORLD] for r in range(WORLD)])


@case([ALL[2]] * WORLD)
def collective_broadcast(rank):
    value = on_device(rank)
    xm.collective_broadcast([value], root_ordinal=2)
    return value


@case([[[7] * rank for rank in range(WORLD)]] * WORLD)
def rendezvous(rank):
    return [list(payload) for payload in xm.rendezvous("here", bytes([7] * rank))]


@case([6.0] * WORLD)
def mesh_reduce(rank):
    return xm.mesh_reduce("sum", float(rank), sum)


@case([[rank, WORLD, float(rank) * 3] for rank in range(WORLD)])
def alone(rank):
    """A program without collectives, that the first replica calls more often."""
    value = torch.full((), float(rank), device=torch_xla.device())
    for _ in range(20 if rank == 0 else 1):
        result = (value * 3).item()
    return [xr.global_ordinal(), xr.world_size(), result]


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        generator = torch.Generator().manual_seed(0)
        self.inner, self.outer = nn.Linear(16, 32), nn.Linear(32, 4)
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.copy_(torch.randn(parameter.shape, generator=generator) / 4)

    def forward(self, x):
        return self.outer(torch.tanh(self.inner(x)))


def batch(step, rank):
    generator = torch.Generator().manual_seed(step * WORLD + rank)
    return torch.randn(8, 16, generator=generator), torch.randint(0, 4, (8,), generator=generator)


def train_on_cpu():
    """Training with the mean of the replicas' gradients: the same as with all batches together."""
    model = Mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = [[] for _ in range(WORLD)]
    for step in range(STEPS):
        optimizer.zero_grad()
        total = 0
        for rank in range(WORLD):
            x, labels = batch(step, rank)
            loss = nn.functional.cross_entropy(model(x), labels)
            losses[rank].append(loss.item())
            total = total + loss / WORLD
        total.backward()
        optimizer.step()
    return [[losses[rank], *(p.detach() for p in model.parameters())] for rank in range(WORLD)]


def train(rank, wrap, step_with):
    device = torch_xla.device()
    model = wrap(Mlp().to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for step in range(STEPS):
        x, labels = (value.to(device) for value in batch(step, rank))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), labels)
        loss.backward()
        step_with(optimizer)
        torch_xla.sync()
        losses.append(loss.item())
    return [losses, *(p.detach() for p in model.parameters())]


@case(train_on_cpu)
def training(rank):
    return train(rank, lambda model: model, xm.optimizer_step)


@case([[SUM, ALL, ALL[1], SUM[rank : rank + 1]] for rank in range(WORLD)])
def process_group(rank):
    if not dist.is_initialized():
        dist.init_process_group("xla", init_method="xla://")
    total, root = on_device(rank), on_device(rank)
    gathered = [torch.zeros(4, 2, device=torch_xla.device()) for _ in range(WORLD)]
    scattered = torch.zeros(1, 2, device=torch_xla.device())
    dist.all_reduce(total)
    dist.all_gather(gathered, on_device(rank))
    dist.broadcast(root, 1)
    dist.reduce_scatter(scattered, list(on_device(rank).split(1)))
    return [total, gathered, root, scattered]


@case(train_on_cpu)
def distributed_data_parallel(rank):
    if not dist.is_initialized():
        dist.init_process_group("xla", init_method="xla://")
    return train(rank, nn.parallel.DistributedDataParallel, lambda optimizer: optimizer.step())


def plain(value):
    if isinstance(value, torch.Tensor):
        return value.detach().cpu().tolist()
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def replica(_, names, folder):
    """What each replica runs: writes its results, or errors, by case."""
    rank, found = xr.global_ordinal(), {}
    for name in names:
        try:
            found[name] = plain(CASES[name][0](rank))
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
            break
    with open(os.path.join(folder, f"{rank}.json"), "w") as file:
        json.dump(found, file)


# --- replicas that do not do the same ---


def raise_error(rank, folder):
    note(rank, folder, "before", lambda: xm.all_reduce(xm.REDUCE_SUM, on_device(rank)).cpu().tolist())
    if rank == 2:
        return note(rank, folder, "other", lambda: xm.all_reduce(xm.REDUCE_MAX, on_device(rank)).cpu().tolist())
    note(rank, folder, "other", lambda: xm.all_reduce(xm.REDUCE_SUM, on_device(rank) * 2).cpu().tolist())


def never_come(rank, folder):
    if rank != 1:
        note(rank, folder, "wait", lambda: xm.all_reduce(xm.REDUCE_SUM, on_device(rank)).cpu().tolist())


def note(rank, folder, what, function):
    try:
        result = function()
    except Exception as error:
        result = str(error)
    with open(os.path.join(folder, f"{what}{rank}.json"), "w") as file:
        json.dump(result, file)


def main_worker(action, folder):
    if action in ("raise_error", "never_come"):
        torch_xla.launch(globals()[action], args=(folder,))
    else:
        torch_xla.launch(replica, args=(action.split(","), folder))


def run(action, folder, processes, **environment):
    """Launches replicas in a process of their own. Returns its output."""
    env = dict(os.environ, SHARDWRIGHT_TORCH_PROCESSES=str(processes), **environment)
    env["SHARDWRIGHT_NUM_DEVICES"] = str(WORLD // processes)
    command = [sys.executable, os.path.abspath(__file__), "--worker", action, folder]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=900)
    return f"exit code {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"


def read(folder, name):
    try:
        with open(os.path.join(folder, name)) as file:
            return json.load(file)
    except OSError:
        return None


def is_close(found, expected):
    try:
        return torch.allclose(
            torch.tensor(found, dtype=torch.float64), torch.tensor(expected, dtype=torch.float64), 1e-5, 1e-5
        )
    except (ValueError, TypeError):
        return (
            isinstance(found, list)
            and isinstance(expected, list)
            and len(found) == len(expected)
            and all(is_close(f, e) for f, e in zip(found, expected))
        )


def check_cases(tally, processes):
    names = list(CASES)
    with tempfile.TemporaryDirectory() as folder:
        output = run(",".join(names), folder, processes)
        found = [read(folder, f"{rank}.json") or {} for rank in range(WORLD)]
    for name in names:
        results = [of.get(name) for of in found]
        expected = CASES[name][1]
        expected = plain(expected() if callable(expected) else expected)
        tally.check(
            f"{name}, {processes} processes",
            all(is_close(f, e) for f, e in zip(results, expected)),
            f"found {str(results)[:1500]}\nexpected {str(expected)[:600]}\n{output if None in results else ''}",
        )


def check_failures(tally):
    with tempfile.TemporaryDirectory() as folder:
        output = run("raise_error", folder, 1)
        for rank in range(WORLD):
            tally.check(f"before a failure, {rank}", is_close(read(folder, f"before{rank}.json"), plain(SUM)), output)
            text = str(read(folder, f"other{rank}.json"))
            ok = "in the same order on all devices" in text and re.search(r"device \d has called program", text)
            tally.check(f"another program, {rank}", ok, f"{text}\n{output}")
    for processes in (1, WORLD):
        with tempfile.TemporaryDirectory() as folder:
            begin = time.time()
            output = run("never_come", folder, processes, SHARDWRIGHT_WAIT_LIMIT="3")
            for rank in (0, 2, 3):
                text = str(read(folder, f"wait{rank}.json"))
                who = "device 1 to call" if processes == 1 else "process 1"
                ok = who in text and "SHARDWRIGHT_WAIT_LIMIT" in text
                tally.check(f"a replica that never comes, {rank}, {processes} processes", ok, f"{text}\n{output}")
            tally.check("the wait ends", time.time() - begin < 300, output)


def main():
    options = session.arguments(__doc__)
    tally = session.Tally("replicas")
    for processes in (1, 2, WORLD) if options.long else (1, WORLD):
        check_cases(tally, processes)
    check_failures(tally)
    tally.finish()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        main_worker(*sys.argv[2:])
    else:
        main()
