//===- primitive_ops.cc - primitives by name ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ops.h"

namespace shardwright::frontend {

void addPrimitives(Ops &ops) {
#define UNARY(name)                                                            \
  ops[#name] = [](const Args &a, const Keys &) {                               \
    return Tensors{lax::name(a[0])};                                           \
  };
  SW_LAX_UNARY(UNARY)
#define BINARY(name)                                                           \
  ops[#name] = [](const Args &a, const Keys &) {                               \
    return Tensors{lax::name(a[0], a[1])};                                     \
  };
  SW_LAX_BINARY(BINARY)
#define REDUCE(name)                                                           \
  ops[#name] = [](const Args &a, const Keys &k) {                              \
    return Tensors{lax::name(a[0], get(k, "axes"))};                           \
  };
  REDUCE(reduce_sum)
  REDUCE(reduce_prod)
  REDUCE(reduce_max)
  REDUCE(reduce_min)
#define CUMULATIVE(name)                                                       \
  ops[#name] = [](const Args &a, const Keys &k) {                              \
    return Tensors{lax::name(a[0], one(k, "axis"), one(k, "reverse"))};        \
  };
  CUMULATIVE(cumsum)
  CUMULATIVE(cumprod)
  CUMULATIVE(cummax)
  CUMULATIVE(cummin)
  CUMULATIVE(cumlogsumexp)
  OP("round", lax::round(a[0], static_cast<RoundingMethod>(one(k, "method"))))
  OP("integer_pow", lax::integer_pow(a[0], one(k, "y")))
  OP("select_n", lax::select_n(a[0], {a[1], a[2]}))
  OP("clamp", lax::clamp(a[0], a[1], a[2]))
  OP("convert",
     lax::convert_element_type(a[0], static_cast<DType>(one(k, "type"))))
  OP("bitcast",
     lax::bitcast_convert_type(a[0], static_cast<DType>(one(k, "type"))))
  OP("broadcast_in_dim",
     lax::broadcast_in_dim(a[0], get(k, "shape"), get(k, "dims")))
  OP("reshape", lax::reshape(a[0], get(k, "shape")))
  OP("transpose", lax::transpose(a[0], get(k, "permutation")))
  OP("rev", lax::rev(a[0], get(k, "dims")))
  OP("expand_dims", lax::expand_dims(a[0], get(k, "dims")))
  OP("concatenate", lax::concatenate(a, one(k, "dim")))
  OP("pad", lax::pad(a[0], a[1], [&] {
       std::vector<Ints> config;
       Ints flat = get(k, "config");
       for (size_t i = 0; i + 2 < flat.size(); i += 3)
         config.push_back({flat[i], flat[i + 1], flat[i + 2]});
       return config;
     }()))
  OP("slice",
     lax::slice(a[0], get(k, "start"), get(k, "limit"), get(k, "strides")))
  OP("dynamic_slice",
     lax::dynamic_slice(a[0], Tensors(a.begin() + 1, a.end()), get(k, "sizes")))
  OP("dynamic_update_slice",
     lax::dynamic_update_slice(a[0], a[1], Tensors(a.begin() + 2, a.end())))
  OP("argmax", lax::argmax(a[0], one(k, "axis")))
  OP("argmin", lax::argmin(a[0], one(k, "axis")))
  OP("dot_general",
     lax::dot_general(a[0], a[1],
                      {get(k, "lc"), get(k, "rc"), get(k, "lb"), get(k, "rb")}))
  OP("iota", lax::iota(DType::F32, get(k, "shape"), one(k, "dim")))
  OP("reduce_precision", lax::reduce_precision(a[0], 5, 10))
  ops["sort_pair"] = [](const Args &a, const Keys &k) {
    return lax::sort(a, one(k, "dim"), one(k, "keys"));
  };
  ops["sort"] = [](const Args &a, const Keys &k) {
    return lax::sort(a, one(k, "dim"));
  };
  OP("jit_sin_mul",
     jit([](Tensor x, Tensor y) { return lax::mul(lax::sin(x), y); },
         {.name = "f"})(a[0], a[1]))
  OP("rows",
     lax::gather(a[0], lax::expand_dims(a[1], {1}), {{1}, {0}, {0}, {}, {}},
                 {1, a[0].dim(1)}, static_cast<GatherMode>(one(k, "mode"))))
  OP("scatter_rows",
     lax::scatter(static_cast<lax::ScatterKind>(one(k, "kind")), a[0],
                  lax::expand_dims(a[1], {1}), a[2], {{1}, {0}, {0}, {}, {}},
                  GatherMode::FillOrDrop))
}

} // namespace shardwright::frontend
