//===- source_frames.h - call stacks in locations ---------------*- C++ -*-===//
//-*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A location is a call stack: call sites, fused and named locations around
// positions in files. Reports name the innermost position that is not in a
// library, because that is the line that the user wrote.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_SOURCE_FRAMES_H
#define SHARDWRIGHT_DIALECT_SOURCE_FRAMES_H

#include "mlir/IR/Location.h"

#include <optional>
#include <string>
#include <vector>

namespace shardwright {

struct SourceFrame {
  std::string file;
  unsigned line = 0, column = 0;
};

/// All positions of a location: the frames of its call stack, outermost first.
/// Of several ops in whose place one was made, those of the first come last.
std::vector<SourceFrame> framesOf(mlir::Location location);

/// The innermost of `frames` that is not in a library; if all are, the
/// innermost. Null if there are none.
const SourceFrame *userFrame(llvm::ArrayRef<SourceFrame> frames);

/// The user's frame of a location, of the first op if there are several.
std::optional<SourceFrame> userFrame(mlir::Location location);

/// True if the file is part of a library: installed packages of Python, its
/// standard library, code without a file such as `<string>`, and what
/// setLibraryPaths adds.
bool isLibraryFile(llvm::StringRef file);

/// Adds paths of libraries, separated by colons, to the built-in ones: an
/// absolute directory, or consecutive components of a path such as
/// `flax/linen`. The entry `none` removes the built-in ones. Replaces those of
/// an earlier call and of the environment variable SHARDWRIGHT_LIBRARY_PATHS,
/// which otherwise applies. Not thread-safe: call it before any report.
void setLibraryPaths(llvm::StringRef list);

/// Replaces the paths of libraries for this thread while it exists; does
/// nothing without a list. They do not nest.
class ScopedLibraryPaths {
public:
  explicit ScopedLibraryPaths(std::optional<llvm::StringRef> list);
  ~ScopedLibraryPaths();
  ScopedLibraryPaths(const ScopedLibraryPaths &) = delete;
  ScopedLibraryPaths &operator=(const ScopedLibraryPaths &) = delete;
};

} // namespace shardwright

#endif // SHARDWRIGHT_DIALECT_SOURCE_FRAMES_H
