//===- run_program.cc - execution of compiled programs --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/callbacks/call_watch.h"
#include "shardwright/frontend/callbacks/pending_runs.h"
#include "shardwright/frontend/jit/compiled_program.h"
#include "shardwright/frontend/jit/forward_program.h"
#include "shardwright/frontend/mesh/run_data.h"
#include "shardwright/runtime/custom_call.h"

#include <unordered_map>

namespace shardwright::frontend {

/// Of buffers by argument and position, the list by position and argument.
static llvm::SmallVector<Buffer, 8>
byPosition(llvm::SmallVector<Buffer, 8> byArgument, size_t positions) {
  if (positions == 1)
    return byArgument;
  llvm::SmallVector<Buffer, 8> out;
  out.reserve(byArgument.size());
  for (size_t k = 0; k < positions; ++k)
    for (size_t i = k; i < byArgument.size(); i += positions)
      out.push_back(std::move(byArgument[i]));
  return out;
}

Status checkDonated(const CompiledProgram &program, const Tensors &args) {
  std::unordered_map<const Value *, size_t> first;
  size_t next = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!program.kept[i])
      continue;
    size_t own = next++;
    auto [entry, isNew] = first.try_emplace(args[i].handle().get(), own);
    bool before = program.donated[entry->second], now = program.donated[own];
    if (isNew || !(before || now))
      continue;
    return makeError(
        ErrorKind::Runtime, "INVALID_ARGUMENT: Attempt to ",
        before && now ? "donate the same buffer twice in Execute()"
        : now ? "donate a buffer which is also used by the same call to "
                "Execute()"
              : "use a buffer that was previously donated in the same call to "
                "Execute()",
        " (flattened argument ", own,
        ", replica 0, partition 0, first use: ", entry->second,
        "). Toy example for this bug: `f(", before ? "donate(a)" : "a", ", ",
        now ? "donate(a)" : "a", ")`.");
  }
  return {};
}

void removeDonated(const CompiledProgram &program, const Tensors &args) {
  if (!program.donatesAny)
    return;
  size_t next = 0;
  for (size_t i = 0; i < args.size(); ++i)
    if (program.kept[i] && program.donated[next++])
      (void)args[i].remove();
}

/// What the functions that the program calls know of its run; null: it calls
/// none.
static std::shared_ptr<detail::RunInfo>
infoOfRun(const CompiledProgram &program) {
  if (!program.callsUser)
    return nullptr;
  auto info = std::make_shared<detail::RunInfo>();
  info->program = program.name;
  auto [reportAfter, timeout] = CallLimits::current();
  info->reportAfter = reportAfter;
  info->timeout = timeout;
  info->outer = detail::currentRun();
  info->outerDevice = cpu::RunContext::currentDevice();
  return info;
}

/// The events of buffers that are not there yet.
static std::vector<Event> pendingEvents(llvm::ArrayRef<Buffer> buffers) {
  std::vector<Event> out;
  for (const Buffer &buffer : buffers)
    if (!buffer.ready().isReady() && !llvm::is_contained(out, buffer.ready()))
      out.push_back(buffer.ready());
  return out;
}

Tensors runProgram(const CompiledProgram &program, const Tensors &args) {
  if (config::noExecution.get())
    return {makeError(ErrorKind::Runtime, "JAX tried to execute function ",
                      program.name,
                      ", but the no_execution config option is set")};
  if (program.forwarding)
    return runForwarding(program, args);
  const size_t positions = program.devices.size();
  llvm::SmallVector<Buffer, 8> buffers;
  buffers.reserve(program.ins.size() * positions);
  size_t next = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].ok())
      return {args[i]};
    if (!program.kept[i])
      continue;
    const ArrayValue *array = asArray(args[i]);
    if (!array)
      return {typeError("a traced value was passed to a compiled program")};
    if (Status status = array->appendBuffers(program.ins[next++], buffers);
        !status)
      return {status.error()};
  }
  if (program.donatesAny)
    if (Status valid = checkDonated(program, args); !valid)
      return {Tensor(valid.error())};
  ExecuteOptions withCalls;
  const ExecuteOptions *options = &program.options;
  std::shared_ptr<detail::RunInfo> info = infoOfRun(program);
  std::shared_ptr<const void> data = detail::currentRunData(info);
  detail::RunStart start = detail::beginRun(info.get());
  if (start.ticket)
    start.after = pendingEvents(buffers);
  if (data || !program.effects.empty()) {
    withCalls = program.options;
    for (const OrderedRun &last : runsBefore(program.effects)) {
      withCalls.after.push_back(last.passed);
      start.after.push_back(last.done);
    }
    withCalls.callData = std::move(data);
    options = &withCalls;
  }
  auto run = program.executable->executeFlat(
      byPosition(std::move(buffers), positions), client(), *options);
  if (!run) {
    detail::endRun(info.get());
    return {fromLlvm(run.takeError())};
  }
  detail::recordStart(std::move(start), run->done, program.devices, info);
  if (!program.effects.empty())
    recordRun(program.effects, run->done);
  removeDonated(program, args);
  Tensors outs;
  const size_t results = program.outs.size();
  outs.reserve(results);
  for (size_t r = 0; r < results; ++r) {
    std::vector<Buffer> own;
    own.reserve(positions);
    for (size_t k = 0; k < positions; ++k)
      own.push_back(std::move(run->results[k * results + r]));
    outs.push_back(arrayOfBuffers(program.outAvals[r], program.outs[r],
                                  program.committed, std::move(own),
                                  program.outLayouts[r]));
  }
  return outs;
}

} // namespace shardwright::frontend
