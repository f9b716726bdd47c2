//===- source_stacks.cc - source positions of a report document -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/document/source_stacks.h"

#include "shardwright/dialect/source_frames.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {

void SourceStacks::collect(Location location, StringRef function,
                           std::vector<int64_t> &stack) {
  llvm::TypeSwitch<LocationAttr>(location)
      .Case([&](FileLineColLoc loc) {
        StringRef file = loc.getFilename();
        Frame frame{strings.add(file), int64_t(loc.getLine()),
                    int64_t(loc.getColumn()), strings.add(function)};
        auto [it, isNew] = frames.try_emplace(frame, int64_t(frameList.size()));
        if (isNew) {
          frameList.push_back(llvm::json::Array(frame));
          isLibrary.push_back(isLibraryFile(file));
        }
        stack.push_back(it->second);
      })
      // JAX names the op outside, and the function of each frame inside.
      .Case([&](NameLoc loc) {
        collect(loc.getChildLoc(), loc.getName(), stack);
      })
      .Case([&](CallSiteLoc loc) {
        collect(loc.getCallee(), function, stack);
        collect(loc.getCaller(), "", stack);
      })
      .Case([&](FusedLoc loc) {
        // Ops that were fused: the first one that has a position.
        for (Location part : loc.getLocations())
          if (size_t before = stack.size();
              (collect(part, function, stack), stack.size() > before))
            return;
      })
      .Default([](LocationAttr) {});
}

/// The location without the op's name, which is no function.
static LocationAttr withoutOpName(LocationAttr location) {
  if (auto fused = dyn_cast<FusedLoc>(location))
    return fused.getLocations().size() == 1
               ? withoutOpName(fused.getLocations().front())
               : location;
  if (auto name = dyn_cast<NameLoc>(location))
    return name.getChildLoc();
  return location;
}

int64_t SourceStacks::add(Location location) {
  auto [it, isNew] = known.try_emplace(location, -1);
  if (!isNew)
    return it->second;
  std::vector<int64_t> stack;
  collect(withoutOpName(location), "", stack);
  if (stack.empty())
    return -1;
  auto [number, isNewStack] =
      stacks.try_emplace(stack, int64_t(stackList.size()));
  if (isNewStack)
    stackList.push_back(std::move(stack));
  return it->second = number->second;
}

llvm::json::Array SourceStacks::takeStacks() {
  llvm::json::Array list;
  for (const std::vector<int64_t> &stack : stackList)
    list.push_back(llvm::json::Array(stack));
  return list;
}

llvm::json::Array SourceStacks::userFrames() const {
  llvm::json::Array list;
  for (const std::vector<int64_t> &stack : stackList) {
    auto found = llvm::find_if(stack, [&](int64_t f) { return !isLibrary[f]; });
    list.push_back(found == stack.end() ? -1 : found - stack.begin());
  }
  return list;
}

} // namespace shardwright
