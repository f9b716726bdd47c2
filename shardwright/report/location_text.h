//===- location_text.h - text of source positions ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The texts name the user's frame (dialect/source_frames.h) of a location.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_LOCATION_TEXT_H
#define SHARDWRIGHT_REPORT_LOCATION_TEXT_H

#include "shardwright/dialect/source_frames.h"

#include <string>

namespace shardwright {

/// `name (file.py:12)`: the user's source position of a location, preceded by
/// its outermost name, which is JAX's path of the op; empty if unknown.
std::string locationText(mlir::Location location);

/// `file.py:12` alone; otherwise the name; otherwise empty.
std::string filePosition(mlir::Location location);

/// The path of the op alone, as `jit(step)/mlp/dot_general`; may be empty. Of
/// an op in an inlined function, after the path of the call.
std::string opPath(mlir::Location location);

/// Shortens `name (path/to/file.py:12)`, a path or a name to `width` columns
/// where possible, without its leading components: first those of the file,
/// then those of the name. `…/b0/o/dot_general (…/linear.py:123)`
std::string shortenedLocation(llvm::StringRef text, size_t width);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_LOCATION_TEXT_H
