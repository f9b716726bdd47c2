//===- location_text.cc - text of source positions ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/location_text.h"

#include "shardwright/report/text_table.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {
namespace {

/// JAX's outermost name is the op's path, such as jit(step)/mlp/dot_general;
/// inner ones are functions of the traceback.
std::string outermostName(Location location) {
  return llvm::TypeSwitch<LocationAttr, std::string>(location)
      .Case([](NameLoc loc) { return loc.getName().str(); })
      .Case([](CallSiteLoc loc) {
        // A call that was inlined: the path of the call, then that in the
        // function.
        std::string caller = outermostName(loc.getCaller());
        std::string callee = outermostName(loc.getCallee());
        return caller + (caller.empty() || callee.empty() ? "" : "/") + callee;
      })
      .Case([](FusedLoc loc) {
        for (Location part : loc.getLocations())
          if (std::string name = outermostName(part); !name.empty())
            return name;
        return std::string();
      })
      .Default([](LocationAttr) { return std::string(); });
}

/// `path` without leading components until it has `width` columns; at least
/// the last component is left.
std::string withoutFront(llvm::StringRef path, size_t width) {
  if (columnsOf(path) <= width)
    return path.str();
  size_t slash = 0;
  std::string shorter = path.str();
  while ((slash = path.find('/', slash)) != llvm::StringRef::npos) {
    shorter = ("…" + path.drop_front(slash)).str();
    if (columnsOf(shorter) <= width)
      break;
    ++slash;
  }
  return shorter;
}

} // namespace

static std::string userPosition(Location location) {
  std::optional<SourceFrame> frame = userFrame(location);
  return frame ? frame->file + ":" + std::to_string(frame->line) : "";
}

std::string opPath(Location location) { return outermostName(location); }

std::string locationText(Location location) {
  std::string name = opPath(location), file = userPosition(location);
  if (name.empty())
    return file;
  if (file.empty())
    return name;
  return name + " (" + file + ")";
}

std::string filePosition(Location location) {
  std::string file = userPosition(location);
  return file.empty() ? opPath(location) : file;
}

std::string shortenedLocation(llvm::StringRef text, size_t width) {
  if (columnsOf(text) <= width)
    return text.str();
  size_t open = text.ends_with(")") ? text.rfind(" (") : llvm::StringRef::npos;
  if (open == llvm::StringRef::npos)
    return withoutFront(text, width);
  llvm::StringRef name = text.take_front(open);
  llvm::StringRef file = text.drop_front(open + 2).drop_back();
  size_t nameColumns = columnsOf(name) + 3;
  std::string shortFile =
      withoutFront(file, width > nameColumns ? width - nameColumns : 0);
  size_t fileColumns = columnsOf(shortFile) + 3;
  std::string shortName =
      withoutFront(name, width > fileColumns ? width - fileColumns : 0);
  return shortName + " (" + shortFile + ")";
}

} // namespace shardwright
