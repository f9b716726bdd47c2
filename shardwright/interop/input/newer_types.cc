//===- newer_types.cc - builtin types of a newer MLIR ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/input/newer_types.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace shardwright {

/// The type for a code of the builtin dialect that MLIR 22 does not have; null
/// if there is none.
static Type newerType(uint64_t code, MLIRContext *context) {
  switch (code) {
  case 21:
    return FloatTF32Type::get(context);
  case 22:
    return Float8E5M2Type::get(context);
  case 23:
    return Float8E4M3Type::get(context);
  case 24:
    return Float8E4M3FNType::get(context);
  case 25:
    return Float8E5M2FNUZType::get(context);
  case 26:
    return Float8E4M3FNUZType::get(context);
  case 27:
    return Float8E4M3B11FNUZType::get(context);
  case 28:
    return Float8E3M4Type::get(context);
  case 29:
    return Float4E2M1FNType::get(context);
  case 30:
    return Float6E2M3FNType::get(context);
  case 31:
    return Float6E3M2FNType::get(context);
  case 32:
    return Float8E8M0FNUType::get(context);
  default:
    return {};
  }
}

void addNewerTypes(ParserConfig &config) {
  // Called before MLIR's own reader, which is used if `type` stays null.
  config.getBytecodeReaderConfig().attachTypeCallback(
      [](DialectBytecodeReader &reader, StringRef dialect,
         Type &type) -> LogicalResult {
        if (dialect != "builtin")
          return success();
        uint64_t code;
        if (failed(reader.readVarInt(code)))
          return failure();
        type = newerType(code, reader.getContext());
        return success();
      });
}

} // namespace shardwright
