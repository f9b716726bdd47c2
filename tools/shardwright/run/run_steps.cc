//===- run_steps.cc - what every run of a program does --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "run_steps.h"

#include "budgets.h"

#include "shardwright/runtime/bounded_arrays.h"
#include "shardwright/runtime/npz/npz.h"
#include "shardwright/runtime/readers/compare.h"
#include "shardwright/runtime/readers/random_reader.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace shardwright {
namespace {

/// Opens the arrays. Their types and shapes must be those of the program.
Expected<std::vector<std::unique_ptr<ArrayReader>>>
openArrays(StringRef path, StringRef prefix, ArrayRef<ValueSpec> specs,
           NpzAccess access) {
  auto check = [&](int64_t i, const ArrayHeader &header) -> Error {
    if ((header.type == specs[i].type ||
         header.type == numpyType(specs[i].type)) &&
        hasShapeOf(specs, i, header.shape))
      return Error::success();
    std::string array = (prefix + Twine(i)).str(), name = specs[i].name;
    return createStringError(
        path + ": " + array +
        (name.empty() || name == array ? "" : " (" + name + ")") + " is " +
        str(header.type, header.shape) + ", but the program has " +
        str(specs, i));
  };
  SmallVector<ElementType, 8> types;
  for (const ValueSpec &spec : withoutSizes(specs))
    types.push_back(spec.type);
  return openNumberedNpz(path, prefix, types, access, check);
}

std::string indexText(ArrayRef<int64_t> index) {
  std::string text = "[";
  for (auto [i, v] : enumerate(index))
    text += (i ? "," : "") + std::to_string(v);
  return text + "]";
}

Expected<bool> compareAll(const RunOptions &options,
                          ArrayRef<std::unique_ptr<ArrayReader>> results,
                          ProgramReport &report, ArrayRef<ValueSpec> specs) {
  auto expected =
      openArrays(options.expect, "out", specs, NpzAccess::Sequential);
  if (!expected)
    return expected.takeError();
  bool allOk = true;
  for (auto [i, spec] : enumerate(withoutSizes(specs))) {
    ArrayReader &wanted = *(*expected)[i];
    double atol = 0;
    if (options.atol) {
      atol = *options.atol;
    } else {
      Expected<double> largest = largestMagnitude(wanted);
      if (!largest)
        return largest.takeError();
      atol = options.rtol / 100 * *largest;
    }
    Expected<Comparison> c =
        compareArrays(*results[i], wanted, options.rtol, atol);
    if (!c)
      return c.takeError();
    ComparisonReport row;
    row.name = spec.name.empty() ? "out" + std::to_string(i) : spec.name;
    row.atol = atol;
    row.rtol = options.rtol;
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

/// Reports an error; gives the remedy if it is of the file, and not of reading
/// results.
int badInputOf(StringRef file, Error error, StringRef remedy) {
  std::string text = toString(std::move(error));
  return badInput(text, StringRef(text).starts_with(file) ? remedy : "");
}

void sayDifferences(const ProgramReport &report) {
  for (const ComparisonReport &c : report.comparisons)
    if (!c.ok)
      err() << (StringRef(c.name).starts_with("result") ? "" : "result ")
            << c.name << " differs: " << c.detail << "\n";
}

/// Writes the executable. False: the error has been printed.
bool save(const Executable &executable, const std::string &path) {
  Expected<std::string> bytes = executable.serialize();
  if (!bytes) {
    badInput("--save: " + toString(bytes.takeError()), "");
    return false;
  }
  return writeFile(path, [&](raw_ostream &os) { os << *bytes; });
}

} // namespace

Expected<std::vector<std::unique_ptr<ArrayReader>>>
argumentReaders(const RunOptions &options, ArrayRef<ValueSpec> specs,
                NpzAccess access) {
  if (!options.arguments.empty())
    return openArrays(options.arguments, "arg", specs, access);
  std::vector<std::unique_ptr<ArrayReader>> arrays;
  if (specs.empty())
    return arrays;
  if (!options.randomSeed)
    return createStringError(Twine("the program takes ") + Twine(specs.size()) +
                             " arguments and none are given");
  for (auto [i, spec] : enumerate(withoutSizes(specs)))
    arrays.push_back(std::make_unique<RandomReader>(spec.type, spec.shape,
                                                    *options.randomSeed, i));
  return arrays;
}

Expected<std::vector<Array>> argumentsOf(const RunOptions &options,
                                         ArrayRef<ValueSpec> specs) {
  auto readers = argumentReaders(options, specs, NpzAccess::Sequential);
  if (!readers)
    return readers.takeError();
  std::vector<Array> arrays;
  for (const auto &reader : *readers) {
    auto whole = readWhole(*reader);
    if (!whole)
      return whole.takeError();
    arrays.push_back(std::move(*whole));
  }
  return arrays;
}

int prepareRun(Session &session, const RunOptions &options) {
  CommonOptions common = options;
  std::optional<std::vector<NamedHeader>> given;
  if (!options.arguments.empty())
    common.import.shapeOfArgument =
        [&](unsigned i) -> std::optional<SmallVector<int64_t, 4>> {
      if (!given) {
        given.emplace();
        auto headers = readNpzHeaders(options.arguments);
        if (headers)
          given = std::move(*headers);
        else // reported when the file is read again
          consumeError(headers.takeError());
      }
      for (const NamedHeader &array : *given)
        if (array.name == "arg" + std::to_string(i))
          return array.header.shape;
      return std::nullopt;
    };
  stubCallbacks(options.callbacks);
  bool isSaved = Session::isExecutable(options.module);
  if (isSaved && !options.trusted)
    return badInput(options.module +
                        " is a saved executable: machine code, which has all "
                        "rights of the process",
                    "if you trust who made it, shardwright run-saved runs it");
  if (isSaved && !options.compileFlags.empty())
    return badInput(options.compileFlags.front() +
                        " has no effect on a saved executable, which is "
                        "compiled already",
                    "leave it out, or compile the module with it");
  if (isSaved && Session::reportsRun(options))
    return badInput("--report=html shows a module, but " + options.module +
                        " is a saved executable",
                    "report on the module that it was made of, or give "
                    "--report=text");
  if (!isSaved && options.isSaved)
    return badInput(options.module + " is not a saved executable",
                    "shardwright run compiles and runs modules; --save writes "
                    "the executable");
  if (isSaved ? !session.loadExecutable(options)
              : !session.compile(common, Stage::Executable))
    return exitBadInput;
  const int within = checkBudgets(options, session);
  if (within == exitBadInput)
    return within;
  const Executable &executable = *session.compiled().executable;
  if (!options.save.empty() && !save(executable, options.save))
    return exitBadInput;
  return within;
}

int finishRun(Session &session, const RunOptions &options,
              ArrayRef<std::unique_ptr<ArrayReader>> results, int within) {
  const Executable &executable = *session.compiled().executable;
  bool ok = true;
  if (!options.expect.empty()) {
    Expected<bool> compared =
        compareAll(options, results, session.report(), executable.results());
    if (!compared)
      return badInputOf(options.expect, compared.takeError(),
                        "give an .npz with out0, out1, ... of the program's "
                        "results");
    ok = *compared;
  }
  if (!options.out.empty()) {
    std::vector<NamedReader> named;
    for (auto [i, array] : enumerate(results))
      named.push_back({"out" + std::to_string(i), array.get()});
    if (Error error = writeNpzInWindows(options.out, named))
      return badInputOf(options.out, std::move(error),
                        "check the directory and its permissions");
  }
  if (!options.stats && !options.report) {
    // Only if nothing else goes to standard output.
    writeTextReport(session.report(), out(), session.textReport(options));
    out().flush();
  } else if (!session.writeReports(options)) {
    return exitBadInput;
  }
  if (!ok)
    sayDifferences(session.report());
  return ok ? within : exitDiffers;
}

} // namespace shardwright
