//===- location_text.h - where in the user's source an op comes from -*- C++
//-*-===//
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

/// `name (file.py:12)`: the innermost source position of a location as JAX
/// writes them, preceded by its innermost name; empty when unknown.
std::string locationText(mlir::Location location);

/// `file.py:12` alone, else the name, else empty.
std::string filePosition(mlir::Location location);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_LOCATION_TEXT_H
