//===- literal.h - constants as bits -------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The values of constant folding: supported element types, one element as bits,
// and a constant tensor as a list of elements in row-major order.

#ifndef SHARDWRIGHT_SIMPLIFY_LITERAL_H
#define SHARDWRIGHT_SIMPLIFY_LITERAL_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/APFloat.h"

#include <optional>

namespace shardwright::simplifier {

/// An element type that folding supports: integers of every width,
/// booleans, floats that have a sign and a zero, complex numbers of those.
struct ElementKind {
  enum Class { Bool, Signed, Unsigned, Float, Complex } kind;
  unsigned width; ///< bits; of each part when complex
  const llvm::fltSemantics *semantics = nullptr; ///< Float and Complex

  static std::optional<ElementKind> of(mlir::Type elementType);

  bool isInt() const { return kind == Signed || kind == Unsigned; }
  bool isFloat() const { return kind == Float; }
  uint64_t mask() const { return width == 64 ? ~0ull : (1ull << width) - 1; }
  /// The bits sign-extended, or zero-extended when unsigned.
  int64_t extend(uint64_t bits) const;
  llvm::APFloat toFloat(uint64_t bits) const;
  /// The bits of integers: the smallest and the largest value.
  uint64_t smallest() const;
  uint64_t largest() const;
};

/// One element: its bits, zero above the width. `im` is 0 unless complex.
struct Element {
  uint64_t re = 0, im = 0;
  bool operator==(const Element &) const = default;
};

uint64_t bitsOf(const llvm::APFloat &value);

/// A constant. `elements` holds one element if `splat`, otherwise all of them.
struct Literal {
  mlir::RankedTensorType type;
  ElementKind kind;
  bool splat;
  llvm::SmallVector<Element> elements;

  const Element &at(int64_t i) const { return elements[splat ? 0 : i]; }
  mlir::DenseElementsAttr attr() const;

  /// The literal of a constant attribute; nothing when it has more than `limit`
  /// distinct elements or is of a type or storage that folding does not know.
  static std::optional<Literal> of(mlir::Attribute value, int64_t limit);
  /// The same of the value of a constant op that carries no attributes.
  static std::optional<Literal> of(mlir::Value value, int64_t limit);
};

/// The attribute of a constant that `value` is, if that carries no attributes.
mlir::ElementsAttr constantValue(mlir::Value value);

/// Returns the element of a splat constant or of a broadcast one.
std::optional<Element> splatOf(mlir::Value value);

/// The elements of a small integer constant (any signedness, or index), as a
/// shape or a list of positions. Nothing when one of them does not fit.
std::optional<llvm::SmallVector<int64_t>> integersOf(mlir::Value value);

/// True for the tensors that the rewrites support: of static shape and without
/// encoding, with booleans, integers, floats or complex numbers as elements.
bool isPlain(mlir::Type type);

} // namespace shardwright::simplifier

#endif // SHARDWRIGHT_SIMPLIFY_LITERAL_H
