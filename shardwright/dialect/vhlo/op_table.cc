//===- op_table.cc - the ops of VHLO as data ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/vhlo/op_table.h"

#include "llvm/ADT/STLExtras.h"

#include <vector>

namespace shardwright::vhlo {
namespace {

using Attrs = llvm::SmallVector<AttrSpec, 4>;
using enum AttrKind;

constexpr Version v(int64_t major, int64_t minor) { return {major, minor, 0}; }
constexpr Version kFirst = kMinimumVersion, kLast = kCurrentVersion;

Attrs operator+(Attrs list, llvm::ArrayRef<AttrSpec> more) {
  list.append(more.begin(), more.end());
  return list;
}

class Builder {
public:
  void add(llvm::StringRef name, Attrs attrs = {}, int number = 1,
           Version first = kFirst, Version last = kLast) {
    llvm::sort(attrs, [](const AttrSpec &a, const AttrSpec &b) {
      return llvm::StringRef(a.name) < llvm::StringRef(b.name);
    });
    rows.push_back({name, number, first, last, std::move(attrs)});
  }
  /// Adds two versions: the second since `change`, the first up to the minor
  /// version before it.
  void add2(llvm::StringRef name, Version first, Version before, Version change,
            Attrs oldAttrs, Attrs newAttrs) {
    add(name, std::move(oldAttrs), 1, first, before);
    add(name, std::move(newAttrs), 2, change);
  }
  std::vector<OpRow> take() {
    llvm::sort(rows, [](const OpRow &a, const OpRow &b) {
      return a.name != b.name ? a.name < b.name : a.number < b.number;
    });
    return std::move(rows);
  }

private:
  std::vector<OpRow> rows;
};

void addPlainOps(Builder &b) {
  for (llvm::StringRef name : {"abs",
                               "add",
                               "after_all",
                               "and",
                               "atan2",
                               "bitcast_convert",
                               "case",
                               "ceil",
                               "clamp",
                               "complex",
                               "convert",
                               "count_leading_zeros",
                               "create_token",
                               "divide",
                               "dynamic_pad",
                               "dynamic_reshape",
                               "dynamic_update_slice",
                               "floor",
                               "if",
                               "imag",
                               "is_finite",
                               "maximum",
                               "minimum",
                               "multiply",
                               "negate",
                               "not",
                               "optimization_barrier",
                               "or",
                               "partition_id",
                               "popcnt",
                               "power",
                               "real",
                               "real_dynamic_slice",
                               "remainder",
                               "replica_id",
                               "reshape",
                               "return",
                               "round_nearest_afz",
                               "round_nearest_even",
                               "select",
                               "shift_left",
                               "shift_right_arithmetic",
                               "shift_right_logical",
                               "sign",
                               "subtract",
                               "tuple",
                               "uniform_dequantize",
                               "uniform_quantize",
                               "while",
                               "xor"})
    b.add(name);
  b.add("async_start", {}, 1, v(1, 15));
  b.add("async_done", {}, 1, v(1, 15));
}

void addUnaryOps(Builder &b) {
  for (llvm::StringRef name :
       {"cbrt", "cosine", "exponential_minus_one", "log", "log_plus_one",
        "logistic", "rsqrt", "sine", "sqrt", "tanh"})
    b.add2(name, kFirst, v(1, 9), v(1, 10), {},
           {{"result_accuracy", Accuracy}});
  b.add2("exponential", kFirst, v(1, 8), v(1, 9), {},
         {{"result_accuracy", Accuracy}});
  b.add2("tan", v(1, 4), v(1, 9), v(1, 10), {},
         {{"result_accuracy", Accuracy}});
}

void addFunctionOps(Builder &b) {
  b.add("func", {{"sym_name"},
                 {"function_type"},
                 {"sym_visibility", EmptyString},
                 {"arg_attrs", EmptyArray},
                 {"res_attrs", EmptyArray}});
  b.add("call", {{"callee", Symbol}});
  Attrs composite = {{"composite_attributes", EmptyDictionary},
                     {"decomposition", Symbol},
                     {"name"},
                     {"version", CompositeVersion}};
  b.add2("composite", v(0, 19), v(1, 13), v(1, 14), composite, composite);
  Attrs call = {{"api_version", ApiVersion},
                {"backend_config", BackendConfig},
                {"call_target_name"},
                {"called_computations", Symbols},
                {"has_side_effect", Flag},
                {"operand_layouts", EmptyArray},
                {"output_operand_aliases", EmptyArray},
                {"result_layouts", EmptyArray}};
  b.add2("custom_call", kFirst, v(1, 17), v(1, 18), call,
         call + Attrs{{"result_tilings", EmptyArray}});
}

void addShapeOps(Builder &b) {
  b.add("broadcast", {{"broadcast_sizes", I64s}});
  b.add("broadcast_in_dim", {{"broadcast_dimensions", I64s}});
  b.add("concatenate", {{"dimension"}});
  b.add("constant", {{"value"}});
  b.add("dynamic_broadcast_in_dim",
        {{"broadcast_dimensions", I64s},
         {"known_expanding_dimensions", EmptyI64s},
         {"known_nonexpanding_dimensions", EmptyI64s}});
  b.add("dynamic_iota", {{"iota_dimension"}});
  b.add("dynamic_slice", {{"slice_sizes", I64s}});
  b.add("get_dimension_size", {{"dimension"}});
  b.add("get_tuple_element", {{"index"}});
  b.add("iota", {{"iota_dimension"}});
  b.add("pad", {{"edge_padding_high", I64s},
                {"edge_padding_low", I64s},
                {"interior_padding", I64s}});
  b.add("reduce_precision", {{"exponent_bits"}, {"mantissa_bits"}});
  b.add("reverse", {{"dimensions", I64s}});
  b.add("set_dimension_size", {{"dimension"}});
  b.add("slice",
        {{"limit_indices", I64s}, {"start_indices", I64s}, {"strides", I64s}});
  b.add("torch_index_select", {{"batch_dims"}, {"dim"}});
  b.add("transpose", {{"permutation", I64s}});
  b.add("compare",
        {{"compare_type", NoComparisonType}, {"comparison_direction"}});
  Attrs gather = {{"collapsed_slice_dims", Exploded},
                  {"index_vector_dim", Exploded},
                  {"indices_are_sorted", Flag},
                  {"offset_dims", Exploded},
                  {"start_index_map", Exploded}};
  Attrs batching = {{"operand_batching_dims", ExplodedOrEmpty},
                    {"start_indices_batching_dims", ExplodedOrEmpty}};
  Attrs sizes = {{"slice_sizes", I64s}};
  b.add2("gather", kFirst, v(1, 0), v(1, 1), gather + sizes,
         gather + sizes + batching);
  b.add2("dynamic_gather", kFirst, v(1, 0), v(1, 1), gather, gather + batching);
  Attrs scatter = {{"index_vector_dim", Exploded},
                   {"indices_are_sorted", Flag},
                   {"inserted_window_dims", Exploded},
                   {"scatter_dims_to_operand_dims", Exploded},
                   {"unique_indices", Flag},
                   {"update_window_dims", Exploded}};
  b.add2("scatter", kFirst, v(1, 0), v(1, 1), scatter,
         scatter + Attrs{{"input_batching_dims", ExplodedOrEmpty},
                         {"scatter_indices_batching_dims", ExplodedOrEmpty}});
}

void addContractionOps(Builder &b) {
  b.add("dot", {{"precision_config", Precision}});
  Attrs dot = {{"lhs_batching_dimensions", Exploded},
               {"lhs_contracting_dimensions", Exploded},
               {"precision_config", Precision},
               {"rhs_batching_dimensions", Exploded},
               {"rhs_contracting_dimensions", Exploded}};
  b.add2("dot_general", kFirst, v(1, 5), v(1, 6), dot,
         dot + Attrs{{"accumulation_type", Algorithm},
                     {"allow_imprecise_accumulation", Algorithm},
                     {"lhs_component_count", Algorithm},
                     {"lhs_precision_type", Algorithm},
                     {"num_primitive_operations", Algorithm},
                     {"rhs_component_count", Algorithm},
                     {"rhs_precision_type", Algorithm}});
  Attrs conv = {{"batch_group_count"},
                {"feature_group_count"},
                {"input_batch_dimension", Exploded},
                {"input_feature_dimension", Exploded},
                {"input_spatial_dimensions", Exploded},
                {"kernel_input_feature_dimension", Exploded},
                {"kernel_output_feature_dimension", Exploded},
                {"kernel_spatial_dimensions", Exploded},
                {"lhs_dilation", Ones},
                {"output_batch_dimension", Exploded},
                {"output_feature_dimension", Exploded},
                {"output_spatial_dimensions", Exploded},
                {"precision_config", Precision},
                {"rhs_dilation", Ones},
                {"window_reversal", Falses},
                {"window_strides", Ones}};
  b.add("convolution", conv + Attrs{{"padding", Zeros}});
  b.add2("dynamic_conv", kFirst, v(0, 19), v(0, 20),
         conv + Attrs{{"padding", Zeros}}, conv);
  b.add("einsum", {{"einsum_config"}});
  b.add("unary_einsum", {{"einsum_config"}});
  b.add("fft", {{"fft_length", I64s}, {"fft_type"}});
  b.add("cholesky", {{"lower", Flag}});
  b.add("triangular_solve",
        {{"left_side"}, {"lower"}, {"transpose_a"}, {"unit_diagonal"}});
  for (llvm::StringRef name :
       {"batch_norm_grad", "batch_norm_inference", "batch_norm_training"})
    b.add(name, {{"epsilon"}, {"feature_index"}});
  b.add("rng", {{"rng_distribution"}});
  b.add("rng_bit_generator", {{"rng_algorithm"}});
}

void addReductionOps(Builder &b) {
  b.add("map", {{"dimensions", I64s}});
  b.add("reduce", {{"dimensions", I64s}});
  b.add("reduce_window", {{"base_dilations", Ones},
                          {"padding", Zeros},
                          {"window_dilations", Ones},
                          {"window_dimensions", I64s},
                          {"window_strides", Ones}});
  b.add("select_and_scatter", {{"padding", Zeros},
                               {"window_dimensions", I64s},
                               {"window_strides", Ones}});
  b.add("sort", {{"dimension", LastDimension}, {"is_stable", Flag}});
}

void addCollectives(Builder &b) {
  AttrSpec channel{"channel_id", Channel}, groups{"replica_groups"},
      global{"use_global_device_ids", Unit}, root{"has_dynamic_root", Unit};
  Attrs gather = {{"all_gather_dim"}, channel, groups, global};
  b.add2("all_gather", kFirst, v(1, 4), v(1, 5), gather, gather);
  Attrs reduce = {channel, groups, global};
  b.add2("all_reduce", kFirst, v(1, 4), v(1, 5), reduce, reduce);
  b.add("reduce_scatter", reduce + Attrs{{"scatter_dimension"}});
  b.add("collective_reduce", reduce + Attrs{root}, 1, v(1, 19));
  Attrs exchange = {channel,
                    {"concat_dimension"},
                    groups,
                    {"split_count"},
                    {"split_dimension"}};
  b.add2("all_to_all", kFirst, v(1, 4), v(1, 5), exchange, exchange);
  b.add("collective_permute", {channel, {"source_target_pairs"}});
  Attrs broadcast = {channel, groups};
  b.add2("collective_broadcast", v(0, 16), v(1, 19), v(1, 20), broadcast,
         broadcast + Attrs{root});
  b.add("cross-replica-sum", {groups});
  b.add("infeed", {{"infeed_config", EmptyString}, {"layout", EmptyArray}});
  b.add("outfeed", {{"outfeed_config", EmptyString}});
  Attrs transfer = {
      channel, {"channel_type", ChannelType}, {"is_host_transfer", Flag}};
  for (llvm::StringRef name : {"send", "recv"})
    b.add2(name, kFirst, v(1, 11), v(1, 12), transfer,
           transfer + Attrs{{"source_target_pairs", EmptyTensor}});
}

std::vector<OpRow> makeTable() {
  Builder b;
  addPlainOps(b);
  addUnaryOps(b);
  addFunctionOps(b);
  addShapeOps(b);
  addContractionOps(b);
  addReductionOps(b);
  addCollectives(b);
  return b.take();
}

} // namespace

std::string OpRow::mnemonic() const {
  return name.str() + "_v" + std::to_string(number);
}

llvm::ArrayRef<OpRow> opTable() {
  // Never destroyed: contexts may outlive static objects.
  static const auto *table = new std::vector<OpRow>(makeTable());
  return *table;
}

llvm::ArrayRef<OpRow> versionsOf(llvm::StringRef name) {
  llvm::ArrayRef<OpRow> table = opTable();
  const OpRow *first = llvm::partition_point(
      table, [&](const OpRow &row) { return row.name < name; });
  const OpRow *last = first;
  while (last != table.end() && last->name == name)
    ++last;
  return {first, last};
}

} // namespace shardwright::vhlo
