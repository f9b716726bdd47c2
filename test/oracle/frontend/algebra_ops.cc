//===- algebra_ops.cc - windows, convolutions and matrices by name --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ops.h"

namespace shardwright::frontend {
namespace {

std::vector<Ints> pairs(const Ints &flat) {
  std::vector<Ints> out;
  for (size_t i = 0; i + 1 < flat.size(); i += 2)
    out.push_back({flat[i], flat[i + 1]});
  return out;
}
Tensor convolve(const Args &a, const Keys &k, const ConvLayout &layout) {
  return lax::conv_general_dilated(lax::reshape(a[0], get(k, "lhs")),
                                   lax::reshape(a[1], get(k, "rhs")),
                                   {.strides = get(k, "strides"),
                                    .padding = pairs(get(k, "padding")),
                                    .lhsDilation = get(k, "base"),
                                    .rhsDilation = get(k, "dilation"),
                                    .layout = layout,
                                    .featureGroups = one(k, "features"),
                                    .batchGroups = one(k, "batches")});
}

/// A real function of a complex array.
Tensor realOf(const Tensor &z) {
  return lax::add(lax::real(z),
                  lax::mul(lax::imag(z), lax::full_like(lax::real(z), 0.5)));
}

Tensor transposed(const Tensor &x) {
  Ints permutation;
  for (int64_t d = 0; d < x.rank(); ++d)
    permutation.push_back(d);
  if (x.rank() > 1)
    std::swap(permutation[x.rank() - 1], permutation[x.rank() - 2]);
  return lax::transpose(x, permutation);
}
Tensor product(const Tensor &x, const Tensor &y) {
  Ints batch;
  for (int64_t d = 0; d + 2 < x.rank(); ++d)
    batch.push_back(d);
  return lax::dot_general(x, y, {{x.rank() - 1}, {x.rank() - 2}, batch, batch});
}
Tensor identityOf(const Tensor &x) {
  int64_t n = x.dim(x.rank() - 1);
  return lax::broadcast_in_dim(eye(n), x.shape(), {x.rank() - 2, x.rank() - 1});
}
/// A positive definite matrix with distinct eigenvalues.
Tensor definite(const Tensor &x) {
  Tensor square = product(x, transposed(x));
  return lax::add(square, identityOf(square));
}

} // namespace

static void addMatrices(Ops &ops) {
  OP("cholesky", lax::linalg::cholesky(definite(a[0])))
  OP("triangular_solve",
     lax::linalg::triangular_solve(definite(a[0]),
                                   one(k, "left") ? a[1] : transposed(a[1]),
                                   {.leftSide = one(k, "left") != 0,
                                    .lower = one(k, "lower") != 0,
                                    .transposeA = one(k, "transpose") != 0,
                                    .unitDiagonal = one(k, "unit") != 0}))
  ops["qr"] = [](const Args &a, const Keys &k) -> Tensors {
    Tensors out = lax::linalg::qr(one(k, "tall") ? transposed(a[0]) : a[0],
                                  one(k, "full") != 0);
    return {lax::abs(out[0]), lax::abs(out[1])};
  };
  ops["lu"] = [](const Args &a, const Keys &k) {
    return lax::linalg::lu(one(k, "tall") ? transposed(a[0]) : a[0]);
  };
  ops["eigh"] = [](const Args &a, const Keys &) -> Tensors {
    Tensors out = lax::linalg::eigh(definite(a[0]));
    return {lax::abs(out[0]), out[1]};
  };
  ops["svd"] = [](const Args &a, const Keys &k) -> Tensors {
    Tensors out = lax::linalg::svd(a[0], one(k, "full") != 0);
    return {lax::abs(out[0]), out[1], lax::abs(out[2])};
  };
  OP("svd_values", lax::linalg::svd(a[0], true, false)[0])
}

void addArrayAlgebra(Ops &ops) {
  addMatrices(ops);
  ops["top_k"] = [](const Args &a, const Keys &k) {
    return lax::top_k(a[0], one(k, "k"), one(k, "axis"));
  };
  OP("reduce_window_sum", lax::reduce_window_sum(a[0], windowOf(k)))
  OP("reduce_window_max", lax::reduce_window_max(a[0], windowOf(k)))
  OP("reduce_window_min", lax::reduce_window_min(a[0], windowOf(k)))
  OP("conv1", convolve(a, k, {"NCW", "OIW", "NCW"}))
  OP("conv2", convolve(a, k, {"NHWC", "HWIO", "NHWC"}))
  OP("fft",
     realOf(lax::fft(lax::complex(a[0], a[1]),
                     static_cast<FftType>(one(k, "type")), get(k, "lengths"))))
  OP("rfft", realOf(lax::fft(a[0], FftType::RFFT, get(k, "lengths"))))
  OP("irfft",
     lax::fft(lax::complex(a[0], a[1]), FftType::IRFFT, get(k, "lengths")))
}

} // namespace shardwright::frontend
