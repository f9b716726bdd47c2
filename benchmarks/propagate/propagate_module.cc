//===- propagate_module.cc - time of the propagation pipeline
//--------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// propagate_module FILE RUNS: parses the file, then runs
// sdy-propagation-pipeline on it, RUNS times, and prints one line of JSON: the
// best CPU seconds of both and of a walk over all ops that does nothing (which
// says what memory costs), and the number of ops. `propagate_module FILE 0`
// prints the module instead.
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

using namespace mlir;
using shardwright::cpuSeconds;

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: propagate_module FILE RUNS\n";
    return 2;
  }
  int runs = std::atoi(argv[2]);
  double parse = 1e9, propagation = 1e9, walk = 1e9;
  size_t ops = 0;
  for (int run = 0; run < std::max(runs, 1); ++run) {
    DialectRegistry registry;
    shardwright::registerDialects(registry);
    MLIRContext context(registry);
    context.loadAllAvailableDialects();
    double ready = cpuSeconds();
    auto sources = std::make_shared<llvm::SourceMgr>();
    auto buffer = llvm::MemoryBuffer::getFile(argv[1]);
    if (!buffer) {
      llvm::errs() << "cannot read " << argv[1] << "\n";
      return 1;
    }
    sources->AddNewSourceBuffer(std::move(*buffer), SMLoc());
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
    if (!module)
      return 1;
    double parsed = cpuSeconds();
    ops = 0;
    module->walk([&](Operation *) { ++ops; });
    double begin = cpuSeconds();
    walk = std::min(walk, begin - parsed);
    PassManager pipeline = PassManager::on<ModuleOp>(&context);
    shardwright::addPropagationPipeline(pipeline, {});
    pipeline.enableVerifier(false);
    if (failed(pipeline.run(*module)))
      return 1;
    propagation = std::min(propagation, cpuSeconds() - begin);
    parse = std::min(parse, parsed - ready);
    if (runs == 0) {
      module->print(llvm::outs());
      llvm::outs() << "\n";
      return 0;
    }
  }
  llvm::outs() << llvm::format(
      "{\"parse\": %.6f, \"propagate\": %.6f, \"walk\": %.6f, \"ops\": %zu}\n",
      parse, propagation, walk, ops);
}
