//===- location_text.cc - text of source positions ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/location_text.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {
namespace {

struct Found {
  std::string name, file;
};

void search(Location location, Found &found) {
  llvm::TypeSwitch<LocationAttr>(location)
      .Case([&](FileLineColLoc loc) {
        if (found.file.empty())
          found.file = (llvm::Twine(loc.getFilename().getValue()) + ":" +
                        llvm::Twine(loc.getLine()))
                           .str();
      })
      .Case([&](NameLoc loc) {
        // JAX's outermost name is the op's path, such as
        // jit(step)/mlp/dot_general; inner ones are functions of the traceback.
        if (found.name.empty())
          found.name = loc.getName().str();
        search(loc.getChildLoc(), found);
      })
      .Case([&](CallSiteLoc loc) { search(loc.getCallee(), found); })
      .Case([&](FusedLoc loc) {
        for (Location part : loc.getLocations())
          if (found.file.empty())
            search(part, found);
      })
      .Default([](LocationAttr) {});
}

} // namespace

std::string locationText(Location location) {
  Found found;
  search(location, found);
  if (found.name.empty())
    return found.file;
  if (found.file.empty())
    return found.name;
  return found.name + " (" + found.file + ")";
}

std::string filePosition(Location location) {
  Found found;
  search(location, found);
  return found.file.empty() ? found.name : found.file;
}

} // namespace shardwright
