//===- einsum.cc - products and sums by letters of dimensions -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/einsum_path.h"
#include "shardwright/frontend/numpy/numpy.h"
#include "shardwright/frontend/numpy/promote.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

bool has(const std::string &letters, char c) {
  return letters.find(c) != std::string::npos;
}
int64_t positionOf(const std::string &letters, char c) {
  return static_cast<int64_t>(letters.find(c));
}
int64_t countOf(const std::string &letters, char c) {
  return std::count(letters.begin(), letters.end(), c);
}
std::string withoutLetters(const std::string &letters,
                           const std::string &removed) {
  std::string out;
  for (char c : letters)
    if (!has(removed, c))
      out += c;
  return out;
}

/// An operand whose dimensions have letters.
struct Operand {
  Tensor value;
  std::string letters;

  void sum(const Ints &axes) { value = lax::reduce_sum(value, axes); }
  /// Sums dimensions of letters that occur once.
  void sumOut(const std::string &removed) {
    if (removed.empty())
      return;
    Ints axes;
    for (char c : removed)
      axes.push_back(positionOf(letters, c));
    sum(axes);
    letters = withoutLetters(letters, removed);
  }
  /// Takes the diagonal of dimensions with equal letters.
  void sumRepeated(const std::string &kept) {
    std::string seen;
    for (char c : std::string(letters)) {
      if (has(seen, c) || countOf(letters, c) < 2)
        continue;
      seen += c;
      Ints axes;
      for (size_t d = 0; d < letters.size(); ++d)
        if (letters[d] == c)
          axes.push_back(static_cast<int64_t>(d));
      value = onDiagonal(value, axes);
      if (!value.ok())
        return;
      bool isKept = has(kept, c);
      if (isKept)
        axes.pop_back();
      sum(axes);
      // Of several equal letters the last one stays.
      for (size_t n = axes.size(); n-- > 0;)
        letters.erase(letters.begin() + positionOf(letters, c));
    }
  }
  /// Removes dimensions of size 1 that are larger in the other operand.
  void dropSingletons(const Shape &shape, const std::string &others) {
    Ints dropped;
    std::string kept;
    for (size_t d = 0; d < letters.size(); ++d) {
      size_t j = others.find(letters[d]);
      if (value.dim(static_cast<int64_t>(d)) != 1 || j == std::string::npos ||
          shape[j] == 1)
        kept += letters[d];
      else
        dropped.push_back(static_cast<int64_t>(d));
    }
    if (dropped.empty())
      return;
    value = lax::squeeze(value, dropped);
    letters = kept;
  }

private:
  /// Zero where positions along the axes differ.
  static Tensor onDiagonal(const Tensor &x, const Ints &axes) {
    Shape base;
    for (int64_t axis : axes)
      base.push_back(x.dim(axis));
    Tensors iotas;
    for (size_t i = 0; i < axes.size(); ++i)
      iotas.push_back(lax::iota(DType::U32, base, static_cast<int64_t>(i)));
    Tensor mask;
    for (size_t i = 0; i + 1 < iotas.size(); ++i) {
      Tensor equal = lax::eq(iotas[i], iotas[i + 1]);
      mask = i ? lax::bitwise_and(mask, equal) : equal;
    }
    if (base.rank() != x.rank())
      mask = lax::broadcast_in_dim(mask, x.shape(), axes);
    return lax::select_n(mask, {lax::full_like(x, 0), x});
  }
};

Operand contractOne(Operand x, const EinsumStep &step) {
  std::string once;
  for (char c : step.contracted)
    if (countOf(x.letters, c) == 1)
      once += c;
  x.sumOut(once);
  if (x.value.ok())
    x.sumRepeated(step.result);
  return x;
}

Operand contractTwo(Operand x, Operand y, const EinsumStep &step, DType type) {
  x.dropSingletons(y.value.shape(), y.letters);
  y.dropSingletons(x.value.shape(), x.letters);
  auto alone = [&](const Operand &own, const Operand &other) {
    std::string out;
    for (char c : step.contracted)
      if (countOf(own.letters, c) == 1 && !has(other.letters, c))
        out += c;
    return out;
  };
  std::string onlyX = alone(x, y), onlyY = alone(y, x);
  x.sumOut(onlyX);
  y.sumOut(onlyY);
  if (!x.value.ok() || !y.value.ok())
    return {x.value.ok() ? y.value : x.value, step.result};
  x.sumRepeated(step.result + y.letters);
  y.sumRepeated(step.result + x.letters);
  std::string contracted, batch;
  for (char c : step.contracted)
    if (has(x.letters, c) || has(y.letters, c))
      contracted += c;
  for (char c : step.result)
    if (has(x.letters, c) && has(y.letters, c))
      batch += c;
  std::string removed = batch + contracted;
  std::string freeX = withoutLetters(x.letters, removed),
              freeY = withoutLetters(y.letters, removed);
  // The order of the operands that needs no transposition.
  bool isSwapped = batch + freeY + freeX == step.result;
  const Operand &lhs = isSwapped ? y : x, &rhs = isSwapped ? x : y;
  DotDims dims;
  for (char c : contracted) {
    dims.lhsContracting.push_back(positionOf(lhs.letters, c));
    dims.rhsContracting.push_back(positionOf(rhs.letters, c));
  }
  for (char c : batch) {
    dims.lhsBatch.push_back(positionOf(lhs.letters, c));
    dims.rhsBatch.push_back(positionOf(rhs.letters, c));
  }
  return {lax::dot_general(lhs.value, rhs.value, dims, type),
          batch + (isSwapped ? freeY + freeX : freeX + freeY)};
}

} // namespace

Tensor einsum(const std::string &spec, const Tensors &xs) {
  if (const Error *error = errorIn(xs))
    return *error;
  std::vector<Shape> shapes;
  PromotedType type{DType::Bool, true};
  for (size_t i = 0; i < xs.size(); ++i) {
    shapes.push_back(xs[i].shape());
    PromotedType own{xs[i].dtype(), xs[i].aval().weak};
    type = i ? promoteTypes(type.type, type.weak, own.type, own.weak) : own;
  }
  Expected<std::vector<EinsumStep>> path = einsumPath(spec, shapes);
  if (!path)
    return path.error();
  for (const Tensor &x : xs)
    SW_TRY(checkPromotion(xs[0].dtype(), xs[0].aval().weak, x.dtype(),
                          x.aval().weak));
  Tensors operands;
  for (const Tensor &x : xs)
    operands.push_back(
        x.dtype() == type.type ? x : lax::convert_element_type(x, type.type));
  for (const EinsumStep &step : *path) {
    std::vector<Operand> taken;
    for (size_t i = 0; i < step.operands.size(); ++i) {
      taken.push_back({operands[step.operands[i]], step.terms[i]});
      operands.erase(operands.begin() + step.operands[i]);
    }
    Operand made = taken.size() == 1
                       ? contractOne(taken[0], step)
                       : contractTwo(taken[0], taken[1], step, type.type);
    if (!made.value.ok())
      return made.value;
    if (made.letters != step.result) {
      Ints order;
      for (char c : step.result)
        order.push_back(positionOf(made.letters, c));
      made.value = lax::transpose(made.value, order);
    }
    operands.push_back(made.value);
  }
  return operands[0];
}

} // namespace shardwright::frontend
