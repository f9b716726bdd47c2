//===- quantization.h - quantization as arithmetic --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_EXPAND_QUANTIZATION_H
#define SHARDWRIGHT_INTEROP_EXPAND_QUANTIZATION_H

#include "shardwright/interop/expand/op_builder.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace shardwright::op_expansion {

/// The quantized element type of a tensor type; null for any other type.
mlir::quant::QuantizedType quantizedElement(mlir::Type type);
/// The tensor of integers that stores it; other types are unchanged.
mlir::Type storageType(mlir::Type type);
/// The tensor of floats that it represents; other types are unchanged.
mlir::Type expressedType(mlir::Type type);

/// (q - zero point) * scale. `stored` has the storage type of `type`.
mlir::Value dequantize(StaticBuilder &m, mlir::Value stored, mlir::Type type);
/// round_even(clamp(x / scale + zero point)), as the storage type of `type`.
mlir::Value quantize(StaticBuilder &m, mlir::Value x, mlir::Type type);
/// True for quantization per tensor or per axis, which the two functions above
/// support.
bool isUniform(mlir::quant::QuantizedType type);
/// True if scales and zero points are equal, whatever the axis.
bool sameQuantization(mlir::quant::QuantizedType a,
                      mlir::quant::QuantizedType b);

} // namespace shardwright::op_expansion

#endif // SHARDWRIGHT_INTEROP_EXPAND_QUANTIZATION_H
