//===- case_ops.cc - primitives that random programs do not use -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ops.h"

namespace shardwright::frontend {
namespace {

Tensor asFloat(const Tensor &x) {
  return lax::convert_element_type(x, DType::F32);
}
/// Words for keys and generators.
Tensor word(const Tensor &x) {
  return lax::convert_element_type(x, DType::U32);
}
/// A real function of a complex array.
Tensor realOf(const Tensor &z) {
  return lax::add(lax::real(z),
                  lax::mul(lax::imag(z), lax::full_like(lax::real(z), 0.5)));
}
Tensor keyOf(const Keys &k) {
  return lax::random_seed(scalarOf(one(k, "seed"), DType::I32));
}
Tensor dataOf(const Tensor &key) { return asFloat(lax::random_unwrap(key)); }

GatherDims rowDims() { return {{1}, {0}, {0}, {}, {}}; }
/// The elements of a row, chosen in each of a batch of rows.
GatherDims batchedDims() { return {{}, {1}, {1}, {0}, {0}}; }

Tensor scatterOf(const Args &a, const Keys &k) {
  GatherMode mode = k.count("mode") ? static_cast<GatherMode>(one(k, "mode"))
                                    : GatherMode::FillOrDrop;
  return lax::scatter(static_cast<lax::ScatterKind>(one(k, "kind")), a[0],
                      lax::expand_dims(a[1], {1}), a[2], rowDims(), mode,
                      one(k, "sorted") != 0, one(k, "unique") != 0);
}
Accuracy accuracyOf(const Keys &k) {
  switch (one(k, "mode")) {
  case 0:
    return Accuracy();
  case 1:
    return Accuracy::highest();
  default:
    return Accuracy::tolerance(1e-5, 1e-3, 2);
  }
}

Ints everyAxis(const Tensor &x) {
  Ints out;
  for (int64_t d = 0; d < x.rank(); ++d)
    out.push_back(d);
  return out;
}

} // namespace

static void addIntegers(Ops &ops) {
  OP("not", lax::bitwise_not(a[0]))
  OP("and", lax::bitwise_and(a[0], a[1]))
  OP("or", lax::bitwise_or(a[0], a[1]))
  OP("xor", lax::bitwise_xor(a[0], a[1]))
  OP("reduce_and", lax::reduce_and(a[0], get(k, "axes")))
  OP("reduce_or", lax::reduce_or(a[0], get(k, "axes")))
  OP("reduce_xor", lax::reduce_xor(a[0], get(k, "axes")))
  OP("to_i32", lax::convert_element_type(a[0], DType::I32))
  OP("to_f32", asFloat(a[0]))
  OP("through_bf16", asFloat(lax::convert_element_type(a[0], DType::BF16)))
  OP("bits_of", lax::bitcast_convert_type(a[0], DType::I32))
  ops["lu_permutation"] = [](const Args &a, const Keys &) -> Tensors {
    Tensors out = lax::linalg::lu(a[0]);
    return {out[2], out[1]};
  };
}

static void addKeys(Ops &ops) {
  OP("random_seed", dataOf(keyOf(k)))
  OP("random_wrap", dataOf(lax::random_wrap(word(a[0]))))
  OP("random_split", dataOf(lax::random_split(keyOf(k), {one(k, "n")})))
  OP("random_fold_in", dataOf(lax::random_fold_in(
                           keyOf(k), scalarOf(one(k, "data"), DType::I32))))
  OP("random_bits",
     asFloat(lax::random_bits(keyOf(k), one(k, "width"), get(k, "shape"))))
  ops["threefry2x32"] = [](const Args &a, const Keys &) -> Tensors {
    Tensor key = scalarOf(int64_t(7), DType::U32);
    Tensors out = lax::threefry2x32(key, key, word(a[0]), word(a[1]));
    return {asFloat(out[0]), asFloat(out[1])};
  };
}

/// Keys as values of a program.
static void addKeyValues(Ops &ops) {
  OP("key_seed", lax::random_seed(a[0]))
  ops["key_split"] = [](const Args &a, const Keys &) -> Tensors {
    return random::split(a[0]);
  };
  OP("key_fold", lax::random_fold_in(a[0], a[1]))
  OP("key_bits", asFloat(lax::random_bits(a[0], 32, get(k, "shape"))))
  OP("key_uniform", random::uniform(a[0], get(k, "shape")))
  OP("key_normal", random::normal(a[0], get(k, "shape")))
}

static void addParameters(Ops &ops) {
#define ACCURATE(name)                                                         \
  OP("accurate_" #name, lax::accurate::name(a[0], accuracyOf(k)))
  SW_LAX_ACCURATE(ACCURATE)
#undef ACCURATE
  OP("mul_f16", lax::mul_as(a[0], a[1], DType::F16))
  OP("mulhi", lax::mulhi(a[0], a[1]))
  OP("mulhi_chain",
     lax::mul(a[0],
              asFloat(lax::mulhi(
                  lax::convert_element_type(
                      lax::mul(a[0], scalarOf(0x1p20, DType::F32)), DType::I32),
                  scalarOf(int64_t(1) << 20, DType::I32)))))
  OP("argmax_u8", asFloat(lax::argmax(a[0], one(k, "axis"), DType::U8)))
  OP("argmin_u8", asFloat(lax::argmin(a[0], one(k, "axis"), DType::U8)))
  OP("bits_of_u32", lax::bitcast_convert_type(a[0], DType::U32))
  OP("to_weak", lax::convert_element_type(a[0], DType::F32, /*weak=*/true))
  OP("reduce_precision_of",
     lax::reduce_precision(a[0], one(k, "exponent"), one(k, "mantissa")))
  ops["sort_unstable"] = [](const Args &a, const Keys &k) -> Tensors {
    return lax::sort(a, one(k, "dim"), 1, /*isStable=*/false);
  };
  ops["dot_precise"] = [](const Args &a, const Keys &) -> Tensors {
    ScopedConfig highest(config::defaultMatmulPrecision,
                         MatmulPrecision::Highest);
    return {lax::dot_general(a[0], a[1], {{1}, {1}, {}, {}})};
  };
  ops["conv_precise"] = [](const Args &a, const Keys &) -> Tensors {
    ScopedConfig highest(config::defaultMatmulPrecision,
                         MatmulPrecision::Highest);
    return {lax::conv_general_dilated(
        a[0], a[1], {.padding = {{1, 1}}, .layout = {"NCW", "OIW", "NCW"}})};
  };
  OP("dot_f32", lax::dot_general(lax::convert_element_type(a[0], DType::F16),
                                 lax::convert_element_type(a[1], DType::F16),
                                 {{1}, {1}, {}, {}}, DType::F32))
  OP("conv_f32",
     lax::conv_general_dilated(lax::convert_element_type(a[0], DType::F16),
                               lax::convert_element_type(a[1], DType::F16),
                               {.padding = {{1, 1}},
                                .layout = {"NCW", "OIW", "NCW"},
                                .preferred = DType::F32}))
  ops["token"] = [](const Args &a, const Keys &) -> Tensors {
    Tensor token = lax::after_all({lax::create_token(), lax::create_token()});
    return {token.ok() ? lax::sin(a[0]) : token};
  };
  OP("inline_sin", jit([](Tensor x) { return lax::sin(x); },
                       {.inlined = true, .name = "f"})(a[0]))
  OP("checkpoint_cse",
     checkpoint([](Tensor x) { return lax::sin(lax::sin(x)); },
                {.preventCse = false})(a[0]))
  ops["while_captured"] = [](const Args &a, const Keys &) -> Tensors {
    Tensor limit = lax::reduce_max(a[1], {0, 1}), step = a[1];
    return {whileLoop(
        [=](Tensor c) { return lax::lt(lax::reduce_max(c, {0, 1}), limit); },
        [=](Tensor c) { return lax::add(c, step); }, a[0])};
  };
  ops["cond_number"] = [](const Args &a, const Keys &) -> Tensors {
    return {cond(
        a[0], [](Tensor x) { return lax::sin(x); },
        [](Tensor x) { return lax::mul(x, x); }, a[1])};
  };
}

/// Calls of LAPACK's Cholesky factorization, which JAX and we have registered.
static void addFfi(Ops &ops) {
  ops["ffi_cholesky"] = [](const Args &a, const Keys &k) -> Tensors {
    static const char *methods[] = {"",
                                    "sequential",
                                    "sequential_unrolled",
                                    "expand_dims",
                                    "broadcast_all",
                                    "legacy_vectorized"};
    ffi::CallOptions options;
    options.vmapMethod = methods[one(k, "method")];
    options.hasSideEffect = one(k, "effect") != 0;
    if (one(k, "alias"))
      options.inputOutputAliases = {{0, 0}};
    Ints order = iotaInts(a[0].rank());
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    Shape batch = a[0].shape();
    batch.resize(batch.size() - 2);
    options.inputLayouts = {Layout(order)};
    options.outputLayouts = {Layout(order), Layout::rowMajor(batch.rank())};
    Tensors outs = ffi::call("lapack_spotrf_ffi",
                             {a[0], shapeDtypeStruct(batch, DType::I32)},
                             {a[0]}, {{"uplo", uint8_t('L')}}, options);
    return {outs[0]};
  };
  OP("ffi_attributes",
     ffi::call("no_such_target", {a[0]}, {a[0]},
               {{"a", 1},
                {"b", 2.5},
                {"c", "text"},
                {"d", 1.5f},
                {"e", int64_t(-3)},
                {"f", ffi::Attributes{{"x", uint8_t(1)}, {"y", "z"}}},
                {"g", arrayOf(std::vector<float>{0, 1.5})}})[0])
}

void addCases(Ops &ops) {
  addParameters(ops);
  addFfi(ops);
  addIntegers(ops);
  addKeys(ops);
  addKeyValues(ops);
  OP("real_part",
     realOf(lax::complex(lax::real(lax::complex(a[0], a[1])), a[1])))
  OP("imag_part", lax::imag(lax::complex(a[0], a[1])))
  OP("conjugate", realOf(lax::conj(lax::complex(a[0], a[1]))))
  OP("complex_pair", realOf(lax::complex(a[0], a[1])))
  OP("conv_plain",
     lax::conv_general_dilated(
         a[0], a[1],
         {.padding = {{get(k, "padding")[0], get(k, "padding")[1]}},
          .layout = {"NCW", "OIW", "NCW"},
          .featureGroups = a[0].dim(1) / a[1].dim(1)}))
  OP("copy", lax::copy(a[0]))
  OP("device_put", devicePut(a[0], Device{0}))
  OP("device_put_format",
     devicePut(a[0], *Format::get(Layout({1, 0}), Sharding::single(Device{0}))))
  ops["optimization_barrier"] = [](const Args &a, const Keys &) {
    return lax::optimization_barrier(a);
  };
  OP("squeeze", lax::squeeze(a[0], get(k, "dims")))
  OP("select3", lax::select_n(a[0], {a[1], a[2], lax::neg(a[1])}))
  OP("tile", lax::tile(a[0], get(k, "reps")))
  OP("stack", lax::stack(a, one(k, "axis")))
  ops["split"] = [](const Args &a, const Keys &k) {
    return lax::split(a[0], get(k, "sizes"), one(k, "axis"));
  };
  ops["unstack"] = [](const Args &a, const Keys &k) {
    return lax::unstack(a[0], one(k, "axis"));
  };
  OP("polygamma", lax::polygamma(a[0], a[1]))
  OP("zeta", lax::zeta(a[0], a[1]))
  ops["eig"] = [](const Args &a, const Keys &k) -> Tensors {
    Tensors out =
        lax::linalg::eig(a[0], one(k, "left") != 0, one(k, "right") != 0);
    if (errorIn(out))
      return out;
    return {lax::reduce_sum(lax::real(out[0]), {out[0].rank() - 1})};
  };
  OP("householder_product", lax::linalg::householder_product(a[0], a[1]))
  OP("symmetric_product", lax::linalg::symmetric_product(
                              a[0], a[1], static_cast<double>(one(k, "alpha")),
                              static_cast<double>(one(k, "beta"))))
  OP("igamma", lax::igamma(a[0], a[1]))
  OP("igammac", lax::igammac(a[0], a[1]))
  OP("igamma_grad_a", lax::igamma_grad_a(a[0], a[1]))
  OP("betainc", lax::betainc(a[0], a[1], a[2]))
  OP("random_gamma", random::gamma(keyOf(k), a[0]))
  OP("random_loggamma", random::loggamma(keyOf(k), a[0]))
  OP("bessel_i0e", lax::bessel_i0e(a[0]))
  OP("bessel_i1e", lax::bessel_i1e(a[0]))
  OP("take_rows",
     lax::gather(a[0], lax::expand_dims(a[1], {1}), rowDims(), {1, a[0].dim(1)},
                 static_cast<GatherMode>(one(k, "mode"))))
  OP("take_each", lax::gather(a[0], lax::expand_dims(a[1], {2}), batchedDims(),
                              {1, 1}, GatherMode::ClipIndices))
  OP("add_each",
     lax::scatter(lax::ScatterKind::Add, a[0], lax::expand_dims(a[1], {2}),
                  a[2], batchedDims(), GatherMode::ClipIndices))
  OP("scatter", scatterOf(a, k))
  // Derivatives of maxima of windows, as functions.
  ops["window_tangent"] = [](const Args &a, const Keys &k) -> Tensors {
    auto out =
        jvp([&](Tensor x) { return lax::reduce_window_max(x, windowOf(k)); },
            a[0], a[1]);
    return {out ? out->second : Tensor(out.error())};
  };
  OP("lu_pivots_to_permutation",
     lax::linalg::lu_pivots_to_permutation(a[0], one(k, "size")))
  // Bits of numbers that are computed from floats.
  ops["int_chain"] = [](const Args &a, const Keys &) -> Tensors {
    Tensor i = lax::convert_element_type(
        lax::mul(a[0], scalarOf(40.0, DType::F32)), DType::I32);
    auto word = [](int64_t v) { return scalarOf(v, DType::I32); };
    Tensor bits = lax::bitwise_xor(
        lax::bitwise_or(lax::bitwise_and(lax::bitwise_not(i), word(12345)),
                        lax::shift_left(i, word(2))),
        lax::add(lax::shift_right_logical(i, word(1)),
                 lax::shift_right_arithmetic(i, word(2))));
    // Some units, not thousands: the derivatives take their sine.
    return {
        lax::mul(a[0], lax::mul(asFloat(bits), scalarOf(0x1p-12, DType::F32)))};
  };
  OP("window_cotangent", grad([&](Tensor x) {
       Tensor y = lax::reduce_window_max(x, windowOf(k));
       return lax::reduce_sum(lax::mul(y, y), everyAxis(y));
     })(a[0]))
}

} // namespace shardwright::frontend
