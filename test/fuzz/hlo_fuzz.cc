//===- hlo_fuzz.cc - mutated HLO protos -----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A proto is refused with exactly one error, or becomes a module that prints as
// text that parses and verifies. Reading it again gives the same text.
//
//===----------------------------------------------------------------------===//

#include "fuzz_context.h"
#include "proto_mutator.h"

#include "shardwright/interop/hlo/read_hlo.h"
#include "shardwright/interop/input/input_limits.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace shardwright;

/// Reads a module, and counts the errors.
static OwningOpRef<ModuleOp> read(MLIRContext *context, llvm::StringRef bytes,
                                  hlo::Wrapping wrapping, int &errors) {
  ScopedDiagnosticHandler count(context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  return hlo::readHlo(bytes, wrapping, UnknownLoc::get(context));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  MLIRContext *context = &fuzz::context();
  hlo::Wrapping wrapping =
      hlo::isHloModule(bytes) ? hlo::Wrapping::Any : hlo::Wrapping::None;
  int errors = 0;
  OwningOpRef<ModuleOp> module = read(context, bytes, wrapping, errors);
  if (errors != (module ? 0 : 1))
    fuzz::finding("a proto was read with " + std::to_string(errors) + " errors",
                  bytes);
  if (!module || failed(checkModule(*module, /*attributes=*/true)))
    return 0;
  std::string text = fuzz::print(*module);
  // Text has limits that protos do not have, of nesting and of ranks.
  if (!checkText(text) && !fuzz::parse(text))
    fuzz::finding("the text of what was read does not parse", text);
  OwningOpRef<ModuleOp> again = read(context, bytes, wrapping, errors);
  if (!again || fuzz::print(*again) != text)
    fuzz::finding("a proto reads differently the second time", text);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t limit, unsigned seed) {
  return fuzz::mutateProto(data, size, limit, seed);
}
