//===- merged_executors.cc - executors of merged programs -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/merged_executors.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;
using namespace shardwright::cpu;

static constexpr size_t mostKept = 64;

static llvm::Expected<std::shared_ptr<const MergedExecutor>>
makeMerged(llvm::ArrayRef<DeviceProgram> given, const Placement &placement) {
  auto made = std::make_shared<MergedExecutor>();
  std::vector<const Program *> programs;
  std::vector<uint64_t> hashes;
  for (const DeviceProgram &one : given) {
    if (!one.program) {
      made->programOf.push_back(0); // runs elsewhere
      continue;
    }
    auto at = llvm::find(hashes, one.hash);
    made->programOf.push_back(at - hashes.begin());
    if (at != hashes.end())
      continue;
    hashes.push_back(one.hash);
    programs.push_back(one.program);
    made->owners.push_back(one.owner);
  }
  auto merged = mergePrograms(programs, made->programOf);
  if (!merged)
    return merged.takeError();
  made->merged = std::move(*merged);
  auto executor = Executor::create(made->merged.program, placement);
  if (!executor)
    return executor.takeError();
  made->executor = std::move(*executor);
  return made;
}

llvm::Expected<std::shared_ptr<const MergedExecutor>>
MergedExecutors::get(llvm::ArrayRef<DeviceProgram> programs,
                     const Placement &placement) {
  Key key;
  for (const DeviceProgram &one : programs) {
    key.push_back(one.program != nullptr);
    key.push_back(one.hash);
  }
  for (int32_t owner : placement.ownersOfPositions())
    key.push_back(owner);
  std::lock_guard lock(mutex);
  auto at =
      llvm::find_if(kept, [&](auto &entry) { return entry.first == key; });
  if (at != kept.end()) {
    kept.splice(kept.begin(), kept, at);
    return at->second;
  }
  auto made = makeMerged(programs, placement);
  if (!made)
    return made.takeError();
  kept.emplace_front(std::move(key), *made);
  if (kept.size() > mostKept)
    kept.pop_back();
  return *made;
}
