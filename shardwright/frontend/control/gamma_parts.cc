//===- gamma_parts.cc - parts of incomplete gamma functions ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/gamma_parts.h"

#include "shardwright/frontend/control/control.h"
#include "shardwright/frontend/primitives/helpers.h"

namespace shardwright::frontend::gammas {

using namespace lax;

Tensor number(const Tensor &x, double value) {
  return scalarOf(value, x.dtype());
}

Tensor polynomial(const Tensor &x, std::span<const double> coefficients) {
  Tensor out = full_like(x, coefficients.back());
  for (size_t i = coefficients.size() - 1; i-- > 0;)
    out = add(mul(out, x), number(x, coefficients[i]));
  return out;
}

Tensor xMinusLog1p(const Tensor &x) {
  // log(1 + x) = 2 atanh(s) with s = x / (x + 2), and x - 2 s = x s.
  Tensor s = div(x, add(x, number(x, 2)));
  double terms[18];
  for (int i = 0; i < 18; ++i)
    terms[i] = 2.0 / (2 * i + 3);
  Tensor square = mul(s, s);
  Tensor near = mul(s, sub(x, mul(square, polynomial(square, terms))));
  Tensor isNear = lt(lax::abs(x), number(x, 0.5));
  return select(isNear, near, sub(x, log1p(x)));
}

Tensor stirlingRest(const Tensor &x) {
  constexpr double terms[] = {1.0 / 12,    -1.0 / 360,      1.0 / 1260,
                              -1.0 / 1680, 1.0 / 1188,      -691.0 / 360360,
                              1.0 / 156,   -3617.0 / 122400};
  Tensor inverse = div(number(x, 1), x);
  return mul(inverse, polynomial(mul(inverse, inverse), terms));
}

Tensor anyOf(const Tensor &x) { return reduce_or(x, iotaInts(x.rank())); }

Tensors
iterate(const std::function<Tensors(const Tensor &, const Tensors &)> &step,
        const Tensors &init, int64_t limit) {
  Tensors carry = init;
  carry.push_back(scalarOf(int64_t(1), DType::I32));
  TensorsFunction condition = [limit](const Tensors &in) {
    Tensor isEarly = le(in.back(), scalarOf(limit, DType::I32));
    return Tensors{bitwise_and(isEarly, anyOf(in[0]))};
  };
  TensorsFunction body = [&step](const Tensors &in) {
    const Tensor &count = in.back();
    Tensors next = step(convert_element_type(count, DType::F64),
                        Tensors(in.begin(), in.end() - 1));
    for (size_t i = 1; i < next.size(); ++i)
      next[i] = select(in[0], next[i], in[i]);
    next[0] = bitwise_and(in[0], next[0]);
    next.push_back(add(count, scalarOf(int64_t(1), DType::I32)));
    return next;
  };
  Tensors out = whileFlat(condition, body, carry);
  out.resize(init.size(), out.empty() ? Tensor() : out[0]);
  return out;
}

Tensor
inF64(const Tensors &operands,
      const std::function<Tensor(const Tensors &, bool isNarrow)> &function) {
  ScopedConfig wide(config::enableX64, true);
  if (const Error *error = errorIn(operands))
    return *error;
  std::vector<Aval> types;
  for (const Tensor &x : operands)
    types.push_back(x.aval());
  Expected<Shape> shape = broadcastShapes("igamma", types);
  if (!shape)
    return shape.error();
  DType type = operands[0].dtype();
  Tensors in;
  for (const Tensor &x : operands) {
    Tensor full = convert_element_type(x, DType::F64);
    if (full.rank() == shape->rank())
      full = broadcast_in_dim(full, *shape, iotaInts(full.rank()));
    else
      full = broadcast_in_dim(full, *shape, {});
    in.push_back(full);
  }
  return convert_element_type(function(in, type != DType::F64), type);
}

} // namespace shardwright::frontend::gammas
