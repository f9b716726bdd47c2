//===- mistake_ops.cc - operations with a mistake each --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ops.h"

namespace shardwright::frontend {
namespace {

Tensor floats(const Shape &shape) { return lax::full(shape, 1.0, DType::F32); }
Tensor integers(const Shape &shape, DType type = DType::I32) {
  return lax::full(shape, 1.0, type);
}
Tensor narrow(const Tensor &x) {
  return lax::convert_element_type(x, DType::BF16);
}
Tensor two(const Tensor &x) { return lax::slice(x, {0}, {2}); }
Tensor same(const Tensor &x) { return x; }
Tensor holds(const Tensor &) { return lax::full({}, 1.0, DType::Bool); }

template <typename T> Tensor errorOf(const Expected<T> &result) {
  return result ? Tensor(valueError("no error")) : Tensor(result.error());
}

using Pair = std::pair<Tensor, Tensor>;
Pair changed(const Pair &c) {
  return {two(c.first), lax::convert_element_type(c.second, DType::I8)};
}

/// A scan over `count` steps from floats of shape (3,).
template <typename F> Tensor scanned(F body) {
  auto each = [&](Tensor c, std::vector<Tensor>) {
    return std::pair{Tensor(body(c)), std::vector<Tensor>()};
  };
  return errorOf(scan(each, floats({3}), std::vector<Tensor>(), {.length = 2}));
}

void addLoops(Ops &ops) {
  OP("mistake_scan_dtype", scanned(narrow))
  OP("mistake_scan_shape", scanned(two))
  ops["mistake_scan_two"] = [](const Args &, const Keys &) -> Tensors {
    auto each = [](Pair c, std::vector<Tensor>) {
      return std::pair{changed(c), std::vector<Tensor>()};
    };
    return {errorOf(scan(each, Pair{floats({3}), integers({})},
                         std::vector<Tensor>(), {.length = 2}))};
  };
  OP("mistake_scan_length",
     errorOf(scan([](Tensor c, Tensor) { return std::pair{c, c}; }, floats({3}),
                  floats({3}), {.length = 4})))
  OP("mistake_scan_lengths",
     errorOf(scan([](Tensor c, Pair) { return std::pair{c, c}; }, floats({3}),
                  Pair{floats({3}), floats({4})})))
  OP("mistake_scan_no_length", errorOf(scan(
                                   [](Tensor c, std::vector<Tensor>) {
                                     return std::pair{c, std::vector<Tensor>()};
                                   },
                                   floats({3}), std::vector<Tensor>())))
  OP("mistake_scan_unroll",
     errorOf(scan([](Tensor c, Tensor) { return std::pair{c, c}; }, floats({3}),
                  floats({3}), {.unroll = -2})))
  OP("mistake_while_dtype", errorOf(whileLoop(holds, narrow, floats({3}))))
  OP("mistake_while_shape", errorOf(whileLoop(holds, two, floats({3}))))
  OP("mistake_while_two",
     errorOf(whileLoop([](Pair c) { return holds(c.first); }, changed,
                       Pair{floats({3}), integers({})})))
  OP("mistake_while_cond_shape",
     errorOf(whileLoop(
         [](Tensor c) { return lax::lt(c, scalarOf(3.0, DType::F32)); }, same,
         floats({3}))))
  OP("mistake_while_cond_dtype",
     errorOf(whileLoop([](Tensor c) { return lax::reduce_sum(c, {0}); }, same,
                       floats({3}))))
  OP("mistake_cond_dtype",
     errorOf(cond(lax::full({}, 1, DType::Bool), same, narrow, floats({3}))))
  OP("mistake_cond_shape",
     errorOf(cond(lax::full({}, 1, DType::Bool), same, two, floats({3}))))
  OP("mistake_cond_two",
     errorOf(cond(
         lax::full({}, 1, DType::Bool), [](Tensor x) { return Pair{x, x}; },
         [](Tensor x) { return changed({x, x}); }, floats({3}))))
  OP("mistake_cond_complex",
     errorOf(cond(lax::full({}, 1, DType::C64), same, same, floats({3}))))
  ops["mistake_switch_shape"] = [](const Args &, const Keys &) -> Tensors {
    std::vector<std::function<Tensor(const Tensor &)>> branches{same, two,
                                                                same};
    return {errorOf(switchCase(integers({}), branches, floats({3})))};
  };
  ops["mistake_switch_dtype"] = [](const Args &, const Keys &) -> Tensors {
    std::vector<std::function<Tensor(const Tensor &)>> branches{same, same,
                                                                narrow};
    return {errorOf(switchCase(integers({}), branches, floats({3})))};
  };
}

void addShapes(Ops &ops) {
  OP("mistake_mul_shapes", lax::mul(floats({2, 3}), floats({3, 2})))
  OP("mistake_dtypes", lax::add(floats({3}), integers({3})))
  OP("mistake_sin_int", lax::sin(integers({3})))
  OP("mistake_and_float", lax::bitwise_and(floats({3}), floats({3})))
  OP("mistake_concat", lax::concatenate({floats({2, 3}), floats({2, 4})}, 0))
  OP("mistake_concat_rank", lax::concatenate({floats({2, 3}), floats({2})}, 0))
  OP("mistake_concat_dim",
     lax::concatenate({floats({2, 3}), floats({2, 3})}, 2))
  OP("mistake_concat_none", lax::concatenate({}, 0))
  OP("mistake_concat_dtype",
     lax::concatenate({floats({2, 3}), integers({2, 3})}, 0))
  OP("mistake_dot",
     lax::dot_general(floats({2, 3}), floats({2, 3}), {{1}, {0}, {}, {}}))
  OP("mistake_transpose", lax::transpose(floats({2, 3}), {0, 0}))
  OP("mistake_broadcast", lax::broadcast_in_dim(floats({3}), {2, 4}, {1}))
  OP("mistake_broadcast_dims", lax::broadcast_in_dim(floats({3}), {2, 3}, {2}))
  OP("mistake_broadcast_rank", lax::broadcast_in_dim(floats({3}), {2, 3}, {}))
  OP("mistake_squeeze", lax::squeeze(floats({2, 3}), {0}))
  OP("mistake_dynamic_slice",
     lax::dynamic_slice(floats({3}), {integers({})}, {4}))
  OP("mistake_update",
     lax::dynamic_update_slice(floats({3}), floats({4}), {integers({})}))
  OP("mistake_update_dtype",
     lax::dynamic_update_slice(floats({3}), integers({2}), {integers({})}))
  OP("mistake_pad_interior", lax::pad(floats({3}), floats({}), {{0, 0, -1}}))
  OP("mistake_pad_rank",
     lax::pad(floats({3}), floats({}), {{0, 0, 0}, {0, 0, 0}}))
  OP("mistake_pad_value", lax::pad(floats({3}), floats({1}), {{0, 0, 0}}))
  OP("mistake_pad_dtype", lax::pad(floats({3}), integers({}), {{0, 0, 0}}))
  OP("mistake_select_cases",
     lax::select_n(integers({3}, DType::Bool), {floats({3}), floats({2})}))
  OP("mistake_select_which",
     lax::select_n(integers({2}, DType::Bool), {floats({3}), floats({3})}))
  OP("mistake_select_float",
     lax::select_n(floats({3}), {floats({3}), floats({3})}))
  OP("mistake_select_dtype",
     lax::select_n(integers({3}, DType::Bool), {floats({3}), integers({3})}))
  OP("mistake_clamp", lax::clamp(floats({2}), floats({3}), floats({3})))
  OP("mistake_reduce_axis", lax::reduce_sum(floats({3}), {1}))
  OP("mistake_reduce_twice", lax::reduce_sum(floats({2, 2}), {1, 1}))
  OP("mistake_argmax", lax::argmax(floats({3}), 1))
  OP("mistake_argmax_empty", lax::argmax(floats({0}), 0))
  OP("mistake_argmax_float", lax::argmax(floats({3}), 0, DType::F32))
  OP("mistake_cumsum", lax::cumsum(floats({3}), 1))
  OP("mistake_sort", lax::sort({floats({3}), floats({2})}, 0).at(0))
  OP("mistake_top_k", lax::top_k(floats({3}), 4).at(0))
  OP("mistake_rev", lax::rev(floats({3}), {1}))
  OP("mistake_rev_twice", lax::rev(floats({3}), {0, 0}))
  OP("mistake_iota", lax::iota(DType::F32, {2}, 1))
  OP("mistake_bitcast",
     lax::bitcast_convert_type(integers({3}, DType::I8), DType::F32))
  OP("mistake_solve",
     lax::linalg::triangular_solve(floats({2, 2}), floats({3, 3})))
  OP("mistake_power", lax::integer_pow(integers({2}), -1))
  OP("mistake_conv", lax::conv_general_dilated(
                         floats({1, 2, 5}), floats({3, 3, 2}),
                         {.strides = {1}, .layout = {"NCW", "OIW", "NCW"}}))
  OP("mistake_fft", lax::fft(floats({3}), FftType::RFFT, {4}))
  OP("mistake_gather",
     lax::gather(floats({3}), floats({1, 1}), {{}, {0}, {0}, {}, {}}, {1}))
}

} // namespace

void addMistakes(Ops &ops) {
  addLoops(ops);
  addShapes(ops);
}

} // namespace shardwright::frontend
