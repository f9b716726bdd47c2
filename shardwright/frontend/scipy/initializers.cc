//===- initializers.cc - initial values of parameters ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/scipy/initializers.h"

#include "shardwright/frontend/numpy/arrange.h"
#include "shardwright/frontend/numpy/linalg.h"
#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/numpy/random.h"
#include "shardwright/frontend/numpy/rearrange.h"

#include <cmath>

namespace shardwright::frontend {
namespace random {
Tensor orthogonal(const Tensor &key, int64_t n, const Shape &shape,
                  std::optional<int64_t> m) {
  int64_t columns = m.value_or(n);
  Shape wide = shape;
  wide.push_back(std::max(n, columns));
  wide.push_back(std::min(n, columns));
  auto [q, r] = linalg::qr(normal(key, wide));
  if (const Error *error = errorIn(Tensors{q, r}))
    return *error;
  Tensor out =
      lax::mul(q, lax::expand_dims(lax::sign(diagonal(r)), {q.rank() - 2}));
  return n < columns ? swapaxes(out, -1, -2) : out;
}
} // namespace random

namespace nn::initializers {
namespace {

Tensor f32(double value) { return scalarOf(value, DType::F32); }

struct Fans {
  double in = 0, out = 0;
};
Expected<Fans> fansOf(const Shape &shape, const FanAxes &axes) {
  if (axes.in == Ints{-2} && shape.rank() <= 1)
    return valueError(
        "Can't compute input and output sizes of a ", shape.rank(),
        "-dimensional weights tensor with default in_axis. Must be at least 2D "
        "or specify in_axis explicitly.");
  double sizes[3] = {1, 1, 1};
  const Ints *lists[3] = {&axes.in, &axes.out, &axes.batch};
  for (int i = 0; i < 3; ++i)
    for (int64_t axis : *lists[i]) {
      Expected<int64_t> d = normalizedAxis(axis, shape.rank());
      if (!d)
        return d.error();
      sizes[i] *= static_cast<double>(shape[*d]);
    }
  double field =
      static_cast<double>(shape.elements()) / sizes[0] / sizes[1] / sizes[2];
  return Fans{sizes[0] * field, sizes[1] * field};
}

} // namespace

Initializer zeros(DType type) { return constant(0, type); }
Initializer ones(DType type) { return constant(1, type); }
Initializer constant(double value, DType type) {
  return [=](const Tensor &, const Shape &shape) {
    return full(shape, value, type);
  };
}
Initializer uniform(double scale) {
  return [=](const Tensor &key, const Shape &shape) {
    return lax::mul(random::uniform(key, shape), f32(scale));
  };
}
Initializer normal(double stddev) {
  return [=](const Tensor &key, const Shape &shape) {
    return lax::mul(random::normal(key, shape), f32(stddev));
  };
}
Initializer truncatedNormal(double stddev, double lower, double upper) {
  return [=](const Tensor &key, const Shape &shape) {
    return lax::mul(random::truncatedNormal(key, f32(lower), f32(upper), shape),
                    f32(stddev));
  };
}
Initializer varianceScaling(double scale, Fan fan, Distribution distribution,
                            const FanAxes &axes) {
  return [=](const Tensor &key, const Shape &shape) -> Tensor {
    Expected<Fans> fans = fansOf(shape, axes);
    if (!fans)
      return fans.error();
    double divisor = fan == Fan::In        ? fans->in
                     : fan == Fan::Out     ? fans->out
                     : fan == Fan::Average ? (fans->in + fans->out) / 2
                                           : std::sqrt(fans->in * fans->out);
    // A float32 number, from which the rest is computed.
    auto variance = static_cast<float>(scale / divisor);
    if (distribution == Distribution::Normal)
      return lax::mul(random::normal(key, shape), f32(std::sqrt(variance)));
    if (distribution == Distribution::Uniform)
      return lax::mul(random::uniform(key, shape, -1, 1),
                      f32(std::sqrt(3 * variance)));
    // The deviation of a normal number that is cut at -2 and 2.
    float deviation = std::sqrt(variance) / .87962566103423978f;
    return lax::mul(random::truncatedNormal(key, f32(-2), f32(2), shape),
                    f32(deviation));
  };
}
Initializer glorotUniform(const FanAxes &axes) {
  return varianceScaling(1, Fan::Average, Distribution::Uniform, axes);
}
Initializer glorotNormal(const FanAxes &axes) {
  return varianceScaling(1, Fan::Average, Distribution::TruncatedNormal, axes);
}
Initializer xavierUniform(const FanAxes &axes) { return glorotUniform(axes); }
Initializer xavierNormal(const FanAxes &axes) { return glorotNormal(axes); }
Initializer lecunUniform(const FanAxes &axes) {
  return varianceScaling(1, Fan::In, Distribution::Uniform, axes);
}
Initializer lecunNormal(const FanAxes &axes) {
  return varianceScaling(1, Fan::In, Distribution::TruncatedNormal, axes);
}
Initializer heUniform(const FanAxes &axes) {
  return varianceScaling(2, Fan::In, Distribution::Uniform, axes);
}
Initializer heNormal(const FanAxes &axes) {
  return varianceScaling(2, Fan::In, Distribution::TruncatedNormal, axes);
}
Initializer kaimingUniform(const FanAxes &axes) { return heUniform(axes); }
Initializer kaimingNormal(const FanAxes &axes) { return heNormal(axes); }

Initializer orthogonal(double scale, int64_t columnAxis) {
  return [=](const Tensor &key, const Shape &shape) -> Tensor {
    if (shape.rank() < 2)
      return valueError("orthogonal initializer requires at least a 2D shape");
    SW_TRY(checkShape(shape));
    Expected<int64_t> d = normalizedAxis(columnAxis, shape.rank());
    if (!d)
      return d.error();
    if (!shape.elements())
      return frontend::zeros(shape);
    int64_t columns = shape[*d];
    Tensor q = random::orthogonal(key, shape.elements() / columns, {}, columns);
    Shape rows = shape;
    rows.erase(rows.begin() + *d);
    rows.push_back(columns);
    return lax::mul(f32(scale), moveaxis(reshape(q, rows), -1, *d));
  };
}
Initializer deltaOrthogonal(double scale, int64_t columnAxis) {
  return [=](const Tensor &key, const Shape &shape) -> Tensor {
    int64_t rank = shape.rank();
    if (rank < 3 || rank > 5)
      return valueError("Delta orthogonal initializer requires a 3D, 4D or 5D "
                        "shape.");
    if (shape[rank - 1] < shape[rank - 2])
      return valueError("`fan_in` must be less or equal than `fan_out`. ");
    Tensor matrix =
        orthogonal(scale, columnAxis)(key, {shape[rank - 2], shape[rank - 1]});
    std::vector<Index> middle;
    for (int64_t d = 0; d < rank - 2; ++d)
      middle.push_back((shape[d] - 1) / 2);
    return IndexUpdate(frontend::zeros(shape), middle).set(matrix);
  };
}

} // namespace nn::initializers
} // namespace shardwright::frontend
