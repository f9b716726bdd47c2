//===- cpu_compile.cc - programs from modules and from bytes --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Separate from cpu_backend.cc and cpu_program.cc, which need no compiler.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/backend/cpu_program.h"
#include "shardwright/cpu/jit/build_identity.h"
#include "shardwright/cpu/jit/program_bytes.h"
#include "shardwright/cpu/lower/lowering.h"
#include "shardwright/cpu/program/memory_plan.h"

using namespace shardwright;
using namespace shardwright::cpu;

std::string CpuBackend::description() const {
  return "virtual devices on this host's CPU (" + codeTarget().cpu +
         "), build " + buildIdentity().substr(0, 16);
}

std::string CpuBackend::codeIdentity() const { return buildIdentity(); }

std::vector<std::pair<std::string, std::string>> cpu::whatMustAgree() {
  const CodeTarget &target = codeTarget();
  return {{"build of Shardwright", buildIdentity()},
          {"version of LLVM", target.version},
          {"CPU", target.cpu + ", features " + target.features}};
}

llvm::FailureOr<std::shared_ptr<LoadedProgram>>
CpuBackend::compile(mlir::ModuleOp module, const ProgramOptions &options) {
  LoweringOptions lowering;
  lowering.cacheDir = options.cacheDir;
  lowering.compileThreads = options.compileThreads;
  mlir::FailureOr<Program> program = lowerToProgram(module, lowering);
  if (failed(program))
    return mlir::failure();
  planMemory(*program);
  auto loaded = makeLoadedProgram(std::move(*program), options.donations);
  if (!loaded)
    return module.emitError() << llvm::toString(loaded.takeError());
  return std::move(*loaded);
}

// Writes the target of the code, the donations, and the program with its object
// files (program_bytes.h).

llvm::Expected<std::string> CpuProgram::serialize() const {
  ByteWriter b;
  const CodeTarget &target = codeTarget();
  b.string(target.version);
  b.string(target.triple);
  b.string(target.cpu);
  b.string(target.features);
  b.list(loaded->donations, [&](const ArgumentDonation &donation) {
    b.integer(donation.isDonated);
    b.integer(donation.aliasedResult);
  });
  if (llvm::Error e = writeProgram(loaded->program, b))
    return e;
  return b.take();
}

llvm::Expected<std::shared_ptr<LoadedProgram>>
CpuBackend::load(llvm::StringRef bytes) {
  ByteReader b(bytes);
  CodeTarget target;
  for (std::string *text :
       {&target.version, &target.triple, &target.cpu, &target.features})
    *text = b.string().str();
  if (llvm::Error e = checkRunsHere(target))
    return e;
  std::vector<ArgumentDonation> donations;
  b.list(donations, [&] {
    bool isDonated = b.boolean();
    return ArgumentDonation{isDonated, b.id()};
  });
  llvm::Expected<Program> program = readProgram(b);
  if (!program)
    return program.takeError();
  if (!b.atEnd())
    return llvm::createStringError("bytes follow after the executable");
  return makeLoadedProgram(std::move(*program), donations);
}
