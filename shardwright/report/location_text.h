//===- location_text.h - text of source positions ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_LOCATION_TEXT_H
#define SHARDWRIGHT_REPORT_LOCATION_TEXT_H

#include "mlir/IR/Location.h"

#include <string>

namespace shardwright {

/// `name (file.py:12)`: the innermost source position of a location, in JAX's
/// convention, preceded by its innermost name; empty if unknown.
std::string locationText(mlir::Location location);

/// `file.py:12` alone; otherwise the name; otherwise empty.
std::string filePosition(mlir::Location location);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_LOCATION_TEXT_H
