//===- executor.cc - runs a Program on virtual devices --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/executor.h"

#include "shardwright/cpu/execute/run.h"

using namespace shardwright;
using namespace shardwright::cpu;

Executor::Executor(std::unique_ptr<Prepared> p) : prepared(std::move(p)) {}
Executor::~Executor() = default;

llvm::Expected<std::unique_ptr<Executor>>
Executor::create(const Program &program, Placement placement) {
  auto prepared = std::make_unique<Prepared>(program, std::move(placement));
  if (llvm::Error e = prepared->prepare())
    return e;
  return std::unique_ptr<Executor>(new Executor(std::move(prepared)));
}

llvm::Expected<Executor::Memory> Executor::takeMemory() const {
  return prepared->takeRun();
}

llvm::Error Executor::run(llvm::ArrayRef<DeviceBuffers> buffers,
                          ThreadPool &pool, RunStatistics *statistics,
                          Trace *trace, const RemoteOptions *remote) const {
  llvm::Expected<Memory> memory = takeMemory();
  if (!memory)
    return memory.takeError();
  return run(std::move(*memory), buffers, pool, statistics, trace, remote);
}

llvm::Error Executor::run(Memory memory, llvm::ArrayRef<DeviceBuffers> buffers,
                          ThreadPool &pool, RunStatistics *statistics,
                          Trace *trace, const RemoteOptions *remote) const {
  const Program &program = prepared->program;
  llvm::ArrayRef<int32_t> positions = prepared->localPositions;
  if (buffers.size() != positions.size())
    return llvm::createStringError(
        "buffers for " + llvm::Twine(buffers.size()) +
        " devices, but the program runs on " + llvm::Twine(positions.size()));
  if (positions.empty())
    return llvm::Error::success();
  for (size_t d = 0; d < buffers.size(); ++d) {
    const DeviceBuffers &b = buffers[d];
    if (b.arguments.size() != program.arguments.size() ||
        b.results.size() != program.results.size())
      return llvm::createStringError(
          "device " + llvm::Twine(positions[d]) + " has " +
          llvm::Twine(b.arguments.size()) + " arguments and " +
          llvm::Twine(b.results.size()) + " results, but the program has " +
          llvm::Twine(program.arguments.size()) + " and " +
          llvm::Twine(program.results.size()));
  }
  if (!remote && prepared->hasSharedGroups())
    return llvm::createStringError(
        "the program has collectives with devices of other processes, but the "
        "run was given no transport; run it through a backend of the job");
  llvm::Error error =
      memory->execute(buffers, pool, statistics, trace, remote,
                      remote ? describe(*remote) : RunDescription());
  // What a failed run has left behind is not used again.
  if (!error)
    prepared->giveBack(std::move(memory));
  return error;
}

llvm::Error cpu::execute(const Program &program,
                         llvm::ArrayRef<DeviceBuffers> buffers,
                         ThreadPool &pool, RunStatistics *statistics) {
  llvm::Expected<std::unique_ptr<Executor>> executor =
      Executor::create(program);
  if (!executor)
    return executor.takeError();
  return (*executor)->run(buffers, pool, statistics);
}
