//===- source_frames.cc - call stacks in locations ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/source_frames.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstdlib>
#include <memory>

using namespace mlir;

namespace shardwright {
namespace {

using Components = llvm::SmallVector<llvm::StringRef, 12>;

Components componentsOf(llvm::StringRef path) {
  Components components;
  path.split(components, '/', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return components;
}

/// `python3`, `python3.12`: the folder of a standard library.
bool isPythonFolder(llvm::StringRef component) {
  if (!component.consume_front("python3"))
    return false;
  return component.empty() ||
         (component.consume_front(".") && !component.empty() &&
          llvm::all_of(component, llvm::isDigit));
}

class LibraryPaths {
public:
  LibraryPaths() {
    if (const char *list = std::getenv("SHARDWRIGHT_LIBRARY_PATHS"))
      set(list);
  }

  void set(llvm::StringRef list) {
    paths.clear();
    hasBuiltIn = true;
    llvm::SmallVector<llvm::StringRef> entries;
    list.split(entries, ':', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (llvm::StringRef entry : entries)
      if (entry == "none")
        hasBuiltIn = false;
      else
        paths.push_back(entry.str());
  }

  bool contains(llvm::StringRef file) const {
    Components components = componentsOf(file);
    if (hasBuiltIn && isBuiltIn(file, components))
      return true;
    return llvm::any_of(paths, [&](llvm::StringRef path) {
      Components wanted = componentsOf(path);
      if (path.starts_with("/") || wanted.empty())
        return file.starts_with("/") && isAt(components, 0, wanted);
      for (size_t i = 0; i + wanted.size() <= components.size(); ++i)
        if (isAt(components, i, wanted))
          return true;
      return false;
    });
  }

private:
  static bool isAt(const Components &path, size_t i, const Components &part) {
    return i + part.size() <= path.size() &&
           std::equal(part.begin(), part.end(), path.begin() + i);
  }

  static bool isBuiltIn(llvm::StringRef file, const Components &components) {
    if (file.starts_with("<")) // <string>, <frozen importlib._bootstrap>
      return true;
    for (auto [i, component] : llvm::enumerate(components)) {
      if (component == "site-packages" || component == "dist-packages")
        return true;
      // The last component is the file itself.
      if (i > 0 && i + 1 < components.size() && isPythonFolder(component) &&
          (components[i - 1] == "lib" || components[i - 1] == "lib64"))
        return true;
    }
    return false;
  }

  std::vector<std::string> paths;
  bool hasBuiltIn = true;
};

LibraryPaths &libraryPaths() {
  static LibraryPaths paths;
  return paths;
}

thread_local std::unique_ptr<LibraryPaths> pathsOfThread;

void collectFrames(Location location, std::vector<SourceFrame> &frames) {
  llvm::TypeSwitch<LocationAttr>(location)
      .Case([&](FileLineColLoc loc) {
        frames.push_back(
            {loc.getFilename().str(), loc.getLine(), loc.getColumn()});
      })
      .Case([&](NameLoc loc) { collectFrames(loc.getChildLoc(), frames); })
      .Case([&](CallSiteLoc loc) {
        collectFrames(loc.getCaller(), frames);
        collectFrames(loc.getCallee(), frames);
      })
      .Case([&](FusedLoc loc) {
        for (Location part : llvm::reverse(loc.getLocations()))
          collectFrames(part, frames);
      })
      .Default([](LocationAttr) {});
}

/// The frames of the first part of a fused location that has any: a report
/// names one op.
std::vector<SourceFrame> framesOfOneOp(Location location) {
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      if (std::vector<SourceFrame> frames = framesOfOneOp(part);
          !frames.empty())
        return frames;
    return {};
  }
  if (auto name = dyn_cast<NameLoc>(location))
    return framesOfOneOp(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    std::vector<SourceFrame> frames = framesOfOneOp(call.getCaller());
    llvm::append_range(frames, framesOfOneOp(call.getCallee()));
    return frames;
  }
  return framesOf(location);
}

} // namespace

bool isLibraryFile(llvm::StringRef file) {
  return (pathsOfThread ? *pathsOfThread : libraryPaths()).contains(file);
}

void setLibraryPaths(llvm::StringRef list) { libraryPaths().set(list); }

ScopedLibraryPaths::ScopedLibraryPaths(std::optional<llvm::StringRef> list) {
  if (!list)
    return;
  pathsOfThread = std::make_unique<LibraryPaths>();
  pathsOfThread->set(*list);
}

ScopedLibraryPaths::~ScopedLibraryPaths() { pathsOfThread = nullptr; }

std::vector<SourceFrame> framesOf(Location location) {
  std::vector<SourceFrame> frames;
  collectFrames(location, frames);
  return frames;
}

const SourceFrame *userFrame(llvm::ArrayRef<SourceFrame> frames) {
  for (const SourceFrame &frame : llvm::reverse(frames))
    if (!isLibraryFile(frame.file))
      return &frame;
  return frames.empty() ? nullptr : &frames.back();
}

std::optional<SourceFrame> userFrame(Location location) {
  std::vector<SourceFrame> frames = framesOfOneOp(location);
  if (const SourceFrame *frame = userFrame(frames))
    return *frame;
  return std::nullopt;
}

} // namespace shardwright
