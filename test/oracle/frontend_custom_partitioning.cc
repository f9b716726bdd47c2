//===- frontend_custom_partitioning.cc - functions that users partition ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of test/oracle/frontend_custom_partitioning.py, written with
// the front end; part of frontend_ffi_server.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include "llvm/Support/JSON.h"

#include <map>

using namespace shardwright::frontend;
namespace json = llvm::json;

namespace {

using List = std::vector<Tensor>;

/// What the partition functions of the last program were given.
std::vector<std::string> calls;

void record(const char *kind, const Tensors &values) {
  for (const Tensor &x : values)
    calls.push_back(cat(kind, " ", name(x.dtype()), tupleText(x.shape()), " ",
                        x.sharding().spec().str()));
}

/// The axes of a dimension.
AxisNames axesOf(const Tensor &x, size_t dim) {
  const auto &entries = x.sharding().spec().entries();
  return dim < entries.size() ? AxisNames(entries[dim].axes) : AxisNames();
}
AxisNames without(AxisNames axes, const AxisNames &taken) {
  std::erase_if(axes, [&](const std::string &axis) {
    return std::find(taken.begin(), taken.end(), axis) != taken.end();
  });
  return axes;
}
Sharding over(const Mesh &mesh, const std::vector<AxisNames> &dims) {
  std::vector<SpecEntry> entries;
  for (const AxisNames &axes : dims)
    entries.emplace_back().axes = axes;
  return *Sharding::named(mesh, *PartitionSpec::get(entries));
}
Tensor sumOver(const Tensor &x, const AxisNames &axes) {
  return axes.empty() ? x : lax::psum(x, axes);
}

/// The rows divided by their sums.
Tensor normalized(const Tensor &x) {
  return x / sum(x, Ints{x.rank() - 1}, true);
}

/// The shardings of the results that follow from those of the arguments.
std::vector<Sharding> inferred(const std::string &kind, const Mesh &mesh,
                               const Tensors &args) {
  AxisNames i = axesOf(args[0], 0), j = axesOf(args[0], 1);
  if (kind == "matmul")
    return {over(mesh, {i, without(without(axesOf(args[1], 1), i), j)})};
  if (kind == "pair")
    return {over(mesh, {j, i}), over(mesh, {i})};
  if (kind == "chosen")
    return {over(mesh, {})};
  if (kind == "shift")
    return {over(mesh, {{"x"}, without(j, {"x"})})};
  std::vector<AxisNames> dims;
  for (int64_t d = 0; d + 1 < args[0].rank(); ++d)
    dims.push_back(axesOf(args[0], d));
  return {over(mesh, dims)};
}

using Function = std::function<List(List)>;
CustomPartitioningOptions optionsOf(const std::string &kind) {
  CustomPartitioningOptions o;
  o.name = kind;
  if (kind == "matmul") {
    o.shardingRule = ShardingRule::get("i j, j k -> i k", {.reduction = {"j"}});
    o.partition = [](const Mesh &mesh, const Tensors &args, const Tensors &) {
      AxisNames i = axesOf(args[0], 0), j = axesOf(args[0], 1);
      AxisNames k = without(without(axesOf(args[1], 1), i), j);
      return Partition{.lower =
                           [j](const Tensors &x) {
                             return Tensors{sumOver(matmul(x[0], x[1]), j)};
                           },
                       .results = {over(mesh, {i, k})},
                       .args = {over(mesh, {i, j}), over(mesh, {j, k})}};
    };
  } else if (kind == "rows") {
    o.shardingRule =
        ShardingRule::get("... i -> ... i", {.needReplication = {"i"}});
    o.partition = [](const Mesh &mesh, const Tensors &args, const Tensors &) {
      std::vector<AxisNames> dims;
      for (int64_t d = 0; d + 1 < args[0].rank(); ++d)
        dims.push_back(axesOf(args[0], d));
      dims.emplace_back();
      return Partition{
          .lower = [](const Tensors &x) { return Tensors{normalized(x[0])}; },
          .results = {over(mesh, dims)},
          .args = {over(mesh, dims)}};
    };
  } else if (kind == "pair") {
    o.shardingRule = ShardingRule::get("i j -> j i, i", {});
    o.partition = [](const Mesh &mesh, const Tensors &args, const Tensors &) {
      AxisNames i = axesOf(args[0], 0), j = axesOf(args[0], 1);
      return Partition{.lower =
                           [j](const Tensors &x) {
                             return Tensors{transpose(x[0]),
                                            sumOver(sum(x[0], Ints{1}), j)};
                           },
                       .results = {over(mesh, {j, i}), over(mesh, {i})},
                       .args = {over(mesh, {i, j})}};
    };
  } else if (kind == "chosen") { // whatever propagation found
    o.partition = [](const Mesh &mesh, const Tensors &args, const Tensors &) {
      std::vector<AxisNames> dims(args[0].rank());
      dims[0] = {"x"};
      return Partition{
          .lower =
              [](const Tensors &x) {
                return Tensors{
                    lax::psum(sum(x[0] * (1 + lax::axis_index("x") * 0)), "x")};
              },
          .results = {over(mesh, {})},
          .args = {over(mesh, dims)}};
    };
  } else if (kind == "shift") {
    o.shardingRule = "i j -> i j";
    o.partition = [](const Mesh &mesh, const Tensors &args, const Tensors &) {
      AxisNames j = without(axesOf(args[0], 1), {"x"});
      std::vector<std::pair<int64_t, int64_t>> ring;
      int64_t n = mesh.abstractMesh().sizeOf("x");
      for (int64_t i = 0; i < n; ++i)
        ring.push_back({i, (i + 1) % n});
      return Partition{.lower =
                           [ring](const Tensors &x) {
                             int64_t n = x[0].shape()[0];
                             Tensor last = lax::slice_in_dim(x[0], n - 1, n);
                             return Tensors{concatenate(
                                 {lax::ppermute(last, "x", ring),
                                  lax::slice_in_dim(x[0], 0, n - 1)})};
                           },
                       .results = {over(mesh, {{"x"}, j})},
                       .args = {over(mesh, {{"x"}, j})}};
    };
  }
  if (!config::useShardyPartitioner.get()) {
    o.shardingRule = {};
    o.inferShardingFromOperands =
        [kind](const Mesh &mesh, const Tensors &args,
               const Tensors &) -> Expected<std::vector<Sharding>> {
      return inferred(kind, mesh, args);
    };
    o.propagateUserSharding =
        [](const Mesh &,
           const Tensors &results) -> Expected<std::vector<Sharding>> {
      std::vector<Sharding> out;
      for (const Tensor &x : results)
        out.push_back(x.sharding());
      return out;
    };
  }
  auto inner = o.partition;
  o.partition = [inner](const Mesh &mesh, const Tensors &args,
                        const Tensors &results) {
    record("arg", args);
    record("result", results);
    return inner(mesh, args, results);
  };
  return o;
}

Function functionOf(const std::string &kind) {
  CustomPartitioningOptions o = optionsOf(kind);
  if (kind == "matmul") {
    auto f =
        customPartitioning([](Tensor x, Tensor y) { return matmul(x, y); }, o);
    return [f](List v) { return List{f(v[0], v[1])}; };
  }
  if (kind == "pair") {
    auto f = customPartitioning(
        [](Tensor x) { return std::pair{transpose(x), sum(x, Ints{1})}; }, o);
    return [f](List v) {
      auto out = f(v[0]);
      return out ? List{out->first, out->second} : List{Tensor(out.error())};
    };
  }
  Tensor (*whole)(const Tensor &) = normalized;
  if (kind == "chosen")
    whole = [](const Tensor &x) { return sum(x); };
  if (kind == "shift")
    whole = [](const Tensor &x) {
      int64_t n = x.shape()[0];
      return concatenate(
          {lax::slice_in_dim(x, n - 1, n), lax::slice_in_dim(x, 0, n - 1)});
    };
  auto f = customPartitioning([whole](Tensor x) { return whole(x); }, o);
  return [f](List v) { return List{f(v[0])}; };
}

} // namespace

