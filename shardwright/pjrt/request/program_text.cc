//===- program_text.cc - the per-device program as text -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/request/program_text.h"

#include "shardwright/interop/load_module.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwright::pjrt {

/// The innermost file location.
static Location placeOf(Location location) {
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return placeOf(call.getCallee());
  if (auto name = dyn_cast<NameLoc>(location))
    return placeOf(name.getChildLoc());
  if (isa<FileLineColLoc>(location))
    return location;
  return UnknownLoc::get(location.getContext());
}

/// The outermost name and its file location. For fused locations, the first one
/// with a name.
static Location shortened(Location location) {
  if (auto name = dyn_cast<NameLoc>(location))
    return NameLoc::get(name.getName(), placeOf(name.getChildLoc()));
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return shortened(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    Location found = UnknownLoc::get(location.getContext());
    for (Location part : fused.getLocations()) {
      Location shorter = shortened(part);
      if (isa<NameLoc>(shorter))
        return shorter;
      if (isa<UnknownLoc>(found))
        found = shorter;
    }
    return found;
  }
  return placeOf(location);
}

std::string programText(ModuleOp module) {
  llvm::DenseMap<Location, Location> known;
  auto shorter = [&](Location location) {
    auto it = known.find(location);
    if (it == known.end())
      it = known.try_emplace(location, shortened(location)).first;
    return it->second;
  };
  std::vector<std::pair<Operation *, Location>> ops;
  std::vector<std::pair<BlockArgument, Location>> arguments;
  module.walk([&](Operation *op) {
    ops.emplace_back(op, op->getLoc());
    op->setLoc(shorter(op->getLoc()));
    if (!isa<FunctionOpInterface>(op))
      return;
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments()) {
        arguments.emplace_back(argument, argument.getLoc());
        argument.setLoc(shorter(argument.getLoc()));
      }
  });
  std::string text;
  llvm::raw_string_ostream os(text);
  printModule(module, os, OpPrintingFlags().enableDebugInfo());
  for (auto [op, location] : ops)
    op->setLoc(location);
  for (auto [argument, location] : arguments)
    argument.setLoc(location);
  return text;
}

} // namespace shardwright::pjrt
