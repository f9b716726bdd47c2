//===- fuzz_context.cc - a context for many hostile inputs ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuzz_context.h"

#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/dialect/vhlo/vhlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// LLVM's headers poison allocator memory. LLVM's library is not instrumented,
/// so it never unpoisons it. The option is set here so that it also applies to
/// a target that is run by hand.
extern "C" __attribute__((used, visibility("default"))) const char *
__asan_default_options() {
  return "detect_container_overflow=0:allow_user_poisoning=0:"
         "allocator_may_return_null=1";
}

namespace shardwright::fuzz {

/// A target with more layers overrides this; the weak default adds nothing.
__attribute__((weak)) void addToRegistry(DialectRegistry &) {}

static std::unique_ptr<MLIRContext> current;

MLIRContext &context() {
  static int uses = 0;
  if (!current || ++uses == 5000) {
    uses = 0;
    DialectRegistry registry;
    registry.insert<func::FuncDialect, quant::QuantDialect,
                    stablehlo::StablehloDialect, chlo::ChloDialect,
                    vhlo::VhloDialect>();
    sdy::registerSdyDialect(registry);
    addToRegistry(registry);
    current = std::make_unique<MLIRContext>(registry,
                                            MLIRContext::Threading::DISABLED);
    current->loadAllAvailableDialects();
    current->getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
      // Its text must be printable too.
      std::string text = diagnostic.str();
      for (const Diagnostic &note : diagnostic.getNotes())
        text += note.str();
      return success();
    });
  }
  return *current;
}

OwningOpRef<ModuleOp> parse(StringRef text) {
  // Files that tools read end with a zero, and MLIR's lexer relies on it.
  std::string terminated = text.str();
  // Modules of this input may still exist, so keep the context.
  return parseSourceString<ModuleOp>(terminated, current.get(), "fuzz");
}

std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os);
  return text;
}

bool crashesMlirParser(StringRef) { return false; }

void finding(StringRef what, StringRef first, StringRef second) {
  llvm::errs() << "FINDING: " << what << "\n" << first << "\n";
  if (!second.empty())
    llvm::errs() << "----\n" << second << "\n";
  abort();
}

} // namespace shardwright::fuzz
