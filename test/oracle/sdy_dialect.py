#===- sdy_dialect.py - text, errors and bytecode of sdy, as in jaxlib -----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------===//
"""Every program must print alike in both forms, or fail with the same first error and line, in ours
and in jaxlib, except where jaxlib 0.10 is older on purpose (is_newer). Valid programs must survive bytecode in both directions."""

import re
import subprocess
import tempfile

import oracle
import sdy_cases

SEPARATOR = "// -----\n"
HAS_KINDS = hasattr(oracle.sdy, "ReductionOp")


def first_error(text):
    """Returns (line, message) of jaxlib's first error."""
    found = re.search(r'error: "-":(\d+):\d+: (.*)', text)
    return (int(found[1]), found[2]) if found else (0, text.strip())


def theirs(source):
    try:
        op = oracle.parse(source).operation
    except oracle.OracleError as error:
        return first_error(str(error))
    return op.get_asm(), op.get_asm(print_generic_op_form=True)


def ours(sources):
    """Returns, for each program, (text, generic text), or (line, message) of its first error."""
    joined = SEPARATOR.join(sources)
    starts, line = [], 1
    for source in sources:
        starts.append(line)
        line += source.count("\n") + 1
    runs = [
        oracle.process([oracle.OPT, "--split-input-file", *flags], joined)
        for flags in ([], ["--mlir-print-op-generic"])
    ]
    if any(run.returncode not in (0, 1) for run in runs):  # a crash: find the program
        if len(sources) == 1:
            return [f"exit code {runs[0].returncode}: {runs[0].stderr[:1500]}"]
        return [result for source in sources for result in ours([source])]
    errors = {}
    for found in re.finditer(r"^<stdin>:(\d+):\d+: error: (.*)$", runs[0].stderr, re.M):
        at = int(found[1])
        index = next(i for i in reversed(range(len(starts))) if starts[i] <= at)
        errors.setdefault(index, (at - starts[index] + 1, found[2]))
    texts = [("\n" + run.stdout).split("\n// -----") for run in runs]
    results = []
    for i, source in enumerate(sources):
        if i in errors:
            results.append(errors[i])
        elif i < min(map(len, texts)):
            results.append(tuple(text[i].strip("\n") + "\n" for text in texts))
        else:
            results.append(f"no output: {runs[0].stderr[-500:]}")
    return results


def attribute_program(attribute):
    return f"module attributes {{test.x = {attribute}}} {{\n}}\n"


def same(expected, found):
    if isinstance(expected[0], int) or not isinstance(found, tuple) or isinstance(found[0], int):
        return expected == found
    if not HAS_KINDS:  # 0.10.2 does not know the property, whose default is a sum
        found = tuple(re.sub(r"(, )?reduction_op = 0 : i32", "", text) for text in found)
    return all(a.strip() == b.strip() for a, b in zip(expected, found))


def show(result):
    if not isinstance(result, tuple):
        return result
    return f"line {result[0]}: {result[1]}" if isinstance(result[0], int) else result[0] + result[1]


def is_newer(source, found):
    """True where jaxlib 0.10 differs on purpose: it knows neither kinds of unreduced axes nor the rule that
    collectives add none."""
    if HAS_KINDS:
        return False
    if isinstance(found, tuple) and isinstance(found[0], int) and "cannot add new unreduced axis" in found[1]:
        return True
    return bool(re.search(r"unreduced(=sum|=max|=min)?\s*\{", source.replace("unreduced={", "")))


def compare(tally, kind, sources):
    """Returns the programs that both accept."""
    good = []
    for source, found in zip(sources, ours(sources)):
        if is_newer(source, found):
            tally.ok()
            continue
        expected = theirs(source)
        if same(expected, found):
            tally.ok()
            if not isinstance(expected[0], int):
                good.append(source)
        else:
            source = re.sub("127, .*, 0]", "127, ..., 0]", source)
            tally.fail(kind, f"program:\n{source}\noracle: {show(expected)}\nours:   {show(found)}")
    return good


