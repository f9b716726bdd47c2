//===- run_command.cc - shardwright run -----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "budgets.h"

#include "shardwright/cpu/trace.h"
#include "shardwright/report/trace_json.h"
#include "shardwright/runtime/bounded_arrays.h"
#include "shardwright/runtime/compare.h"
#include "shardwright/runtime/npz.h"
#include "shardwright/runtime/random.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace shardwright {
namespace {

/// `numpy` as the type and shape that the program says; the error names the
/// array.
Expected<Array> convert(Array numpy, ArrayRef<ValueSpec> specs, size_t i,
                        const Twine &what) {
  Array found = numpy;
  Expected<Array> array = fromNumpyBits(std::move(numpy), specs[i].type);
  if (!array || !hasShapeOf(specs, i, array->shape())) {
    consumeError(array.takeError());
    return createStringError(what + " is " + found.str() +
                             ", but the program has " + str(specs, i));
  }
  return array;
}

Expected<std::vector<Array>> readArrays(StringRef path, StringRef prefix,
                                        ArrayRef<ValueSpec> specs) {
  Expected<std::vector<Array>> arrays =
      readNumberedNpz(path, prefix, int64_t(withoutSizes(specs).size()));
  if (!arrays)
    return arrays.takeError();
  for (auto [i, array] : enumerate(*arrays)) {
    std::string what = (path + ": " + prefix + Twine(i)).str();
    if (!specs[i].name.empty() && specs[i].name != (prefix + Twine(i)).str())
      what += " (" + specs[i].name + ")";
    Expected<Array> converted = convert(array, specs, i, what);
    if (!converted)
      return converted.takeError();
    array = std::move(*converted);
  }
  return arrays;
}

Expected<std::vector<Array>> argumentsOf(const RunOptions &options,
                                         ArrayRef<ValueSpec> specs) {
  if (!options.arguments.empty())
    return readArrays(options.arguments, "arg", specs);
  std::vector<Array> arrays;
  if (specs.empty())
    return arrays;
  if (!options.randomSeed)
    return createStringError(Twine("the program takes ") + Twine(specs.size()) +
                             " arguments and none are given");
  for (auto [i, spec] : enumerate(withoutSizes(specs))) {
    Expected<Array> array =
        randomArray(spec.type, spec.shape, *options.randomSeed, i);
    if (!array)
      return array.takeError();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

std::string indexText(ArrayRef<int64_t> index) {
  std::string text = "[";
  for (auto [i, v] : enumerate(index))
    text += (i ? "," : "") + std::to_string(v);
  return text + "]";
}

Expected<bool> compareAll(const RunOptions &options, ArrayRef<Array> results,
                          ProgramReport &report, ArrayRef<ValueSpec> specs) {
  Expected<std::vector<Array>> expected =
      readArrays(options.expect, "out", specs);
  if (!expected)
    return expected.takeError();
  bool allOk = true;
  for (auto [i, spec] : enumerate(withoutSizes(specs))) {
    const Array &wanted = (*expected)[i];
    double atol =
        options.atol.value_or(options.rtol / 100 * largestMagnitude(wanted));
    Expected<Comparison> c =
        compareArrays(results[i], wanted, options.rtol, atol);
    if (!c)
      return c.takeError();
    ComparisonReport row;
    row.name = spec.name.empty() ? "out" + std::to_string(i) : spec.name;
    row.maxAbsError = c->maxAbs;
    row.maxRelError = c->maxRel;
    row.elements = c->elements;
    row.mismatches = c->mismatches;
    row.ok = c->ok();
    if (!row.ok)
      row.detail =
          formatv("{0} of {1} elements, first at {2}: got {3}, expected {4}",
                  c->mismatches, c->elements, indexText(c->firstBad),
                  c->gotThere, c->expectedThere)
              .str();
    allOk &= row.ok;
    report.comparisons.push_back(std::move(row));
  }
  return allOk;
}

void sayDifferences(const ProgramReport &report) {
  for (const ComparisonReport &c : report.comparisons)
    if (!c.ok)
      errs() << "result " << c.name << " differs: " << c.detail << "\n";
}

} // namespace

int runCommand(const RunOptions &options) {
  Session session;
  CommonOptions common = options;
  std::vector<NamedArray> given;
  if (!options.arguments.empty())
    common.import.shapeOfArgument =
        [&](unsigned i) -> std::optional<SmallVector<int64_t, 4>> {
      if (given.empty()) {
        auto arrays = readNpz(options.arguments);
        if (arrays)
          given = std::move(*arrays);
        else // said when it is read again
          consumeError(arrays.takeError());
      }
      for (const NamedArray &array : given)
        if (array.name == "arg" + std::to_string(i))
          return SmallVector<int64_t, 4>(array.array.shape());
      return std::nullopt;
    };
  if (Session::isExecutable(options.module)
          ? !session.loadExecutable(options)
          : !session.compile(common, Stage::Executable))
    return exitBadInput;
  const int within = checkBudgets(options, session);
  if (within == exitBadInput)
    return within;
  const Executable &executable = *session.compiled().executable;
  if (!options.save.empty()) {
    Expected<std::string> bytes = executable.serialize();
    if (!bytes)
      return badInput("--save: " + toString(bytes.takeError()), "");
    if (!writeFile(options.save, [&](raw_ostream &os) { os << *bytes; }))
      return exitBadInput;
  }

  Expected<std::vector<Array>> arguments =
      argumentsOf(options, executable.arguments());
  if (!arguments)
    return badInput(toString(arguments.takeError()),
                    "give an .npz with arg0, arg1, ... of the program's shapes "
                    "and types, or --random SEED");
  Progress &progress = session.progress(options);
  progress.at("running");
  cpu::RunStatistics statistics;
  cpu::Trace trace;
  Expected<std::vector<Array>> results =
      executable.run(*arguments, Client::shared(), &statistics,
                     options.trace.empty() ? nullptr : &trace);
  progress.pause();
  if (!results)
    return badInput(toString(results.takeError()),
                    "look at the program there; shardwright partition prints "
                    "what each device runs");
  session.report().runSeconds = statistics.seconds;
  if (!options.trace.empty() && !writeFile(options.trace, [&](raw_ostream &os) {
        writeTrace(executable.program(), trace, os);
      }))
    return exitBadInput;

  bool ok = true;
  if (!options.expect.empty()) {
    Expected<bool> compared =
        compareAll(options, *results, session.report(), executable.results());
    if (!compared)
      return badInput(toString(compared.takeError()),
                      "give an .npz with out0, out1, ... of the program's "
                      "results");
    ok = *compared;
  }
  if (!options.out.empty()) {
    std::vector<NamedArray> named;
    for (auto [i, array] : enumerate(*results))
      named.push_back({"out" + std::to_string(i), array});
    if (Error error = writeNpz(options.out, named))
      return badInput(toString(std::move(error)),
                      "check the directory and its permissions");
  }
  if (!options.stats && !options.report) {
    // Nothing else was asked for on standard output.
    writeTextReport(session.report(), outs());
    outs().flush();
  } else if (!session.writeReports(options)) {
    return exitBadInput;
  }
  if (!ok)
    sayDifferences(session.report());
  return ok ? within : exitDiffers;
}

} // namespace shardwright
