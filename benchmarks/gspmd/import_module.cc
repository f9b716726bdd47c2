//===- import_module.cc - times parsing and the import of shardings -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `import_module FILE RUNS` prints the best CPU seconds of parsing FILE, of
// converting its shardings to sdy, and of converting these back to
// mhlo.sharding.
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/import_module.h"
#include "benchmarks/clock.h"
#include "shardwright/compile/registration.h"
#include "shardwright/interop/gspmd/export_gspmd.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>

using namespace mlir;
using shardwright::cpuSeconds;

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: import_module FILE RUNS\n";
    return 2;
  }
  double parse = 1e9, import = 1e9, exported = 1e9;
  size_t ops = 0;
  for (int run = 0; run < std::atoi(argv[2]); ++run) {
    DialectRegistry registry;
    shardwright::registerDialects(registry);
    MLIRContext context(registry);
    context.loadAllAvailableDialects();
    double start = cpuSeconds();
    auto module = parseSourceFile<ModuleOp>(argv[1], &context);
    double parsed = cpuSeconds();
    ops = 0;
    if (module)
      module->walk([&](Operation *) { ++ops; });
    double counted = cpuSeconds();
    if (!module || failed(shardwright::importShardings(*module)))
      return 1;
    double imported = cpuSeconds();
    if (failed(shardwright::exportGspmd(*module)))
      return 1;
    parse = std::min(parse, parsed - start);
    import = std::min(import, imported - counted);
    exported = std::min(exported, cpuSeconds() - imported);
  }
  llvm::outs() << llvm::format("{\"parse\": %.6f, \"import\": %.6f, "
                               "\"export\": %.6f, \"ops\": %zu}\n",
                               parse, import, exported, ops);
}