def canonicalized(source, pipeline):
    """Returns jaxlib's output, or its error."""
    try:
        return oracle.run(source, pipeline)
    except oracle.OracleError as error:
        return error


def canonicalize(tally):
    cases = {}
    for options, source in sdy_cases.canonicalizations():
        cases.setdefault(options, []).append(source)
    for options, sources in cases.items():
        pipeline = f"canonicalize{{{options}}}" if options else "canonicalize"
        flag = f"--pass-pipeline=builtin.module({pipeline})"
        # jaxlib's canonical form of StableHLO is not ours.
        answers = [(s, canonicalized(s, pipeline)) for s in sources]
        for source, refused in [(s, a) for s, a in answers if not isinstance(a, str)]:
            # The verifiers of Shardy 0.11 refuse some changes of unreduced axes.
            tally.check(pipeline, oracle.VERSION >= (0, 11), f"{refused}\n{source}")
        sources, texts = zip(*[(s, a) for s, a in answers if isinstance(a, str)])
        expected = oracle.ours_batch(texts, flag)
        for source, wanted, found in zip(sources, expected, oracle.ours_batch(sources, flag)):
            tally.equal(pipeline, str(wanted).strip(), str(found).strip(), source)


def bytecode(tally, sources):
    """Passes all programs, as modules of one module, through the other side's bytecode."""
    nested = [s if s.startswith("module") else "module {\n" + s + "}\n" for s in sources]
    program = "module {\n" + "".join(nested) + "}\n"
    expected = oracle.text(oracle.parse(program))
    # Ops that have a kind since 0.11 have one field more in bytecode, without a version that says so.
    readable = [n for n in nested if HAS_KINDS or not re.search(r"sdy\.(all_reduce|reduce_scatter)", n)]
    module = oracle.parse("module {\n" + "".join(readable) + "}\n")
    with tempfile.NamedTemporaryFile(suffix=".mlirbc") as file:
        module.operation.write_bytecode(file)
        file.flush()
        done = oracle.process([oracle.OPT, file.name])
        tally.check("jaxlib writes, we read", done.returncode == 0 and done.stdout.strip() == oracle.text(module).strip(),
                    done.stderr[-2000:] or "different text")
    done = subprocess.run([oracle.OPT, "--emit-bytecode"], input=program.encode(), capture_output=True)
    if not tally.check("we write", done.returncode == 0, done.stderr.decode()[-2000:]):
        return
    try:
        found = oracle.text(oracle.ir.Module.parse(done.stdout, context=oracle._shared()))
    except Exception as error:
        tally.fail("we write, jaxlib reads", str(error)[:2000])
        return
    tally.equal("we write, jaxlib reads", expected, found)
    again = subprocess.run([oracle.OPT], input=done.stdout, capture_output=True)
    tally.check("we write, we read", again.stdout.decode().strip() == expected.strip(), again.stderr.decode()[-2000:])


# --- random programs --------------------------------------------------------------------------


AXES = [("a", 2), ("b", 4), ("c", 8), ("d", 12)]
MESH = "sdy.mesh @m = <[%s]>\n" % ", ".join(f'"{n}"={s}' for n, s in AXES)


