//===- opcodes.h - the opcodes of HLO ---------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_HLO_OPCODES_H
#define SHARDWRIGHT_INTEROP_HLO_OPCODES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace shardwright::hlo {

class Translator;
struct Instruction;

/// Emits the ops of one instruction, and sets its value.
using Translate = llvm::LogicalResult (*)(Translator &translator,
                                          const Instruction &instruction);

/// One opcode of XLA. Either it is translated, or refused with a reason.
struct Opcode {
  llvm::StringLiteral name;
  Translate translate;
  /// The op of StableHLO or CHLO, where one op of the same operands and result
  /// types is emitted; else empty.
  llvm::StringLiteral op = llvm::StringLiteral("");
  /// Why StableHLO cannot express it; only without `translate`.
  llvm::StringLiteral refusal = llvm::StringLiteral("");
};

/// Every opcode of XLA, by name.
llvm::ArrayRef<Opcode> allOpcodes();
/// Null if XLA has no such opcode.
const Opcode *findOpcode(llvm::StringRef name);

} // namespace shardwright::hlo

#endif // SHARDWRIGHT_INTEROP_HLO_OPCODES_H
