//===- bool_hex.h - how text writes many booleans ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `dense<"0x..."> : tensor<32x32xi1>` is a byte an element in the text of JAX
// (MLIR 23 and later) and a bit an element in that of MLIR 22, whose parser we
// have. The two differ in length, so nothing is guessed.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_INPUT_BOOL_HEX_H
#define SHARDWRIGHT_INTEROP_INPUT_BOOL_HEX_H

#include "llvm/Support/MemoryBuffer.h"

namespace shardwright {

/// The text with bits, as MLIR 22 parses it. Nothing else moves: what becomes
/// shorter is filled with blanks. The same buffer if it holds no such bytes.
std::unique_ptr<llvm::MemoryBuffer>
boolBytesToBits(std::unique_ptr<llvm::MemoryBuffer> text);

/// Text of MLIR 22 with bytes, as JAX and later MLIR read it.
std::string boolBitsToBytes(std::string text);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_INPUT_BOOL_HEX_H
