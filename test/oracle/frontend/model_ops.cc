//===- model_ops.cc - small models by name --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts of the programs of benchmarks/collective_bytes. model_ops.py writes
// them with JAX, equation by equation.
//
//===----------------------------------------------------------------------===//

#include "ops.h"

namespace shardwright::frontend {
namespace {

using List = std::vector<Tensor>;
using Pair = std::tuple<Tensor, Tensor>;

/// x[i, ...] along a new dimension at the end.
Tensor column(const Tensor &x, int64_t size) {
  return lax::broadcast_in_dim(x, {x.dim(0), size}, {0});
}
Tensor relu(const Tensor &x) { return lax::max(x, 0.0); }

/// Tokens go to the expert of the greatest probability.
Tensors mixture(const Args &a, const Keys &) {
  const Tensor &x = a[0];
  int64_t tokens = x.dim(0), experts = a[1].dim(1);
  Tensor probabilities = nn::softmax(matmul(x, a[1]));
  Tensor chosen = lax::argmax(probabilities, 1);
  Tensor numbers = lax::iota(DType::I32, {tokens, experts}, 1);
  Tensor hot = lax::convert_element_type(
      lax::eq(column(chosen, experts), numbers), DType::F32);
  Tensor gate = einsum("te,te->t", {probabilities, hot});
  Tensor inputs = einsum("te,td->etd", {hot, x});
  Tensor hidden = relu(einsum("etd,edf->etf", {inputs, a[2]}));
  Tensor out = einsum("etf,efd->etd", {hidden, a[3]});
  return {einsum("etd,te->td", {out, hot}) * column(gate, x.dim(1))};
}

/// A selective state space: h = decay h + drive, by an associative scan.
Tensors stateSpace(const Args &a, const Keys &) {
  Tensor step = lax::log1p(lax::exp(a[1]));
  Tensor decay =
      lax::exp(einsum("td,dn->tdn", {step, lax::neg(lax::exp(a[2]))}));
  Tensor drive = einsum("td,tn->tdn", {step * a[0], a[3]});
  auto combine = [](const Pair &p, const Pair &q) {
    auto [a1, b1] = p;
    auto [a2, b2] = q;
    return Pair(a1 * a2, a2 * b1 + b2);
  };
  auto scanned = associativeScan(combine, Pair(decay, drive));
  if (!scanned)
    return {Tensor(scanned.error())};
  return {einsum("tdn,tn->td", {std::get<1>(*scanned), a[4]})};
}

Tensor convolve(const Tensor &x, const Tensor &kernel, int64_t stride,
                int64_t dilation, const std::vector<Ints> &padding) {
  return lax::conv_general_dilated(x, kernel,
                                   {.strides = {stride, stride},
                                    .padding = padding,
                                    .lhsDilation = {dilation, dilation},
                                    .rhsDilation = {1, 1},
                                    .layout = {"NHWC", "HWIO", "NHWC"}});
}
Tensor normalized(const Tensor &x) {
  Tensor centered = x - mean(x, Ints{0, 1, 2}, true);
  Tensor variance = mean(centered * centered, Ints{0, 1, 2}, true);
  return centered * lax::rsqrt(variance + 1e-5);
}

/// A residual block with batch norm, then the greatest of each window.
Tensors residual(const Args &a, const Keys &) {
  std::vector<Ints> same{{1, 1}, {1, 1}};
  Tensor y = relu(normalized(convolve(a[0], a[1], 1, 1, same)));
  y = relu(normalized(convolve(y, a[2], 1, 1, same)) + a[0]);
  return {lax::reduce_window_max(
      y,
      {{1, 2, 2, 1}, {1, 2, 2, 1}, {{0, 0}, {0, 0}, {0, 0}, {0, 0}}, {}, {}})};
}

/// Down, up by a transposed convolution, and joined with the input.
Tensors hourglass(const Args &a, const Keys &) {
  Tensor down = relu(convolve(a[0], a[1], 2, 1, {{0, 1}, {0, 1}}));
  Tensor up = relu(convolve(down, a[2], 1, 2, {{2, 2}, {2, 2}}));
  return {
      convolve(lax::concatenate({a[0], up}, 3), a[3], 1, 1, {{1, 1}, {1, 1}})};
}

Tensors gatedRecurrence(const Args &a, const Keys &) {
  int64_t n = a[3].dim(1);
  auto part = [n](const Tensor &x, int64_t i) {
    return lax::slice_in_dim(x, i * n, (i + 1) * n, 1, 1);
  };
  auto body = [&](Tensor h, Tensor x) {
    Tensor gx = matmul(x, a[1]), gh = matmul(h, a[2]);
    Tensor r = lax::logistic(part(gx, 0) + part(gh, 0));
    Tensor z = lax::logistic(part(gx, 1) + part(gh, 1));
    Tensor c = lax::tanh(part(gx, 2) + r * part(gh, 2));
    Tensor next = (1.0 - z) * c + z * h;
    return std::pair{next, next};
  };
  auto out = scan(body, a[3], a[0]);
  if (!out)
    return {Tensor(out.error())};
  return {out->first, out->second};
}

/// Attention over blocks of keys, with a running maximum and sum.
Tensors blockAttention(const Args &a, const Keys &) {
  const Tensor &q = a[0];
  int64_t rows = q.dim(0), width = q.dim(1);
  using Carry = std::tuple<Tensor, Tensor, Tensor>;
  auto body = [&](const Carry &carry, const Pair &block) {
    auto [m, l, acc] = carry;
    auto [k, v] = block;
    Tensor s = einsum("qd,kd->qk", {q, k});
    Tensor greatest = lax::max(m, lax::reduce_max(s, {1}));
    Tensor p = lax::exp(s - column(greatest, k.dim(0)));
    Tensor scale = lax::exp(m - greatest);
    return std::pair{
        Carry(greatest, l * scale + lax::reduce_sum(p, {1}),
              acc * column(scale, width) + einsum("qk,kd->qd", {p, v})),
        Tensor(greatest)};
  };
  Carry init(lax::full({rows}, -1e30, DType::F32),
             lax::full({rows}, 0, DType::F32),
             lax::full({rows, width}, 0, DType::F32));
  auto out = scan(body, init, Pair(a[1], a[2]));
  if (!out)
    return {Tensor(out.error())};
  auto [m, l, acc] = out->first;
  return {acc / column(l, width)};
}

Tensor block(const List &p, const Tensor &x) {
  Tensor q = matmul(x, p[0]), k = matmul(x, p[1]), v = matmul(x, p[2]);
  Tensor weights = nn::softmax(einsum("qd,kd->qk", {q, k}));
  Tensor y = x + matmul(einsum("qk,kd->qd", {weights, v}), p[3]);
  return y + matmul(nn::gelu(matmul(y, p[4])), p[5]);
}

/// A step of training a transformer block with Adam.
Tensors trainStep(const Args &a, const Keys &) {
  const Tensor &x = a[0], &y = a[1];
  List parameters(a.begin() + 2, a.end());
  auto both = valueAndGrad([&](const List &p) {
    Tensor error = block(p, x) - y;
    return mean(error * error);
  })(parameters);
  if (!both)
    return {Tensor(both.error())};
  Tensors out{both->first};
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Tensor &g = both->second[i];
    Tensor first = 0.1 * g, second = 0.001 * (g * g);
    out.push_back(parameters[i] - 0.01 * first / (lax::sqrt(second) + 1e-8));
  }
  return out;
}

/// A long convolution by way of the Fourier transform.
Tensors longConvolution(const Args &a, const Keys &) {
  int64_t n = a[0].dim(1);
  Tensor product = lax::mul(lax::fft(a[0], FftType::RFFT, {n}),
                            lax::fft(a[1], FftType::RFFT, {n}));
  return {lax::fft(product, FftType::IRFFT, {n}) * lax::logistic(a[0])};
}

/// The two rows with the greatest scores, weighted, and added where they were.
Tensors topRows(const Args &a, const Keys &) {
  Tensors best = lax::top_k(a[1], 2);
  Tensor gates = nn::softmax(best[0]);
  Tensor indices = lax::expand_dims(best[1], {1});
  GatherDims rows{{1}, {0}, {0}, {}, {}};
  Tensor taken = lax::gather(a[0], indices, rows, {1, a[0].dim(1)},
                             GatherMode::ClipIndices);
  Tensor scaled = taken * column(gates, a[0].dim(1));
  return {lax::scatter(lax::ScatterKind::Add, a[0], indices, scaled, rows,
                       GatherMode::ClipIndices)};
}

/// Conjugate gradients for m m^T + 1.
Tensors conjugateGradients(const Args &a, const Keys &) {
  auto apply = [&](const Tensor &v) {
    return einsum("ij,kj,k->i", {a[0], a[0], v}) + v;
  };
  using State = std::tuple<Tensor, Tensor, Tensor>;
  auto body = [&](Tensor, const State &state) {
    auto [x, r, p] = state;
    Tensor ap = apply(p);
    Tensor rr = einsum("i,i->", {r, r});
    Tensor alpha = rr / einsum("i,i->", {p, ap});
    Tensor next = r - alpha * ap;
    Tensor beta = einsum("i,i->", {next, next}) / rr;
    return State(x + alpha * p, next, next + beta * p);
  };
  auto out = foriLoop(
      0, 3, body, State(lax::full({a[1].dim(0)}, 0, DType::F32), a[1], a[1]));
  return {out ? std::get<0>(*out) : Tensor(out.error())};
}

/// Attention over keys that go around a ring of devices, in the mesh in
/// context.
Tensors ringAttention(const Args &a, const Keys &) {
  auto body = [](const Tensor &q, const Tensor &k, const Tensor &v) -> Tensor {
    int64_t width = q.dim(1);
    using Carry = std::tuple<Tensor, Tensor, Tensor, Tensor>;
    auto turn = [](const Tensor &x) {
      lax::Permutation next;
      for (int64_t i = 0; i < 8; ++i)
        next.emplace_back(i, (i + 1) % 8);
      return lax::ppermute(x, "x", next);
    };
    auto step = [&](Tensor, const Carry &carry) {
      auto [k, v, l, acc] = carry;
      Tensor p = lax::exp(einsum("qd,kd->qk", {q, k}));
      Tensor sum = l + lax::reduce_sum(p, {1});
      Tensor total = acc + einsum("qk,kd->qd", {p, v});
      return Carry(turn(k), turn(v), sum, total);
    };
    Tensor zero = lax::reduce_sum(q, {1}) * 0.0;
    auto out = foriLoop(0, 8, step, Carry(k, v, zero, column(zero, width)));
    if (!out)
      return Tensor(out.error());
    return std::get<3>(*out) / column(std::get<2>(*out), width);
  };
  PartitionSpec rows = PartitionSpec("x");
  return {shardMap(body, {.in = {rows, rows, rows}, .out = rows})(a[0], a[1],
                                                                  a[2])};
}

} // namespace

void addModels(Ops &ops) {
  ops["model_mixture"] = mixture;
  ops["model_state_space"] = stateSpace;
  ops["model_residual"] = residual;
  ops["model_hourglass"] = hourglass;
  ops["model_gated_recurrence"] = gatedRecurrence;
  ops["model_block_attention"] = blockAttention;
  ops["model_train_step"] = trainStep;
  ops["model_long_convolution"] = longConvolution;
  ops["model_top_rows"] = topRows;
  ops["model_conjugate_gradients"] = conjugateGradients;
  ops["model_ring_attention"] = ringAttention;
}

} // namespace shardwright::frontend
