//===- closed_runs.cc - runs that a messenger has closed ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/messenger_run.h"

using namespace shardwright;
using namespace shardwright::messenger;

/// Launches of a device set that are remembered one by one. Launches without
/// messages are never opened, so that there may be gaps; what is not open and
/// lies this far below the last launch has been closed or will not be opened.
static constexpr size_t maxLaunches = 16384;
static constexpr size_t maxDetails = 1000;

void ClosedRuns::add(const RunKey &key, ClosedRun closed) {
  Launches &of = launches[key.deviceSet];
  if (key.launch >= of.below)
    of.above.insert(key.launch);
  if (of.above.size() > maxLaunches)
    of.below = *of.above.begin();
  while (!of.above.empty() && *of.above.begin() == of.below) {
    of.above.erase(of.above.begin());
    ++of.below;
  }
  if (details.insert_or_assign(key, std::move(closed)).second)
    order.push_back(key);
  if (order.size() > maxDetails) {
    details.erase(order.front());
    order.pop_front();
  }
}

bool ClosedRuns::contains(const RunKey &key) const {
  auto it = launches.find(key.deviceSet);
  return it != launches.end() &&
         (key.launch < it->second.below || it->second.above.count(key.launch));
}

const ClosedRun *ClosedRuns::find(const RunKey &key) const {
  auto it = details.find(key);
  return it == details.end() ? nullptr : &it->second;
}

ClosedRun *ClosedRuns::find(const RunKey &key) {
  return const_cast<ClosedRun *>(std::as_const(*this).find(key));
}
