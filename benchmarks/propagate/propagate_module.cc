//===- propagate_module.cc - time of the propagation pipeline -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// propagate_module FILE RUNS [COPIES]: parses the file, then runs
// sdy-propagation-pipeline on it, RUNS times, and prints one line of JSON: the
// best CPU seconds of both and of an empty walk over all ops (a measure of the
// cost of memory access), and the number of ops. `propagate_module FILE 0`
// prints the module instead.
//
// With COPIES, that many modules are parsed from the file into one context, and
// then propagated one after another. Each module is small, but no longer in a
// cache when it is propagated. All measurements are sums.
//
//===----------------------------------------------------------------------===//

#include "benchmarks/clock.h"
#include "shardwright/compile/registration.h"
#include "shardwright/partition/shardy/pipelines.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace mlir;
using shardwright::cpuSeconds;

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4) {
    llvm::errs() << "usage: propagate_module FILE RUNS [COPIES]\n";
    return 2;
  }
  int runs = std::atoi(argv[2]);
  int copies = argc == 4 ? std::atoi(argv[3]) : 1;
  double parse = 1e9, propagation = 1e9, walk = 1e9;
  size_t ops = 0;
  for (int run = 0; run < std::max(runs, 1); ++run) {
    DialectRegistry registry;
    shardwright::registerDialects(registry);
    MLIRContext context(registry);
    context.loadAllAvailableDialects();
    double ready = cpuSeconds();
    std::vector<OwningOpRef<ModuleOp>> modules;
    for (int copy = 0; copy < copies; ++copy) {
      auto sources = std::make_shared<llvm::SourceMgr>();
      auto buffer = llvm::MemoryBuffer::getFile(argv[1]);
      if (!buffer) {
        llvm::errs() << "cannot read " << argv[1] << "\n";
        return 1;
      }
      sources->AddNewSourceBuffer(std::move(*buffer), SMLoc());
      modules.push_back(parseSourceFile<ModuleOp>(sources, &context));
      if (!modules.back())
        return 1;
    }
    double parsed = cpuSeconds();
    ops = 0;
    for (OwningOpRef<ModuleOp> &module : modules)
      module->walk([&](Operation *) { ++ops; });
    double begin = cpuSeconds();
    walk = std::min(walk, begin - parsed);
    PassManager pipeline = PassManager::on<ModuleOp>(&context);
    shardwright::addPropagationPipeline(pipeline, {});
    pipeline.enableVerifier(false);
    for (OwningOpRef<ModuleOp> &module : modules)
      if (failed(pipeline.run(*module)))
        return 1;
    propagation = std::min(propagation, cpuSeconds() - begin);
    parse = std::min(parse, parsed - ready);
    if (runs == 0) {
      modules.front()->print(llvm::outs());
      llvm::outs() << "\n";
      return 0;
    }
  }
  llvm::outs() << llvm::format(
      "{\"parse\": %.6f, \"propagate\": %.6f, \"walk\": %.6f, \"ops\": %zu}\n",
      parse, propagation, walk, ops);
}
