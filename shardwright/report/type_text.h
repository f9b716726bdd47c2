//===- type_text.h - types for people ---------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_TYPE_TEXT_H
#define SHARDWRIGHT_REPORT_TYPE_TEXT_H

#include "mlir/IR/Types.h"

#include <string>

namespace shardwright {

/// `8x16xf32`; other types than ranked tensors as MLIR prints them.
std::string typeText(mlir::Type type);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_TYPE_TEXT_H