def random_axis(rng, wild):
    """Returns mostly a valid (sub-)axis; with probability `wild` anything."""
    name, size = rng.choice(AXES)
    if rng.random() < wild:
        return rng.choice([
            f'"{name}":({rng.randint(-1, 4)}){rng.randint(-1, 8)}', '"z"', f'"{name}"',
            f'"{name}":({rng.randint(1, 4)}){rng.randint(1, 4)}'])
    if rng.random() < 0.5:
        return f'"{name}"'
    divisors = [d for d in range(1, size + 1) if size % d == 0]
    pre = rng.choice(divisors[:-1])
    sizes = [d for d in divisors if d > 1 and d < size and (size // pre) % d == 0]
    return f'"{name}":({pre}){rng.choice(sizes)}' if sizes else f'"{name}"'


def random_axes(rng, wild, most):
    return [random_axis(rng, wild) for _ in range(rng.choice([0, 0, 1, 1, 1, 2, 3][: most + 4]))]


def random_sharding(rng, rank, wild):
    dims = []
    for _ in range(rank):
        axes = random_axes(rng, wild, 2)
        if rng.random() < 0.3:
            axes.append("?")
        dims.append("{%s}" % ", ".join(axes) + rng.choice(["", "", "", "p0", "p1", "p3"]))
    text = f"@m, [{', '.join(dims)}]"
    for word in ("replicated", "unreduced"):
        axes = random_axes(rng, wild, 1) if rng.random() < 0.4 else []
        if rng.random() < 0.7:
            axes.sort()
        if axes:
            text += f", {word}={{{', '.join(axes)}}}"
    return text


def has_one_culprit(source):
    """False if two axis names have invalid sub-axes: the oracle reports one of them, chosen by a hash."""
    names = set(re.findall(r'"(\w)":', source))
    return len(names) <= 1


def random_program(rng):
    wild = rng.choice([0, 0, 0.1, 0.5])
    rank = rng.randint(0, 3)
    kind = rng.randrange(3)
    t = "tensor<%sf32>" % ("24x" * rank)
    sharding = random_sharding(rng, rank if rng.random() < 0.97 else rank + 1, wild)
    if kind == 0:
        return MESH + f"func.func private @f({t} {{sdy.sharding = #sdy.sharding<{sharding}>}})\n"
    if kind == 1:
        axes = ", ".join(f'"{n}"' for n, _ in AXES if rng.random() < 0.5)
        return MESH + (
            f"func.func @f(%0: {t}) -> {t} {{\n%1 = sdy.manual_computation(%0) in_shardings=[<{sharding}>] "
            f"out_shardings=[<{sharding}>] manual_axes={{{axes}}} (%a: {t}) {{\nsdy.return %a : {t}\n}} : ({t}) -> {t}\n"
            f"return %1 : {t}\n}}\n")
    result = random_sharding(rng, rank, wild)
    lists = ["{%s}" % ", ".join(random_axes(rng, wild, 1)) for _ in range(rank)]
    op = rng.choice([
        f"all_gather [{', '.join(lists)}]", f"all_slice [{', '.join(lists)}]",
        f"reduce_scatter [{', '.join(lists)}]", f"sharded_to_unreduced [{', '.join(lists)}]",
        "all_reduce {%s}" % ", ".join(random_axes(rng, wild, 1)),
        "replicated_to_unreduced {%s}" % ", ".join(random_axes(rng, wild, 1)), "collective_permute",
        "all_to_all [{%s}: %d->%d]" % (random_axis(rng, wild), rng.randint(0, 3), rng.randint(0, 3))])
    if rng.random() < 0.5:
        result = sharding
    return MESH + (
        f"func.func @f(%0: {t}{{sdy.sharding = #sdy.sharding<{sharding}>}}) -> {t} {{\n"
        f"%1 = sdy.{op} %0 out_sharding=<{result}> : {t}\nreturn %1 : {t}\n}}\n")


def main():
    args = oracle.arguments(__doc__, cases=1000, long_cases=30000)
    tally = oracle.Tally("sdy_dialect", show=10)
    good = compare(tally, "attribute", [attribute_program(a) for a in sdy_cases.attributes()])
    good = [source for source in good if "propagation" not in source]  # these have no bytecode
    accepted = compare(tally, "program", [s.rstrip() + "\n" for s in sdy_cases.programs()])
    good += [source for source in accepted if "dense_resource" not in source]
    canonicalize(tally)
    randoms = [random_program(rng) for rng in oracle.generators(args)]
    randoms = [source for source in randoms if has_one_culprit(source)]
    for i in range(0, len(randoms), 500):
        good += compare(tally, f"random, --seed {args.seed} --cases {args.cases}", randoms[i : i + 500])
    bytecode(tally, good)
    tally.finish()


if __name__ == "__main__":
    main()
