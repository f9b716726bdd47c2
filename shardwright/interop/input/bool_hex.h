//===- bool_hex.h - hex text of boolean constants ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `dense<"0x..."> : tensor<32x32xi1>` holds a byte per element in text of JAX
// (MLIR 23 and later) and a bit per element in text of MLIR 22, whose parser we
// use. The lengths differ, so the format is unambiguous.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_INPUT_BOOL_HEX_H
#define SHARDWRIGHT_INTEROP_INPUT_BOOL_HEX_H

#include "llvm/Support/MemoryBuffer.h"

namespace shardwright {

/// Converts the text to bits, which MLIR 22 parses. Fills the shortened
/// constants with blanks, so that positions stay the same. Returns the same
/// buffer if there is nothing to convert.
std::unique_ptr<llvm::MemoryBuffer>
boolBytesToBits(std::unique_ptr<llvm::MemoryBuffer> text);

/// Converts text of MLIR 22 to bytes, which JAX and later MLIR parse.
std::string boolBitsToBytes(std::string text);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_INPUT_BOOL_HEX_H
