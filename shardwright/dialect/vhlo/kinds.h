//===- kinds.h - enums and types without parameters, as data ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_VHLO_KINDS_H
#define SHARDWRIGHT_DIALECT_VHLO_KINDS_H

#include "shardwright/dialect/vhlo/version.h"

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"

namespace shardwright::vhlo {

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

enum class EnumKind : uint8_t {
  ComparisonDirection,
  ComparisonType,
  ApiVersion,
  FftType,
  Precision,
  RngAlgorithm,
  RngDistribution,
  Transpose,
  ResultAccuracyMode,
};

struct EnumInfo {
  EnumKind kind;
  uint64_t code; // code of the attribute in bytecode
  llvm::StringLiteral mnemonic;
  Version since;
  uint32_t firstValue; // of names[0]
  llvm::ArrayRef<llvm::StringLiteral> names;

  std::optional<uint32_t> valueOf(llvm::StringRef name) const;
  bool isValue(uint64_t value) const {
    return value >= firstValue && value - firstValue < names.size();
  }
  llvm::StringRef nameOf(uint32_t value) const {
    return names[value - firstValue];
  }
};

llvm::ArrayRef<EnumInfo> enumTable(); // indexed by kind
inline const EnumInfo &infoOf(EnumKind kind) {
  return enumTable()[static_cast<size_t>(kind)];
}

//===----------------------------------------------------------------------===//
// Types without parameters
//===----------------------------------------------------------------------===//

enum class PrimitiveKind : uint8_t {
  Boolean,
  BF16,
  F16,
  F32,
  F64,
  F8E4M3FN,
  F8E5M2,
  Index,
  I4,
  I8,
  I16,
  I32,
  I64,
  UI4,
  UI8,
  UI16,
  UI32,
  UI64,
  Token,
  Witness,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
  F8E4M3B11FNUZ,
  I2,
  UI2,
  None,
  TF32,
  F8E4M3,
  F8E3M4,
  F4E2M1FN,
  F6E2M3FN,
  F6E3M2FN,
  F8E8M0FNU,
};

struct PrimitiveInfo {
  PrimitiveKind kind;
  uint64_t code; // in bytecode
  llvm::StringLiteral mnemonic;
  Version since;
  /// The builtin type; null for tokens and witnesses.
  mlir::Type (*builtin)(mlir::MLIRContext *context);
};

llvm::ArrayRef<PrimitiveInfo> primitiveTable(); // indexed by kind
inline const PrimitiveInfo &infoOf(PrimitiveKind kind) {
  return primitiveTable()[static_cast<size_t>(kind)];
}

} // namespace shardwright::vhlo

#endif // SHARDWRIGHT_DIALECT_VHLO_KINDS_H