/// `around`: none, or a scan that applies the function to what it makes.
std::function<Tensors(const Tensors &)>
partitionedFunction(const std::string &kind, const std::string &around) {
  Function f = functionOf(kind);
  if (around == "scan")
    return [f](const Tensors &args) -> Tensors {
      auto outs = scan(
          [f](List carry, Tensor) { return std::pair{f(carry), Tensor(1.0f)}; },
          List(args), arange(2, DType::I32));
      return outs ? Tensors(outs->first) : Tensors{Tensor(outs.error())};
    };
  if (around == "jit")
    return [f](const Tensors &args) -> Tensors {
      auto outs =
          jit([f](List v) { return f(v); }, {.name = "inner"})(List(args));
      return outs ? Tensors(*outs) : Tensors{Tensor(outs.error())};
    };
  return [f](const Tensors &args) { return Tensors(f(args)); };
}

/// What partition functions were given since the last call.
json::Array takePartitionLog() {
  json::Array out;
  for (const std::string &line : std::exchange(calls, {}))
    out.push_back(line);
  return out;
}

/// The rule for values of these shapes: as Python prints it and as MLIR does,
/// or its error.
json::Object ruleAnswer(const json::Object &o) {
  RuleFactors factors;
  auto read = [&](llvm::StringRef key, std::vector<std::string> &to) {
    for (const json::Value &value : *o.getArray(key))
      to.push_back(value.getAsString()->str());
  };
  read("reduction", factors.reduction);
  read("need_replication", factors.needReplication);
  read("permutation", factors.permutation);
  for (const json::Value &value : *o.getArray("sizes"))
    factors.sizes.push_back({(*value.getAsArray())[0].getAsString()->str(),
                             *(*value.getAsArray())[1].getAsInteger()});
  auto rule = ShardingRule::get(o.getString("rule")->str(), factors);
  if (!rule)
    return json::Object{{"error", rule.error().str()}};
  std::vector<Shape> shapes[2];
  const char *names[2] = {"operands", "results"};
  for (int i = 0; i < 2; ++i)
    for (const json::Value &value : *o.getArray(names[i])) {
      Ints sizes;
      for (const json::Value &size : *value.getAsArray())
        sizes.push_back(*size.getAsInteger());
      shapes[i].push_back(Shape(sizes));
    }
  auto attribute = rule->attribute(shapes[0], shapes[1]);
  if (!attribute)
    return json::Object{{"text", rule->str()},
                        {"error", attribute.error().str()}};
  return json::Object{{"text", rule->str()}, {"attribute", *attribute}};
}
