//===- auto_verify.cc - run what auto has found ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "auto_verify.h"

#include "shardwright/auto/prepare.h"
#include "shardwright/runtime/random.h"
#include "shardwright/runtime/readers/compare.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace shardwright {

/// How far sums in another order may differ, relative to the largest element.
/// Random arguments cancel in long contractions, more than real ones.
static double toleranceOf(ElementType type) {
  switch (type) {
  case ElementType::F64:
  case ElementType::C128:
    return 1e-9;
  case ElementType::F32:
  case ElementType::C64:
    return 1e-3;
  case ElementType::F16:
  case ElementType::BF16:
    return 5e-2;
  default:
    return isFloat(type) ? 0.5 : 0;
  }
}

static OwningOpRef<ModuleOp> parse(llvm::StringRef text, MLIRContext *context) {
  return parseSourceString<ModuleOp>(text, context);
}

/// The predicted step of the module with this text. On failure there is a
/// diagnostic.
static FailureOr<double> stepOfText(llvm::StringRef text, MLIRContext *context,
                                    const CompileOptions &options) {
  OwningOpRef<ModuleOp> module = parse(text, context);
  if (!module)
    return failure();
  CompileOptions mine = options;
  mine.stopAfter = Stage::Local;
  FailureOr<Compiled> compiled = compile(*module, mine);
  if (failed(compiled))
    return failure();
  return compiled->report.predicted.time.total();
}

int checkReadBack(llvm::StringRef text, const AutoResult &result,
                  const CompileOptions &options) {
  double step = 0;
  if (result.details.secondsOfText) {
    step = *result.details.secondsOfText;
  } else {
    auto read = stepOfText(text, (*result.module)->getContext(), options);
    if (failed(read))
      return exitBug;
    step = *read;
  }
  if (step == result.found.step.total())
    return exitFine;
  err() << llvm::formatv(
      "error: the annotated module takes {0:e9} s when it is read back, but "
      "{1:e9} s were predicted; please report this\n",
      step, result.found.step.total());
  return exitBug;
}

namespace {
using Results = std::optional<std::vector<Array>>;
}

/// Moves every second float to its neighbour, as rounding might.
static void round(Array &array) {
  auto move = [&](auto *bits, int64_t count) {
    for (int64_t i = 0; i < count; i += 2)
      bits[i] ^= 1;
  };
  int64_t n = array.elements();
  switch (array.type()) {
  case ElementType::C128:
    return move(static_cast<uint64_t *>(array.data()), 2 * n);
  case ElementType::F64:
    return move(static_cast<uint64_t *>(array.data()), n);
  case ElementType::C64:
    return move(static_cast<uint32_t *>(array.data()), 2 * n);
  case ElementType::F32:
    return move(static_cast<uint32_t *>(array.data()), n);
  case ElementType::F16:
  case ElementType::BF16:
    return move(static_cast<uint16_t *>(array.data()), n);
  default:
    return;
  }
}

/// The results for random arguments, `rounded` or not.
static Results runOnce(ModuleOp module, const CompileOptions &options,
                       bool rounded = false) {
  CompileOptions mine = options;
  mine.stopAfter = Stage::Executable;
  FailureOr<Compiled> compiled = compile(module, mine);
  if (failed(compiled))
    return std::nullopt;
  std::vector<Array> arguments;
  for (auto [i, spec] : llvm::enumerate(compiled->arguments)) {
    // The executable adds the sizes of bounded dimensions.
    if (spec.sizeOf >= 0)
      break;
    llvm::Expected<Array> made = randomArray(spec.type, spec.shape, 1, i);
    if (!made) {
      badInput("--verify: " + llvm::toString(made.takeError()), "");
      return std::nullopt;
    }
    if (rounded)
      round(*made);
    arguments.push_back(std::move(*made));
  }
  llvm::Expected<std::vector<Array>> results =
      compiled->executable->run(arguments);
  if (!results) {
    badInput("--verify: " + llvm::toString(results.takeError()), "");
    return std::nullopt;
  }
  return std::move(*results);
}

