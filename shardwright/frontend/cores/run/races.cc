//===- races.cc - unsynchronised accesses to memory -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/cores/run/races.h"

#include <algorithm>

namespace shardwright::frontend::kernels {

int32_t RaceDetector::recordOf(const Actor &actor, const std::string &op) {
  // An operation in a loop is recorded once.
  for (size_t i = records.size(); i-- > 0 && i + 64 > records.size();)
    if (records[i].actor.what == actor.what && records[i].op == op &&
        records[i].actor.isCopy == actor.isCopy)
      return static_cast<int32_t>(i);
  records.push_back({actor, op});
  return static_cast<int32_t>(records.size()) - 1;
}

Status RaceDetector::access(const MemoryPtr &memory, const Box &box,
                            bool isWrite, const Actor &actor,
                            const Clock &clock, const std::string &op) {
  Shadow &shadow = shadows[memory.get()];
  if (!shadow.memory) {
    shadow.memory = memory;
    shadow.cells.resize(memory->type.shape.elements());
  }
  const Access now{actor.task, clock[actor.task], recordOf(actor, op)};
  auto isKnown = [&](const Access &before) {
    return before.task < 0 || before.task == actor.task ||
           (static_cast<size_t>(before.task) < clock.size() &&
            before.time <= clock[before.task]);
  };
  const Access *conflict = nullptr;
  bool wasWrite = false;
  Access found;
  box.forEach([&](int64_t at) {
    Cell &cell = shadow.cells[at];
    if (!conflict && !isKnown(cell.write)) {
      found = cell.write;
      conflict = &found;
      wasWrite = true;
    }
    if (!isWrite) {
      for (Access &read : cell.reads)
        if (read.task == actor.task) {
          read = now;
          return;
        }
      cell.reads.push_back(now);
      return;
    }
    for (const Access &read : cell.reads)
      if (!conflict && !isKnown(read)) {
        found = read;
        conflict = &found;
      }
    cell.reads.clear();
    cell.write = now;
  });
  if (!conflict)
    return {};
  const Record &before = records[found.record];
  bool isCopy = before.actor.isCopy || actor.isCopy;
  return makeError(
      ErrorKind::Runtime, "a race in ", memory->name, " (", memory->type.str(),
      "): ", actor.what, " ", isWrite ? "writes" : "reads", " in `", op,
      "` elements that ", before.actor.what, " ", wasWrite ? "writes" : "reads",
      " in `", before.op, "`",
      isCopy ? " while the copy is in flight; wait for the copy's semaphore "
               "between the two"
             : " without synchronization; order the two by a semaphore");
}

} // namespace shardwright::frontend::kernels
