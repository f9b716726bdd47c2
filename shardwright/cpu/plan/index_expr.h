//===- index_expr.h - integer expressions of loop indices -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An IndexExpr says which element is read, as a function of the loop variables:
// a sum of atoms with integer coefficients. An atom is a loop variable, a
// quotient or remainder by a constant, or a value computed by the kernel (a
// gathered start). Ranges and the identity c * (e div c) + e mod c = e simplify
// expressions, so that reshapes and merged loops often need no division.
//
// Expressions are values; atoms and whole index vectors are interned, so equal
// ones have equal ids.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PLAN_INDEX_EXPR_H
#define SHARDWRIGHT_CPU_PLAN_INDEX_EXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <map>
#include <vector>

namespace shardwright::cpu {

using AtomId = int32_t;

struct IndexExpr {
  /// Sorted by atom; no zero coefficients.
  llvm::SmallVector<std::pair<AtomId, int64_t>, 2> terms;
  int64_t constant = 0;

  IndexExpr() = default;
  explicit IndexExpr(int64_t value) : constant(value) {}

  bool isConstant() const { return terms.empty(); }
  int64_t coefficient(AtomId atom) const;
  bool operator==(const IndexExpr &other) const {
    return constant == other.constant && terms == other.terms;
  }
  bool operator<(const IndexExpr &other) const {
    if (constant != other.constant)
      return constant < other.constant;
    return std::lexicographical_compare(terms.begin(), terms.end(),
                                        other.terms.begin(), other.terms.end());
  }
};

using IndexVector = llvm::SmallVector<IndexExpr, 4>;

struct Range {
  int64_t lo = 0, hi = 0; ///< both included
};

struct Atom {
  enum class Kind : uint8_t { Variable, Quotient, Remainder, Opaque };
  Kind kind;
  /// Variable: its number. Opaque: the node that computes the value.
  int32_t number = -1;
  /// Opaque: interned index at which the node is evaluated.
  int32_t index = -1;
  /// Quotient, Remainder: the dividend and the divisor.
  IndexExpr expr;
  int64_t divisor = 0;
  /// The range of the atom; Opaque values are clamped to it.
  Range range;
};

/// Owns the atoms of one kernel.
class IndexSpace {
public:
  /// A new loop variable.
  AtomId variable(Range range);
  IndexExpr variableExpr(Range range) { return term(variable(range)); }
  /// The scalar value of `node` at `index`, clamped to `range`, whose
  /// lower end is 0.
  IndexExpr opaque(int32_t node, const IndexVector &index, Range range);

  IndexExpr term(AtomId atom, int64_t coefficient = 1) const;
  IndexExpr add(const IndexExpr &a, const IndexExpr &b);
  IndexExpr add(const IndexExpr &a, int64_t b) const;
  IndexExpr multiply(const IndexExpr &a, int64_t factor) const;
  /// Rounds down; the divisor is positive.
  IndexExpr divide(const IndexExpr &a, int64_t divisor);
  /// In [0, divisor).
  IndexExpr remainder(const IndexExpr &a, int64_t divisor);

  Range range(const IndexExpr &a) const;
  const Atom &atom(AtomId id) const { return atoms[id]; }
  int32_t intern(const IndexVector &index);
  const IndexVector &interned(int32_t id) const { return *indices[id]; }

  /// sum of index[i] * strides[i].
  IndexExpr linearize(llvm::ArrayRef<IndexExpr> index,
                      llvm::ArrayRef<int64_t> strides);
  /// Index into a row-major array of `shape`.
  IndexVector delinearize(const IndexExpr &linear,
                          llvm::ArrayRef<int64_t> shape);
  /// True if the value depends on the variable.
  bool dependsOn(const IndexExpr &a, AtomId variable) const;
  /// True if the value depends on the variable other than as coefficient *
  /// variable.
  bool dependsNonlinearlyOn(const IndexExpr &a, AtomId variable) const;

private:
  AtomId internAtom(Atom atom);
  void normalize(IndexExpr &a);
  bool splitBelow(const IndexExpr &rest, int64_t divisor, int64_t &g,
                  IndexExpr &high, IndexExpr &low) const;

  /// Atoms with the same value are equal.
  struct AtomLess {
    bool operator()(const Atom &a, const Atom &b) const;
  };
  std::vector<Atom> atoms;
  std::map<Atom, AtomId, AtomLess> atomIds;
  std::vector<const IndexVector *> indices;
  std::map<IndexVector, int32_t> indexIds;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PLAN_INDEX_EXPR_H
