//===- user_ops.cc - functions in the manner of jax.numpy -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ops.h"

#include <cmath>

namespace shardwright::frontend {
namespace {

Tensor realOf(const Tensor &z) {
  return lax::add(lax::real(z),
                  lax::mul(lax::imag(z), lax::full_like(lax::real(z), 0.5)));
}
Tensor keyOf(const Keys &k) { return random::key(one(k, "seed")); }
Axes axesOf(const Keys &k) {
  return k.count("axes") ? Axes(get(k, "axes")) : Axes();
}
std::vector<Ints> pairs(const Ints &flat) {
  std::vector<Ints> out;
  for (size_t i = 0; i + 1 < flat.size(); i += 2)
    out.push_back({flat[i], flat[i + 1]});
  return out;
}
/// A matrix far from singular ones.
Tensor regular(const Tensor &x) { return x + 2.0 * eye(x.dim(x.rank() - 1)); }
Tensor definite(const Tensor &x) {
  return matmul(x, swapaxes(x, -1, -2)) + eye(x.dim(x.rank() - 2));
}
/// Some elements are NaN or infinite.
Tensor broken(const Tensor &x) {
  Tensor f = where(x < 0.3, lax::full_like(x, NAN), x);
  return where(x > 0.8, lax::full_like(x, INFINITY), f);
}
Tensor withNan(const Tensor &x) {
  return where(x < 0.3, lax::full_like(x, NAN), x);
}
Tensor f32(const Tensor &x) { return astype(x, DType::F32); }

} // namespace

static void addRandom(Ops &ops) {
  OP("random_uniform", random::uniform(keyOf(k), get(k, "shape"), -1, 2))
  OP("random_unit", random::uniform(keyOf(k), get(k, "shape")))
  OP("random_normal", random::normal(keyOf(k), get(k, "shape")))
  OP("random_truncated_normal",
     random::truncatedNormal(keyOf(k), -1.0f, 2.0f, get(k, "shape")))
  OP("random_gumbel", random::gumbel(keyOf(k), get(k, "shape")))
  OP("random_exponential", random::exponential(keyOf(k), get(k, "shape")))
  OP("random_laplace", random::laplace(keyOf(k), get(k, "shape")))
  OP("random_logistic", random::logistic(keyOf(k), get(k, "shape")))
  OP("random_cauchy", random::cauchy(keyOf(k), get(k, "shape")))
  OP("random_rademacher", random::rademacher(keyOf(k), get(k, "shape")))
  OP("random_bernoulli", random::bernoulli(keyOf(k), 0.3, get(k, "shape")))
  OP("random_randint",
     random::randint(keyOf(k), get(k, "shape"), one(k, "lo"), one(k, "hi")))
  OP("random_categorical", random::categorical(keyOf(k), a[0], one(k, "axis")))
  OP("random_permutation", random::permutation(keyOf(k), a[0], one(k, "axis")))
  OP("random_permutation_n", random::permutation(keyOf(k), one(k, "n")))
  OP("random_choice", random::choice(keyOf(k), one(k, "n"), get(k, "shape"),
                                     one(k, "replace") != 0))
  OP("random_choice_p", random::choice(keyOf(k), a[0], get(k, "shape")))
}

static void addLinalg(Ops &ops) {
  OP("linalg_solve", linalg::solve(regular(a[0]), a[1]))
  OP("linalg_inv", linalg::inv(regular(a[0])))
  OP("linalg_det", linalg::det(a[0]))
  ops["linalg_slogdet"] = [](const Args &a, const Keys &) -> Tensors {
    auto out = linalg::slogdet(a[0]);
    return {out.first, out.second};
  };
  OP("linalg_pinv", linalg::pinv(a[0]))
  OP("linalg_lstsq", linalg::lstsq(a[0], a[1]))
  OP("linalg_matrix_power", linalg::matrixPower(regular(a[0]), one(k, "n")))
  OP("linalg_matrix_rank", linalg::matrixRank(a[0]))
  OP("linalg_norm",
     linalg::norm(a[0], axesOf(k), static_cast<linalg::Norm>(one(k, "kind")),
                  one(k, "keep") != 0))
  OP("linalg_cholesky", linalg::cholesky(definite(a[0])))
  OP("linalg_eigvalsh", linalg::eigvalsh(definite(a[0])))
}

static void addFourier(Ops &ops) {
  OP("np_fft", realOf(fft::fft(a[0], one(k, "n"), one(k, "axis"))))
  OP("np_ifft", realOf(fft::ifft(lax::complex(a[0], a[1]))))
  OP("np_rfft", realOf(fft::rfft(a[0], {}, one(k, "axis"))))
  OP("np_irfft", fft::irfft(lax::complex(a[0], a[1]), one(k, "n")))
  OP("np_fft2", realOf(fft::fft2(a[0])))
  OP("np_fftn", realOf(fft::fftn(a[0])))
  OP("np_rfftn", realOf(fft::rfftn(a[0])))
  OP("np_irfftn", fft::irfftn(lax::complex(a[0], a[1])))
  OP("np_fftshift", fft::fftshift(a[0], axesOf(k)))
  OP("np_ifftshift", fft::ifftshift(a[0], axesOf(k)))
  OP("np_fftfreq", fft::fftfreq(one(k, "n"), 0.5))
  OP("np_rfftfreq", fft::rfftfreq(one(k, "n"), 0.5))
}

static void addArrange(Ops &ops) {
  OP("np_pad", pad(a[0], pairs(get(k, "widths")),
                   static_cast<PadMode>(one(k, "mode")), 0.5))
  OP("np_roll", roll(a[0], one(k, "shift"), axesOf(k)))
  OP("np_tile", tile(a[0], get(k, "reps")))
  OP("np_repeat", repeat(a[0], one(k, "n"), one(k, "axis")))
  OP("np_repeat_flat", repeat(a[0], one(k, "n")))
  OP("np_flip", flip(a[0], axesOf(k)))
  OP("np_moveaxis", moveaxis(a[0], one(k, "from"), one(k, "to")))
  OP("np_hstack", hstack(a))
  OP("np_vstack", vstack(a))
  ops["np_split"] = [](const Args &a, const Keys &k) {
    return splitAt(a[0], get(k, "at"), one(k, "axis"));
  };
  ops["np_meshgrid"] = [](const Args &a, const Keys &k) {
    return meshgrid(a, one(k, "xy") != 0);
  };
  OP("np_diag", diag(a[0], one(k, "k")))
  OP("np_trace", trace(a[0]))
  OP("np_linspace", linspace(-1, 2, one(k, "n")))
  OP("np_dot", dot(a[0], a[1]))
  OP("np_vdot", vdot(a[0], a[1]))
  OP("np_inner", inner(a[0], a[1]))
  OP("np_outer", outer(a[0], a[1]))
  OP("np_kron", kron(a[0], a[1]))
  OP("np_tensordot", tensordot(a[0], a[1], one(k, "axes")))
  OP("np_matmul", matmul(a[0], a[1]))
  OP("np_einsum", einsum("bij,bjk->bik", {a[0], a[1]}))
  OP("np_cumprod", cumprod(a[0], one(k, "axis")))
  OP("np_diff", diff(a[0], one(k, "n"), one(k, "axis")))
  OP("np_searchsorted", searchsorted(sort(a[0]), a[1], one(k, "right") != 0))
  OP("np_bincount", bincount(a[0], one(k, "length")))
  OP("np_histogram", histogram(a[0], linspace(0.2, 0.8, 5)))
  OP("np_tril", tril(a[0], one(k, "k")))
  OP("np_triu", triu(a[0], one(k, "k")))
  OP("np_take_along_axis",
     takeAlongAxis(a[0], argsort(a[0], one(k, "axis")), one(k, "axis")))
}

static void addElementwise(Ops &ops) {
  OP("np_isnan", f32(isnan(broken(a[0]))))
  OP("np_isinf", f32(isinf(broken(a[0]))))
  OP("np_isfinite", f32(isfinite(broken(a[0]))))
  OP("np_nan_to_num", nanToNum(broken(a[0])))
  OP("np_nansum", nansum(withNan(a[0]), axesOf(k)))
  OP("np_nanmean", nanmean(withNan(a[0]), axesOf(k)))
  OP("np_nanmax", nanmax(withNan(a[0]), axesOf(k)))
  OP("np_nanmin", nanmin(withNan(a[0]), axesOf(k)))
  OP("np_std", stddev(a[0], axesOf(k), false, one(k, "ddof")))
  OP("np_count_nonzero", countNonzero(floor(a[0] * 3), axesOf(k)))
  OP("np_median", median(a[0], one(k, "axis")))
  OP("np_logaddexp", logaddexp(a[0], a[1]))
  OP("np_floor_divide", floorDivide(a[0], a[1]))
  OP("np_hypot", hypot(a[0], a[1]))
  OP("np_arctan2", arctan2(a[0], a[1]))
  OP("np_reciprocal", reciprocal(a[0]))
  OP("np_round", round(a[0] * 7))
  OP("np_trunc", trunc(a[0] * 7))
  OP("np_isclose", f32(isclose(a[0], a[1], 0.1, 0.1)))
  OP("np_allclose", f32(allclose(a[0], a[1], 0.1, 0.1)))
  OP("np_clip", clip(a[0], 0.3, 0.6))
  OP("np_where", where(a[0] > a[1], a[0], 0.5))
  OP("np_var", var(a[0], axesOf(k)))
}

static void addActivations(Ops &ops) {
  OP("nn_relu", nn::relu(a[0]))
  OP("nn_relu6", nn::relu6(a[0] * 4))
  OP("nn_elu", nn::elu(a[0]))
  OP("nn_celu", nn::celu(a[0], 0.5))
  OP("nn_selu", nn::selu(a[0]))
  OP("nn_leaky_relu", nn::leakyRelu(a[0]))
  OP("nn_hard_tanh", nn::hardTanh(a[0]))
  OP("nn_hard_sigmoid", nn::hardSigmoid(a[0] * 3))
  OP("nn_hard_silu", nn::hardSilu(a[0] * 3))
  OP("nn_log_sigmoid", nn::logSigmoid(a[0]))
  OP("nn_soft_sign", nn::softSign(a[0]))
  OP("nn_squareplus", nn::squareplus(a[0]))
  OP("nn_mish", nn::mish(a[0]))
  OP("nn_gelu", nn::gelu(a[0]))
  OP("nn_gelu_exact", nn::geluExact(a[0]))
  OP("nn_silu", nn::silu(a[0]))
  OP("nn_softplus", nn::softplus(a[0]))
  OP("nn_glu", nn::glu(a[0], one(k, "axis")))
  OP("nn_softmax", nn::softmax(a[0], one(k, "axis")))
  OP("nn_log_softmax", nn::logSoftmax(a[0], one(k, "axis")))
  OP("nn_logsumexp", nn::logsumexp(a[0], one(k, "axis")))
  OP("nn_standardize", nn::standardize(a[0], one(k, "axis")))
  OP("nn_one_hot", nn::oneHot(argmax(a[0], 1), 6))
  OP("nn_dot_product_attention",
     nn::dotProductAttention(a[0], a[1], a[2], one(k, "causal") != 0))
}

void addUserFunctions(Ops &ops) {
  addRandom(ops);
  addLinalg(ops);
  addFourier(ops);
  addArrange(ops);
  addElementwise(ops);
  addActivations(ops);
}

} // namespace shardwright::frontend
