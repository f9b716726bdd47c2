//===- products.cc - products of arrays -----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/arrange.h"
#include "shardwright/frontend/numpy/promote.h"

namespace shardwright::frontend {

/// The operands with a common element type.
static std::pair<Tensor, Tensor> sameType(const Tensor &x, const Tensor &y) {
  PromotedType t =
      promoteTypes(x.dtype(), x.aval().weak, y.dtype(), y.aval().weak);
  return {lax::convert_element_type(x, t.type),
          lax::convert_element_type(y, t.type)};
}

Tensor tensordot(const Tensor &x, const Tensor &y, const Ints &xAxes,
                 const Ints &yAxes) {
  if (const Error *error = errorIn(Tensors{x, y}))
    return *error;
  if (xAxes.size() != yAxes.size())
    return typeError("tensordot requires axes lists to have equal length, got ",
                     tupleText(xAxes), " and ", tupleText(yAxes), ".");
  DotDims dims;
  for (size_t i = 0; i < xAxes.size(); ++i) {
    Expected<int64_t> a = normalizedAxis(xAxes[i], x.rank()),
                      b = normalizedAxis(yAxes[i], y.rank());
    if (!a || !b)
      return a ? b.error() : a.error();
    dims.lhsContracting.push_back(*a);
    dims.rhsContracting.push_back(*b);
  }
  SW_TRY(checkPromotion(x.dtype(), x.aval().weak, y.dtype(), y.aval().weak));
  auto [a, b] = sameType(x, y);
  return lax::dot_general(a, b, dims, a.dtype());
}
Tensor tensordot(const Tensor &x, const Tensor &y, int64_t axes) {
  if (const Error *error = errorIn(Tensors{x, y}))
    return *error;
  if (axes < 0 || axes > std::min(x.rank(), y.rank()))
    return typeError("Number of tensordot axes (axes ", axes,
                     ") exceeds input ranks (", x.rank(), " and ", y.rank(),
                     ")");
  Ints xAxes = iotaInts(axes);
  for (int64_t &d : xAxes)
    d += x.rank() - axes;
  return tensordot(x, y, xAxes, iotaInts(axes));
}
Tensor dot(const Tensor &x, const Tensor &y) {
  if (const Error *error = errorIn(Tensors{x, y}))
    return *error;
  if (!x.rank() || !y.rank())
    return x * y;
  return tensordot(x, y, Ints{-1}, Ints{y.rank() > 1 ? -2 : 0});
}
Tensor vdot(const Tensor &x, const Tensor &y) {
  if (!x.ok())
    return x;
  return dot(isComplex(x.dtype()) ? lax::conj(ravel(x)) : ravel(x), ravel(y));
}
Tensor inner(const Tensor &x, const Tensor &y) {
  if (const Error *error = errorIn(Tensors{x, y}))
    return *error;
  if (!x.rank() || !y.rank())
    return x * y;
  return tensordot(x, y, Ints{-1}, Ints{-1});
}
Tensor outer(const Tensor &x, const Tensor &y) {
  return expandDims(ravel(x), 1) * expandDims(ravel(y), 0);
}
Tensor kron(const Tensor &x, const Tensor &y) {
  if (const Error *error = errorIn(Tensors{x, y}))
    return *error;
  // Dimensions of x and y take turns.
  int64_t rank = std::max(x.rank(), y.rank());
  Shape a, b, out;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t i = d - (rank - x.rank()), j = d - (rank - y.rank());
    int64_t m = i < 0 ? 1 : x.dim(i), n = j < 0 ? 1 : y.dim(j);
    a.insert(a.end(), {m, 1});
    b.insert(b.end(), {1, n});
    out.push_back(m * n);
  }
  return reshape(lax::reshape(x, a) * lax::reshape(y, b), out);
}

} // namespace shardwright::frontend
