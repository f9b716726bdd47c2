//===- custom_partitioning.cc - functions that users partition ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/shard_map/custom_partitioning.h"

#include "shardwright/frontend/base/partitioner_config.h"
#include "shardwright/frontend/callbacks/custom_partitioner.h"
#include "shardwright/frontend/callbacks/host_guard.h"
#include "shardwright/frontend/jit/program.h"
#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/shard_map/shard_map.h"
#include "shardwright/frontend/trace/lowering_devices.h"

namespace shardwright::frontend {
namespace detail {
struct CustomPartitioning {
  CustomPartitioningOptions options;
  std::shared_ptr<const CustomPartitioner> partitioner;
};
} // namespace detail

namespace {

using detail::CustomPartitioning;
using List = std::vector<Tensor>;

/// The rule as a parameter.
struct RuleParam final : ParamObject {
  explicit RuleParam(std::shared_ptr<const CustomPartitioning> p)
      : partitioning(std::move(p)) {}
  std::string str() const override {
    const ShardingRuleOption &rule = partitioning->options.shardingRule;
    return rule.rule ? (*rule.rule)->str() : "<function sharding_rule>";
  }
  std::string key() const override {
    return cat(str(), partitioning->partitioner->key());
  }
  std::shared_ptr<const CustomPartitioning> partitioning;
};

/// `[ShapedArray(float32[2])]`.
std::string listed(const std::vector<Aval> &types) {
  std::string out;
  for (const Aval &type : types)
    out += cat(out.empty() ? "" : ", ", "ShapedArray(",
               Aval{type.dtype, type.shape}.longStr(), ")");
  return cat("[", out, "]");
}

/// The number of parts of each dimension.
Ints partsOf(const Sharding &sharding, int64_t rank) {
  Ints parts(rank, 1);
  size_t d = 0;
  for (const SpecEntry &entry : sharding.spec().entries()) {
    for (const std::string &axis : entry.axes)
      parts[d] *= sharding.mesh().abstractMesh().sizeOf(axis);
    ++d;
  }
  return parts;
}

/// An error unless there is a sharding over the devices of `mesh` for each
/// value.
Status checkShardings(const std::vector<Sharding> &shardings,
                      const Tensors &values, const Mesh &mesh) {
  if (shardings.size() != values.size())
    return valueError("Shardings returned from partitioning: lengths must "
                      "match: ",
                      shardings.size(), " vs ", values.size());
  for (size_t i = 0; i < shardings.size(); ++i) {
    const Sharding &s = shardings[i];
    if (!s.isNamed() || s.mesh().empty())
      return valueError("Custom Partitioning rules must return Sharding.");
    if (s.mesh().devices() != mesh.devices())
      return valueError("the shardings that the functions of a "
                        "custom_partitioning return must be over the devices "
                        "of its mesh in their order, got ",
                        s.str());
    if (s.spec().entries().size() > values[i].shape().size())
      return valueError("the sharding ", s.str(), " does not fit ",
                        values[i].aval().longStr());
  }
  return {};
}

/// The types of the shards of values, with dimensions rounded up.
std::vector<Aval> shardTypes(const Tensors &values,
                             const std::vector<Sharding> &shardings) {
  std::vector<Aval> out;
  for (size_t i = 0; i < values.size(); ++i) {
    Ints parts = partsOf(shardings[i], values[i].rank()),
         sizes(values[i].shape().begin(), values[i].shape().end());
    for (size_t d = 0; d < parts.size(); ++d)
      sizes[d] = (sizes[d] + parts[d] - 1) / parts[d];
    out.push_back(Aval{values[i].dtype(), Shape(sizes)});
  }
  return out;
}

/// The module of `lower` on each device: one manual computation along all axes
/// of the mesh, whose operands and results are of the size of shards.
Expected<LoweredPtr> lowerShards(const Partition &partition,
                                 const std::string &name,
                                 const std::vector<Aval> &in,
                                 const std::vector<Aval> &out) {
  ShardMapOptions options;
  options.mesh = partition.mesh;
  options.checkVma = false;
  options.name = name;
  options.in = {ShardingTree(std::vector<ShardingTree>(in.size(), P())), None};
  options.out = ShardingTree(std::vector<ShardingTree>(out.size(), P()));
  Sharding replicated = *Sharding::named(partition.mesh, P());
  List args;
  for (const Aval &type : in)
    args.push_back(shapeDtypeStruct(type.shape, type.dtype, replicated));
  auto body = [&](List shards, List) -> Expected<List> {
    Tensors outs = partition.lower(shards);
    if (const Error *error = errorIn(outs))
      return *error;
    std::vector<Aval> types;
    for (const Tensor &x : outs)
      types.push_back(Aval{x.dtype(), x.shape()});
    bool fits = types.size() == out.size();
    for (size_t i = 0; fits && i < types.size(); ++i)
      fits = types[i].dtype == out[i].dtype && types[i].shape == out[i].shape;
    if (!fits)
      return valueError("Mismatch in result shapes. ", listed(types), " vs ",
                        listed(out));
    return List(outs);
  };
  auto mapped = shardMap(body, std::move(options));
  auto traced = jit([&](List v) { return mapped(v, List()); },
                    {.keepUnused = true, .name = name})
                    .trace(args);
  if (!traced)
    return traced.error();
  if (!traced->jaxpr->effects.ordered().empty())
    return valueError("ordered effects are not supported in functions that "
                      "compute shards");
  Expected<LoweredStage> lowered = traced->lower();
  if (!lowered)
    return lowered.error();
  return lowered->program;
}

Expected<PartitionedBody>
partitionCall(const CustomPartitioningOptions &options, const Mesh &mesh,
              const Tensors &args, const Tensors &results) {
  // Programs and tracing of the user have nothing to do with this thread's.
  ScopedTopLevel topLevel;
  Expected<Partition> answer = options.partition(mesh, args, results);
  if (!answer)
    return answer.error();
  if (answer->mesh.empty())
    answer->mesh = mesh;
  if (answer->mesh.devices() != mesh.devices())
    return valueError("the mesh that the partition function returned must have "
                      "the devices of the program in their order");
  if (!answer->lower)
    return valueError("the partition function returned no function that "
                      "computes shards");
  SW_TRY(checkShardings(answer->args, args, answer->mesh));
  SW_TRY(checkShardings(answer->results, results, answer->mesh));
  Expected<LoweredPtr> lowered =
      lowerShards(*answer, options.name, shardTypes(args, answer->args),
                  shardTypes(results, answer->results));
  if (!lowered)
    return lowered.error();
  // Errors and reports name the operations.
  Expected<std::string> located = locatedText(**lowered);
  if (!located)
    return located.error();
  return PartitionedBody{*located, (*lowered)->callbacks, answer->args,
                         answer->results};
}

/// Calls one of the functions that decide shardings of results.
Expected<std::vector<Sharding>> shardingsFrom(
    const Mesh &mesh, const Tensors &results,
    const std::function<Expected<std::vector<Sharding>>()> &function) {
  ScopedTopLevel topLevel;
  Expected<std::vector<Sharding>> made = std::vector<Sharding>();
  if (auto why = exceptionOf([&] { made = function(); }))
    return makeError(ErrorKind::Runtime, *why);
  if (made && !made->empty())
    SW_TRY(checkShardings(*made, results, mesh));
  return made;
}

Expected<std::string> ruleText(const CustomPartitioning &partitioning,
                               const LoweringContext &c) {
  const ShardingRuleOption &option = partitioning.options.shardingRule;
  std::vector<Shape> shapes[2];
  for (const Aval &type : c.operandTypes())
    shapes[0].push_back(type.shape);
  for (const Aval &type : c.resultTypes())
    shapes[1].push_back(type.shape);
  Expected<ShardingRule> rule =
      option.function ? option.function(contextMesh(), shapes[0], shapes[1])
                      : *option.rule;
  if (!rule)
    return rule.error();
  return rule->attribute(shapes[0], shapes[1]);
}

std::vector<std::string> lowerPartitioning(LoweringContext &c) {
  const ManualAxes &manual = c.manualAxes();
  if (loweringDevices() < 2 || (!manual.axes.empty() && manual.areAll()))
    return c.inlineJaxpr(*c.params().jaxpr("call"), c.operands());
  auto partitioner = std::dynamic_pointer_cast<const CustomPartitioner>(
      c.params().get<std::shared_ptr<const ParamObject>>("partition"));
  std::string attributes = cat(
      "api_version = 2 : i32, backend_config = \"", c.addCallback(partitioner),
      "\", call_target_name = \"", kPartitioningTarget, "\"");
  const auto *rule = c.params().object<RuleParam>("sharding_rule");
  if (rule && config::useShardyPartitioner.get()) {
    Expected<std::string> text = ruleText(*rule->partitioning, c);
    if (text) {
      attributes += ", sdy.sharding_rule = " + *text;
    } else {
      c.fail(text.error());
    }
  }
  return c.op("stablehlo.custom_call", c.operands(),
              mlirTypes(c.operandTypes()), mlirTypes(c.resultTypes()),
              attributes);
}

const Primitive partitioningP = [] {
  Primitive p;
  p.name = "custom_partitioning";
  p.ownManualAxes = true;
  p.infer = [](const std::vector<Aval> &,
               const Params &params) -> Expected<std::vector<Aval>> {
    return params.jaxpr("call")->outAvals();
  };
  p.lower = lowerPartitioning;
  p.evaluate = [](const Tensors &args, const Params &params) {
    return evalJaxpr(*params.jaxpr("call"), args);
  };
  return p;
}();
const Registered partitioningR(partitioningP);

Param text(std::string shown) {
  return objectParam(TextParam(std::move(shown)));
}

} // namespace

namespace detail {

std::shared_ptr<const CustomPartitioning>
makeCustomPartitioning(CustomPartitioningOptions options) {
  auto made = std::make_shared<CustomPartitioning>();
  auto partitioner =
      std::make_shared<CustomPartitioner>(options.name, "<function partition>");
  partitioner->partition =
      [options](const Mesh &mesh, const Tensors &args,
                const Tensors &results) -> Expected<PartitionedBody> {
    Expected<PartitionedBody> body = PartitionedBody();
    if (auto why = exceptionOf(
            [&] { body = partitionCall(options, mesh, args, results); }))
      return makeError(ErrorKind::Runtime, *why);
    return body;
  };
  partitioner->decodesShardings = options.decodeShardings;
  if (auto infer = options.inferShardingFromOperands)
    partitioner->infer = [infer](const Mesh &mesh, const Tensors &args,
                                 const Tensors &results) {
      return shardingsFrom(mesh, results,
                           [&] { return infer(mesh, args, results); });
    };
  if (auto propagate = options.propagateUserSharding)
    partitioner->propagateUser = [propagate](const Mesh &mesh,
                                             const Tensors &results) {
      return shardingsFrom(mesh, results,
                           [&] { return propagate(mesh, results); });
    };
  made->options = std::move(options);
  made->partitioner = std::move(partitioner);
  return made;
}

Tensors callCustomPartitioning(
    const std::shared_ptr<const CustomPartitioning> &partitioning,
    const FlatFunction &function,
    const std::pair<const TreeDef &, const TreeDef &> &trees,
    const Tensors &args) {
  const CustomPartitioningOptions &options = partitioning->options;
  const ShardingRuleOption &rule = options.shardingRule;
  if (!options.partition)
    return {Tensor(valueError("custom_partitioning of '", options.name,
                              "' has no partition function"))};
  if (rule.rule && !*rule.rule)
    return {Tensor(rule.rule->error())};
  if (!rule.isSet() && config::useShardyPartitioner.get() &&
      (options.inferShardingFromOperands || options.propagateUserSharding))
    return {Tensor(notImplemented(
        "Shardy is used, but sharding propagation callbacks instead of "
        "sharding_rule are provided. Need to provide sharding_rule to migrate "
        "to Shardy."))};
  if (const Error *error = errorIn(args))
    return {Tensor(*error)};
  std::vector<Aval> types;
  for (const Tensor &x : args)
    types.push_back(x.aval());
  Tensors captured;
  Expected<JaxprPtr> jaxpr =
      traceWithCaptures(function, types, options.name, captured);
  if (!jaxpr)
    return {Tensor(jaxpr.error())};
  if (!captured.empty())
    return {Tensor(valueError("custom_partitioning of '", options.name,
                              "' uses a traced value of type ",
                              captured[0].aval().str(),
                              " from outside of the function; pass it as an "
                              "argument"))};
  Params params{
      {"call", *jaxpr},
      {"decode_shardings", options.decodeShardings},
      {"in_tree",
       text(cat("PyTreeDef(", pythonTreeText(trees.first.text), ")"))},
      {"infer_sharding_from_operands",
       options.inferShardingFromOperands
           ? text("<function infer_sharding_from_operands>")
           : Param(std::monostate())},
      {"out_tree",
       text(cat("PyTreeDef(", pythonTreeText(trees.second.text), ")"))},
      {"partition",
       std::shared_ptr<const ParamObject>(partitioning->partitioner)},
      {"propagate_user_sharding",
       options.propagateUserSharding
           ? text("<function propagate_user_sharding>")
           : Param(std::monostate())},
      {"sharding_rule", rule.isSet() ? objectParam(RuleParam(partitioning))
                                     : Param(std::monostate())},
      {"static_args", text("()")}};
  return bindMany(partitioningP, (*jaxpr)->outs.size(), args, params);
}

} // namespace detail
} // namespace shardwright::frontend
