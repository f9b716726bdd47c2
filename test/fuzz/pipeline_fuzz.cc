//===- pipeline_fuzz.cc - text of modules through every stage to local ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stage either fails with a diagnostic or leaves a module that verifies.
//
//===----------------------------------------------------------------------===//

#include "fuzz_context.h"

#include "shardwright/interop/import_module.h"
#include "shardwright/partition/partition.h"
#include "shardwright/partition/shardy/pipelines.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace shardwright;

namespace shardwright::fuzz {
void addToRegistry(DialectRegistry &registry) {
  registerShardingRules(registry);
}
} // namespace shardwright::fuzz

namespace {

bool failedDiagnostic;

/// True if the stage succeeded. A failure without a diagnostic is a finding.
bool ran(LogicalResult result, StringRef stage, ModuleOp module) {
  if (failed(result)) {
    if (!failedDiagnostic)
      fuzz::finding("a stage fails and says nothing", stage,
                    fuzz::print(module));
    return false;
  }
  if (failed(verify(module)))
    fuzz::finding("a stage leaves a module that does not verify", stage,
                  fuzz::print(module));
  return true;
}

/// Programs with huge loops or shapes are slow, which is no bug.
bool isTooLarge(ModuleOp module) {
  bool large = false;
  module->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        large |= tensor.getRank() > 64;
  });
  return large;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  MLIRContext &context = fuzz::context();
  if (fuzz::crashesMlirParser(text))
    return -1;
  auto module = fuzz::parse(text);
  if (!module || isTooLarge(*module))
    return 0;
  failedDiagnostic = false;
  ScopedDiagnosticHandler hear(&context, [](Diagnostic &diagnostic) {
    failedDiagnostic |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    (void)diagnostic.str();
    return success();
  });
  if (ran(importModule(*module), "import", *module) &&
      ran(propagate(*module), "propagate", *module) &&
      ran(insertCollectives(*module), "reshard", *module))
    ran(localize(*module), "local", *module);
  return 0;
}
