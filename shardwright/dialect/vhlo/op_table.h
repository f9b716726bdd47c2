//===- op_table.h - the ops of VHLO as data -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_VHLO_OP_TABLE_H
#define SHARDWRIGHT_DIALECT_VHLO_OP_TABLE_H

#include "shardwright/dialect/vhlo/version.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace shardwright::vhlo {

/// How an attribute of a VHLO op corresponds to StableHLO. Attributes of VHLO
/// are mandatory, so the kind also gives the value for an absent one.
enum class AttrKind : uint8_t {
  Plain,            // the attribute of the same name, mandatory on both sides
  I64s,             // DenseI64ArrayAttr
  Symbol,           // FlatSymbolRefAttr
  Symbols,          // array of FlatSymbolRefAttr; absent: []
  Flag,             // BoolAttr; absent: false
  Unit,             // UnitAttr; absent: false
  Channel,          // channel_handle.handle; absent: 0
  ChannelType,      // channel_handle.type
  Exploded,         // a field of a structured attribute
  ExplodedOrEmpty,  // likewise; before it existed: no dimensions
  Algorithm,        // a field of `algorithm`; absent: type none
  EmptyString,      // absent: ""
  EmptyArray,       // absent: []
  EmptyDictionary,  // absent: {}
  EmptyI64s,        // DenseI64ArrayAttr; absent: no elements
  EmptyTensor,      // i64 elements; absent: no elements
  Ones,             // DenseI64ArrayAttr; absent: 1 per window dimension
  Zeros,            // i64 elements; absent: [0, 0] per window dimension
  Falses,           // DenseBoolArrayAttr; absent: false per dimension
  NoComparisonType, // absent: NOTYPE
  Precision,        // absent: [DEFAULT, DEFAULT]
  Accuracy,         // absent: DEFAULT, no tolerance
  ApiVersion,       // i32; absent: ORIGINAL
  BackendConfig,    // absent: "" or, for typed calls, {}
  LastDimension,    // absent: -1
  CompositeVersion, // i32; absent: 0
};

struct AttrSpec {
  llvm::StringLiteral name;
  AttrKind kind = AttrKind::Plain;
};

/// One version of one op.
struct alignas(8) OpRow {
  llvm::StringRef name; // without "vhlo." and "_vN"
  int number;           // N of "_vN"
  Version first, last;  // `last` is kCurrentVersion if it still exists
  llvm::SmallVector<AttrSpec, 4> attrs; // by name, as on the wire

  std::string mnemonic() const; // "add_v1"
};

/// Limit of the number of attributes of an op.
inline constexpr size_t kMaxAttrs = 17;

/// All rows, by name, and versions of an op from old to new. Lives forever, so
/// that a row's address identifies its op.
llvm::ArrayRef<OpRow> opTable();

/// The versions of the op `name`; empty if there is none.
llvm::ArrayRef<OpRow> versionsOf(llvm::StringRef name);

} // namespace shardwright::vhlo

#endif // SHARDWRIGHT_DIALECT_VHLO_OP_TABLE_H