/// The number of results that differ, which `report` is told; nothing on an
/// error, which has been printed.
static std::optional<size_t>
countDifferent(ArrayRef<Array> found, ArrayRef<Array> expected,
               llvm::function_ref<void(size_t, const Comparison &)> report) {
  size_t count = 0;
  for (auto [i, array] : llvm::enumerate(found)) {
    WholeArrayReader got(array), wanted(expected[i]);
    double tolerance = toleranceOf(array.type());
    llvm::Expected<double> largest = largestMagnitude(wanted);
    if (!largest) {
      badInput("--verify: " + llvm::toString(largest.takeError()), "");
      return std::nullopt;
    }
    llvm::Expected<Comparison> compared =
        compareArrays(got, wanted, tolerance, tolerance * *largest);
    if (!compared) {
      badInput("--verify: " + llvm::toString(compared.takeError()), "");
      return std::nullopt;
    }
    if (compared->ok())
      continue;
    ++count;
    report(i, *compared);
  }
  return count;
}

namespace {

/// What the annotated program is compared with.
struct Reference {
  OwningOpRef<ModuleOp> module;
  CompileOptions options;
  llvm::StringRef name = "the unpartitioned program";
};

} // namespace

/// The program on one device; with manual computations, whose bodies have the
/// shapes of their mesh, on that mesh without other shardings.
static FailureOr<Reference> referenceOf(ModuleOp asRead,
                                        const CompileOptions &options) {
  Reference plain;
  plain.module = asRead.clone();
  plain.options = options;
  AutoOptions unannotated;
  unannotated.drop = DropAnnotations::All;
  if (failed(importShardings(*plain.module)))
    return failure();
  if (hasManualComputations(*plain.module)) {
    plain.name = "the program whose manual computations alone are sharded";
  } else {
    unannotated.mesh = {{"all", 1}};
    for (sdy::MeshOp op : plain.module->getOps<sdy::MeshOp>())
      for (sdy::MeshAxisAttr axis : op.getMesh().getAxes())
        if (llvm::none_of(plain.options.import.meshSizes,
                          [&](const MeshAxis &known) {
                            return known.name == axis.getName();
                          }))
          plain.options.import.meshSizes.push_back({axis.getName().str(), 1});
  }
  if (failed(prepareModule(*plain.module, unannotated)))
    return failure();
  return plain;
}

int verifyByRunning(ModuleOp asRead, llvm::StringRef annotated,
                    const CompileOptions &options, llvm::raw_ostream *verdict) {
  FailureOr<Reference> plain = referenceOf(asRead, options);
  OwningOpRef<ModuleOp> sharded = parse(annotated, asRead.getContext());
  if (!sharded || failed(plain))
    return exitBadInput;
  OwningOpRef<ModuleOp> again = plain->module->clone();
  Results expected = runOnce(*plain->module, plain->options);
  Results found = expected ? runOnce(*sharded, options) : std::nullopt;
  if (!found)
    return exitBadInput;
  std::optional<size_t> different =
      countDifferent(*found, *expected, [](size_t i, const Comparison &c) {
        err() << llvm::formatv("result {0} differs: {1} of {2} elements, got "
                               "{3}, expected {4}\n",
                               i, c.mismatches, c.elements, c.gotThere,
                               c.expectedThere);
      });
  if (!different)
    return exitBadInput;
  if (*different == 0) {
    if (verdict)
      *verdict << "verified: the results are those of " << plain->name << "\n";
    return exitFine;
  }
  Results rounded = runOnce(*again, plain->options, /*rounded=*/true);
  if (!rounded)
    return exitBadInput;
  std::optional<size_t> sensitive =
      countDifferent(*rounded, *expected, [](size_t, const Comparison &) {});
  if (sensitive && *sensitive > 0)
    err() << "not verified: on random arguments the program is unstable; "
             "results of "
          << plain->name
          << " differ too where arguments "
             "change in the last bit\nremedy: compare on arguments of your "
             "own, with shardwright run and its --expect\n";
  return exitDiffers;
}

} // namespace shardwright
