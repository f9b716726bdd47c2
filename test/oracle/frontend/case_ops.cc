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
  return lax::scatter(static_cast<lax::ScatterKind>(one(k, "kind")), a[0],
                      lax::expand_dims(a[1], {1}), a[2], rowDims(),
                      GatherMode::FillOrDrop, false, one(k, "unique") != 0);
}

Window windowOf(const Keys &k) {
  Window w{get(k, "dims"),
           get(k, "strides"),
           {},
           get(k, "base"),
           get(k, "dilation")};
  Ints flat = get(k, "padding");
  for (size_t i = 0; i + 1 < flat.size(); i += 2)
    w.padding.push_back({flat[i], flat[i + 1]});
  return w;
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

void addCases(Ops &ops) {
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
