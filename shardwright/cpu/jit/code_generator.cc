//===- code_generator.cc - LLVM IR to object code -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/jit/code_generator.h"

#include "shardwright/cpu/jit/host_target.h"

#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>
#include <vector>

using namespace llvm;

namespace shardwright::cpu {
namespace {

/// Idle generators. Never destroyed: threads may still compile at exit.
struct Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<CodeGenerator>> idle[2]; ///< by CodegenOptLevel
};

Pool &pool() {
  static Pool *pool = new Pool;
  return *pool;
}

} // namespace

Expected<std::unique_ptr<CodeGenerator>>
CodeGenerator::create(CodegenOptLevel level) {
  const TargetInfo &info = hostTarget();
  Triple triple(sys::getProcessTriple());
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError("no code generator for this machine: %s",
                             error.c_str());
  std::unique_ptr<CodeGenerator> result(new CodeGenerator(level));
  result->machine.reset(target->createTargetMachine(
      triple, info.cpu, info.features, TargetOptions(), Reloc::PIC_,
      CodeModel::Small,
      level == CodegenOptLevel::Quick ? CodeGenOptLevel::None
                                      : CodeGenOptLevel::Default,
      /*JIT=*/true));
  if (!result->machine)
    return createStringError("no code generator for this machine");

  PassBuilder builder(result->machine.get());
  builder.registerModuleAnalyses(result->modules);
  builder.registerCGSCCAnalyses(result->callGraph);
  builder.registerFunctionAnalyses(result->functions);
  builder.registerLoopAnalyses(result->loops);
  builder.crossRegisterProxies(result->loops, result->functions,
                               result->callGraph, result->modules);
  if (Error e = builder.parsePassPipeline(
          result->passes,
          "early-cse,instcombine<no-verify-fixpoint>,loop-mssa(licm),"
          "early-cse"))
    return e;
  MCContext *context;
  if (result->machine->addPassesToEmitMC(result->backEnd, context,
                                         result->stream))
    return createStringError("this machine's code generator writes no objects");
  return result;
}

void CodeGenerator::setTarget(Module &module) const {
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(machine->getTargetTriple());
}

Error CodeGenerator::optimize(Module &module) {
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(module, &os))
    return createStringError("generated code is invalid: %s", problem.c_str());
  if (level == CodegenOptLevel::Quick)
    return Error::success();
  for (Function &f : module)
    if (!f.isDeclaration())
      passes.run(f, functions);
  // The next module may have functions at the same addresses.
  loops.clear();
  functions.clear();
  callGraph.clear();
  modules.clear();
  return Error::success();
}

std::unique_ptr<MemoryBuffer> CodeGenerator::generate(Module &module) {
  object.clear();
  backEnd.run(module);
  return MemoryBuffer::getMemBufferCopy(StringRef(object.data(), object.size()),
                                        module.getModuleIdentifier());
}

Expected<CodeGeneratorLease> CodeGeneratorLease::take(CodegenOptLevel level) {
  {
    std::lock_guard lock(pool().mutex);
    auto &idle = pool().idle[static_cast<int>(level)];
    if (!idle.empty()) {
      CodeGeneratorLease lease(std::move(idle.back()));
      idle.pop_back();
      return std::move(lease);
    }
  }
  Expected<std::unique_ptr<CodeGenerator>> made = CodeGenerator::create(level);
  if (!made)
    return made.takeError();
  return CodeGeneratorLease(std::move(*made));
}

CodeGeneratorLease::~CodeGeneratorLease() {
  if (!generator)
    return;
  std::lock_guard lock(pool().mutex);
  pool().idle[static_cast<int>(generator->level)].push_back(
      std::move(generator));
}

} // namespace shardwright::cpu
