//===- custom_partitioning.h - functions that users partition ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions whose user says how devices divide them, instead of the compiler:
//
//   auto total = customPartitioning(
//       [](Tensor x) { return sum(x); },
//       {.partition =
//            [](const Mesh &mesh, const Tensors &args, const Tensors &) {
//              PartitionSpec spec = args[0].sharding().spec();
//              return Partition{
//                  .lower = [=](const Tensors &x) {
//                    return Tensors{lax::psum(sum(x[0]), spec.axes())};
//                  },
//                  .results = {*Sharding::named(mesh, P())},
//                  .args = {args[0].sharding()}};
//            },
//        .shardingRule = ShardingRule::get("i ->", {.reduction = {"i"}})});
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SHARD_MAP_CUSTOM_PARTITIONING_H
#define SHARDWRIGHT_FRONTEND_SHARD_MAP_CUSTOM_PARTITIONING_H

#include "shardwright/frontend/api/jit.h"
#include "shardwright/frontend/shard_map/sharding_rule.h"

namespace shardwright::frontend {

/// How each device computes a call.
struct Partition {
  /// The devices of the program, by axes that `lower` and the shardings name.
  /// None: the mesh that the function was given.
  Mesh mesh = {};
  /// Computes the shards of the results from those of the arguments; it may use
  /// collectives. Dimensions that do not divide are rounded up, with zeros in
  /// the arguments.
  std::function<Tensors(const Tensors &shards)> lower;
  /// Of the leaves of the results and of the arguments, over any mesh of the
  /// devices of the program in their order. The compiler moves values that are
  /// divided otherwise.
  std::vector<Sharding> results = {}, args = {};
};

/// A rule, or the function that makes one when a program is lowered. Not set:
/// shardings do not propagate through the call.
class ShardingRuleOption {
public:
  using Function = std::function<Expected<ShardingRule>(
      const Mesh &mesh, const std::vector<Shape> &args,
      const std::vector<Shape> &results)>;

  ShardingRuleOption() = default;
  ShardingRuleOption(ShardingRule r) : rule(std::move(r)) {}
  ShardingRuleOption(Expected<ShardingRule> r) : rule(std::move(r)) {}
  ShardingRuleOption(const char *text) : rule(ShardingRule::get(text)) {}
  ShardingRuleOption(const std::string &text) : rule(ShardingRule::get(text)) {}
  template <typename F>
    requires std::is_convertible_v<F, Function>
  ShardingRuleOption(F f) : function(std::move(f)) {}

  bool isSet() const { return rule || function; }
  std::optional<Expected<ShardingRule>> rule;
  Function function;
};

/// JAX: the arguments of def_partition.
struct CustomPartitioningOptions {
  /// Called when a program is compiled for several devices. `args` and
  /// `results`: structs of the leaves, with their global shapes and with the
  /// shardings that propagation found. It may run programs itself.
  std::function<Expected<Partition>(const Mesh &mesh, const Tensors &args,
                                    const Tensors &results)>
      partition;
  /// Called while shardings propagate, in place of the rule, if
  /// config::useShardyPartitioner is false; else the rule must be set if one of
  /// them is. The first returns the shardings of the results that follow from
  /// those of the arguments, the second those that follow from what the users
  /// of the results need. Without an element: none follow.
  std::function<Expected<std::vector<Sharding>>(
      const Mesh &mesh, const Tensors &args, const Tensors &results)>
      inferShardingFromOperands = {};
  std::function<Expected<std::vector<Sharding>>(const Mesh &mesh,
                                                const Tensors &results)>
      propagateUserSharding = {};
  ShardingRuleOption shardingRule = {};
  /// False: functions get shardings over meshes of their own, with axes
  /// `_axis_0`, .., which also say parts of axes of the program's mesh. True:
  /// over the program's mesh, without what its full axes cannot say. JAX has
  /// GSPMDSharding and an error in these cases.
  bool decodeShardings = true;
  /// In messages.
  std::string name = "<lambda>";
};

namespace detail {
struct CustomPartitioning;
std::shared_ptr<const CustomPartitioning>
makeCustomPartitioning(CustomPartitioningOptions options);
/// `trees`: the structures of the arguments, and of the result, which is known
/// after the function was traced.
Tensors callCustomPartitioning(
    const std::shared_ptr<const CustomPartitioning> &partitioning,
    const FlatFunction &function,
    const std::pair<const TreeDef &, const TreeDef &> &trees,
    const Tensors &args);
} // namespace detail

/// A function that the user partitions. On one device, in a shardMap over all
/// axes, and outside of jit it is the function itself. It has no derivative and
/// cannot be batched, as in JAX. JAX: custom_partitioning.
template <typename F>
auto customPartitioning(F function, CustomPartitioningOptions options) {
  return [function, shared = detail::makeCustomPartitioning(
                        std::move(options))](const auto &...args) {
    using Function = TreeFunction<F, std::decay_t<decltype(args)>...>;
    using Result = typename Function::Result;
    Function tree(function, {args...});
    Flattener f;
    std::tuple<std::decay_t<decltype(args)>...> tuple(args...);
    TreeTraits<decltype(tuple)>::flatten(tuple, f);
    Tensors outs = detail::callCustomPartitioning(
        shared, tree, {f.def, tree.def()}, f.leaves);
    if (const Error *error = errorIn(outs))
      return Expected<Result>(*error);
    return Expected<Result>(tree.rebuild(outs));
  };
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_SHARD_MAP_CUSTOM_PARTITIONING_H
