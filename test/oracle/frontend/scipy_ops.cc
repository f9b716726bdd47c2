//===- scipy_ops.cc - jax.scipy, jax.image, jax.ops and more by name ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ops.h"

namespace shardwright::frontend {
namespace {

namespace sp = scipy::special;
namespace sl = scipy::linalg;

/// Matrices that are far from singular, and positive definite ones.
Tensor regular(const Tensor &x) {
  Tensor f = x * 0.2 + 2.0 * eye(x.dim(-1));
  return f;
}
Tensor definite(const Tensor &x) {
  Tensor f = x * 0.3;
  return matmul(f, swapaxes(f, -1, -2)) + eye(x.dim(-1));
}
image::ResizeMethod methodOf(const Keys &k) {
  return static_cast<image::ResizeMethod>(one(k, "method"));
}
ops::SegmentOptions segments(const Keys &k) {
  ops::SegmentOptions out;
  out.numSegments = one(k, "count");
  if (one(k, "bucket"))
    out.bucketSize = one(k, "bucket");
  if (one(k, "mode"))
    out.mode = static_cast<GatherMode>(one(k, "mode") - 1);
  return out;
}
nn::initializers::Initializer initializerOf(int64_t number) {
  using namespace nn::initializers;
  const Initializer all[] = {uniform(),       normal(),       truncatedNormal(),
                             glorotUniform(), glorotNormal(), lecunUniform(),
                             lecunNormal(),   heUniform(),    heNormal(),
                             constant(2.5),   ones()};
  return all[number];
}

} // namespace

static void addSpecial(Ops &ops) {
  using Unary = Tensor (*)(const Tensor &);
  using Binary = Tensor (*)(const Tensor &, const Tensor &);
  static constexpr std::pair<const char *, Unary> unary[] = {
      {"erf", sp::erf},
      {"erfc", sp::erfc},
      {"erfinv", sp::erfinv},
      {"expit", sp::expit},
      {"logit", sp::logit},
      {"gammaln", sp::gammaln},
      {"gamma", sp::gamma},
      {"gammasgn", sp::gammasgn},
      {"digamma", sp::digamma},
      {"factorial", sp::factorial},
      {"i0", sp::i0},
      {"i0e", sp::i0e},
      {"i1", sp::i1},
      {"i1e", sp::i1e},
      {"entr", sp::entr},
      {"ndtr", sp::ndtr},
      {"log_ndtr", sp::logNdtr},
      {"ndtri", sp::ndtri},
  };
  for (const auto &[name, function] : unary)
    ops[cat("special_", name)] = [f = function](const Args &a, const Keys &) {
      return Tensors{f(a[0])};
    };
  static constexpr std::pair<const char *, Binary> binary[] = {
      {"betaln", sp::betaln},     {"beta", sp::beta},
      {"poch", sp::poch},         {"xlogy", sp::xlogy},
      {"xlog1py", sp::xlog1py},   {"rel_entr", sp::relEntr},
      {"kl_div", sp::klDiv},      {"boxcox", sp::boxcox},
      {"boxcox1p", sp::boxcox1p}, {"zeta", sp::zeta},
  };
  for (const auto &[name, function] : binary)
    ops[cat("special_", name)] = [f = function](const Args &a, const Keys &) {
      return Tensors{f(a[0], a[1])};
    };
  OP("special_polygamma", sp::polygamma(one(k, "n"), a[0]))
  OP("special_multigammaln", sp::multigammaln(a[0], one(k, "d")))
  OP("special_logsumexp",
     sp::logsumexp(a[0], k.count("axes") ? Axes(get(k, "axes")) : Axes(),
                   one(k, "keep") != 0))
}

static void addMatrices(Ops &ops) {
  OP("scipy_cholesky", sl::cholesky(definite(a[0]), one(k, "lower") != 0))
  OP("scipy_cho_solve",
     sl::choSolve(sl::choFactor(definite(a[0]), one(k, "lower") != 0), a[1]))
  OP("scipy_lu_solve",
     sl::luSolve(sl::luFactor(regular(a[0])), a[1],
                 static_cast<sl::Transposed>(one(k, "trans"))))
  ops["scipy_lu"] = [](const Args &a, const Keys &) -> Tensors {
    auto [p, l, u] = sl::lu(a[0]);
    return {p, l, u};
  };
  OP("scipy_solve_triangular",
     sl::solveTriangular(
         regular(a[0]), a[1],
         {.transposed = static_cast<sl::Transposed>(one(k, "trans")),
          .lower = one(k, "lower") != 0,
          .unitDiagonal = one(k, "unit") != 0}))
  OP("scipy_solve", sl::solve(definite(a[0]), a[1], one(k, "positive") != 0))
  OP("scipy_expm", sl::expm(a[0] * static_cast<double>(one(k, "scale"))))
  OP("scipy_block_diag", sl::blockDiag(a))
  OP("scipy_toeplitz",
     a.size() > 1 ? sl::toeplitz(a[0], a[1]) : sl::toeplitz(a[0]))
  OP("scipy_hankel", a.size() > 1 ? sl::hankel(a[0], a[1]) : sl::hankel(a[0]))
  OP("scipy_circulant", sl::circulant(a[0]))
  OP("scipy_hilbert", sl::hilbert(one(k, "n")))
  OP("scipy_hadamard", sl::hadamard(one(k, "n")))
}

static void addFourier(Ops &ops) {
  auto lengths = [](const Keys &k) {
    return k.count("s") ? Axes(get(k, "s")) : Axes();
  };
  auto axes = [](const Keys &k) {
    return k.count("axes") ? Axes(get(k, "axes")) : Axes();
  };
  auto norm = [](const Keys &k) {
    return static_cast<fft::Norm>(one(k, "norm"));
  };
  using Many =
      Tensor (*)(const Tensor &, const Axes &, const Axes &, fft::Norm);
  static constexpr std::pair<const char *, Many> many[] = {
      {"fftn", fft::fftn},
      {"ifftn", fft::ifftn},
      {"rfftn", fft::rfftn},
      {"irfftn", fft::irfftn},
  };
  for (const auto &[name, function] : many)
    ops[cat("fft_", name)] = [=, f = function](const Args &a, const Keys &k) {
      return Tensors{f(a[0], lengths(k), axes(k), norm(k))};
    };
  using Plane =
      Tensor (*)(const Tensor &, const Axes &, const Ints &, fft::Norm);
  static constexpr std::pair<const char *, Plane> planes[] = {
      {"fft2", fft::fft2},
      {"ifft2", fft::ifft2},
      {"rfft2", fft::rfft2},
      {"irfft2", fft::irfft2},
  };
  for (const auto &[name, function] : planes)
    ops[cat("fft_", name)] = [=, f = function](const Args &a, const Keys &k) {
      return Tensors{f(a[0], lengths(k), get(k, "axes"), norm(k))};
    };
  using Line =
      Tensor (*)(const Tensor &, std::optional<int64_t>, int64_t, fft::Norm);
  static constexpr std::pair<const char *, Line> lines[] = {
      {"fft", fft::fft},     {"ifft", fft::ifft}, {"rfft", fft::rfft},
      {"irfft", fft::irfft}, {"hfft", fft::hfft}, {"ihfft", fft::ihfft},
  };
  for (const auto &[name, function] : lines)
    ops[cat("fft_", name)] = [=, f = function](const Args &a, const Keys &k) {
      std::optional<int64_t> n;
      if (k.count("n"))
        n = one(k, "n");
      return Tensors{f(a[0], n, one(k, "axis"), norm(k))};
    };
}

static void addImages(Ops &ops) {
  OP("image_resize", image::resize(a[0], Shape(get(k, "shape")), methodOf(k),
                                   one(k, "antialias") != 0))
  OP("image_scale", image::scaleAndTranslate(
                        a[0], Shape(get(k, "shape")), get(k, "dims"), a[1],
                        a[2], methodOf(k), one(k, "antialias") != 0))
  using Segment =
      Tensor (*)(const Tensor &, const Tensor &, const ops::SegmentOptions &);
  static constexpr std::pair<const char *, Segment> reductions[] = {
      {"sum", ops::segmentSum},
      {"prod", ops::segmentProd},
      {"max", ops::segmentMax},
      {"min", ops::segmentMin},
  };
  for (const auto &[name, function] : reductions)
    ops[cat("segment_", name)] = [f = function](const Args &a, const Keys &k) {
      return Tensors{f(a[0], a[1], segments(k))};
    };
  OP("init_scaled", initializerOf(one(k, "which"))(random::key(one(k, "seed")),
                                                   Shape(get(k, "shape"))))
  // The signs of columns are those of the factorization.
  OP("init_orthogonal",
     abs(nn::initializers::orthogonal(2, one(k, "axis"))(
         random::key(one(k, "seed")), Shape(get(k, "shape")))))
  OP("init_delta", abs(nn::initializers::deltaOrthogonal()(
                       random::key(one(k, "seed")), Shape(get(k, "shape")))))
}

static void addDistributions(Ops &ops) {
  auto key = [](const Keys &k) { return random::key(one(k, "seed")); };
  auto shape = [](const Keys &k) { return Shape(get(k, "shape")); };
#define RANDOM(name, ...)                                                      \
  ops["draw_" name] = [=](const Args &a, const Keys &k) -> Tensors {           \
    return {__VA_ARGS__};                                                      \
  };
  RANDOM("lognormal", random::lognormal(key(k), shape(k), 0.5))
  RANDOM("pareto", random::pareto(key(k), 2.5, shape(k)))
  RANDOM("rayleigh", random::rayleigh(key(k), 1.5, shape(k)))
  RANDOM("weibull_min", random::weibullMin(key(k), 1.5, 2.5, shape(k)))
  RANDOM("triangular", random::triangular(key(k), -1, 0.5, 2, shape(k)))
  RANDOM("maxwell", random::maxwell(key(k), shape(k)))
  RANDOM("double_sided_maxwell",
         random::doubleSidedMaxwell(key(k), 0.5, 2, shape(k)))
  RANDOM("wald", random::wald(key(k), 1.5, shape(k)))
  RANDOM("geometric", random::geometric(key(k), 0.3, shape(k)))
  RANDOM("multivariate_normal",
         random::multivariateNormal(key(k), a[0], definite(a[1]), shape(k)))
  RANDOM("PRNGKey", random::prngKey(one(k, "seed")))
#undef RANDOM
}

static void addConvolutions(Ops &ops) {
  auto padding = [](const Keys &k) -> lax::ConvPadding {
    if (one(k, "padding") < 2)
      return static_cast<lax::PaddingKind>(one(k, "padding"));
    return std::vector<Ints>(get(k, "strides").size(), Ints{1, 2});
  };
  ops["lax_conv"] = [=](const Args &a, const Keys &k) -> Tensors {
    return {lax::conv(a[0], a[1], get(k, "strides"), padding(k))};
  };
  ops["lax_conv_with_general_padding"] = [=](const Args &a,
                                             const Keys &k) -> Tensors {
    return {lax::conv_with_general_padding(a[0], a[1], get(k, "strides"),
                                           padding(k), get(k, "lhs"),
                                           get(k, "rhs"))};
  };
  ops["lax_conv_transpose"] = [=](const Args &a, const Keys &k) -> Tensors {
    return {lax::conv_transpose(a[0], a[1], get(k, "strides"), padding(k),
                                {.rhsDilation = get(k, "rhs"),
                                 .transposeKernel = one(k, "turn") != 0})};
  };
  OP("lax_broadcast", lax::broadcast(a[0], Shape(get(k, "sizes"))))
  OP("lax_collapse", lax::collapse(a[0], one(k, "start"), one(k, "stop")))
  OP("lax_broadcast_to_rank", lax::broadcast_to_rank(a[0], one(k, "rank")))
  OP("lax_batch_matmul", lax::batch_matmul(a[0], a[1]))
  ops["lax_sort_key_val"] = [](const Args &a, const Keys &k) -> Tensors {
    auto out = lax::sort_key_val(a[0], a[1], one(k, "axis"));
    return {out.first, out.second};
  };
}

void addScipyCalls(Ops &ops) {
  addConvolutions(ops);
  addSpecial(ops);
  addMatrices(ops);
  addFourier(ops);
  addImages(ops);
  addDistributions(ops);
}

} // namespace shardwright::frontend
