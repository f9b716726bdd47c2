//===- custom_vmap.cc - functions with batching of their own --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/custom_vmap.h"

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/trace/user_function.h"
#include "shardwright/frontend/transform/transform.h"

#include <atomic>

namespace shardwright::frontend {
namespace {

using Rule = detail::FlatBatchRule;
using RuleResult = Expected<std::pair<Tensors, std::vector<bool>>>;

struct RuleParam final : ParamObject {
  explicit RuleParam(Rule r) : rule(std::move(r)) {
    static std::atomic<int64_t> next = 0;
    number = next++;
  }
  std::string str() const override { return "<function rule>"; }
  std::string key() const override { return cat("rule#", number); }
  Rule rule;

private:
  int64_t number;
};

/// Calls the user's rule; its results must be those of the function.
RuleResult callRule(const Rule &rule, size_t count, int64_t size,
                    const std::vector<bool> &batched, const Tensors &args) {
  RuleResult made = rule(size, batched, args);
  if (!made)
    return made;
  if (const Error *error = errorIn(made->first))
    return *error;
  if (made->first.size() != count)
    return valueError("structure of output returned by custom vmap rule "
                      "(<lambda>) does not match that of original "
                      "custom-vmapped function.\nOriginal output: ",
                      count, " leaves\nRule output: ", made->first.size(),
                      " leaves");
  if (made->second.size() != count)
    return valueError("structure of output value and output batching "
                      "specification returned by custom vmap rule (<lambda>) "
                      "do not match.\nOutput values: ",
                      count, " leaves\nBatching spec: ", made->second.size(),
                      " leaves");
  for (size_t i = 0; i < count; ++i)
    if (const Tensor &x = made->first[i];
        made->second[i] && (x.rank() == 0 || x.shape()[0] != size))
      return valueError("custom vmap rule (<lambda>) says that result ", i,
                        " is batched, but its type is ", x.aval().longStr(),
                        ", whose first dimension is not the batch of ", size);
  return made;
}

/// The rule of the function's derivative: arguments and their tangents, which
/// are batched alike, to results and their tangents.
Rule derivativeOf(const Rule &rule, size_t count) {
  return [rule, count](int64_t size, const std::vector<bool> &batched,
                       const Tensors &args) -> RuleResult {
    size_t n = args.size() / 2;
    Tensors primals;
    MaybeTensors tangents;
    std::vector<bool> both(n), outBatched;
    for (size_t i = 0; i < n; ++i) {
      both[i] = batched[i] || batched[n + i];
      auto wide = [&](size_t at) {
        return both[i] ? batchToFront(args[at], batched[at] ? 0 : -1, size)
                       : args[at];
      };
      primals.push_back(wide(i));
      tangents.push_back(wide(n + i));
    }
    auto pushed = jvpFlat(
        [&](const Tensors &in) -> Tensors {
          RuleResult made = callRule(rule, count, size, both, in);
          if (!made)
            return {Tensor(made.error())};
          outBatched = made->second;
          return made->first;
        },
        primals, tangents);
    if (!pushed)
      return pushed.error();
    Tensors outs = pushed->outs;
    for (size_t i = 0; i < count; ++i)
      outs.push_back(instantiate(pushed->tangents[i], pushed->outs[i].aval()));
    outBatched.insert(outBatched.end(), outBatched.begin(), outBatched.end());
    return std::pair{outs, outBatched};
  };
}

Tensors apply(const JaxprPtr &jaxpr, const Rule &rule, const Tensors &args,
              const Params &trees) {
  Params params = trees;
  params.set("call", jaxpr);
  params.set("rule", objectParam(RuleParam(rule)));
  return bindMany(*findPrimitive("custom_vmap_call"), jaxpr->outs.size(), args,
                  params);
}

JvpResult jvpOfCall(const Tensors &in, const MaybeTensors &tangents,
                    const Params &params) {
  const JaxprPtr &jaxpr = params.jaxpr("call");
  size_t count = jaxpr->outs.size();
  Tensors args = in;
  for (size_t i = 0; i < in.size(); ++i)
    args.push_back(instantiate(tangents[i], in[i].aval()));
  auto pushed = jvpJaxpr(jaxpr, std::vector<bool>(in.size(), true),
                         std::vector<bool>(count, true));
  if (!pushed)
    return failedJvp(pushed.error());
  auto twice = [&](const char *name) {
    std::string text = params.object<TextParam>(name)->text;
    text = text.substr(10, text.size() - 11); // without `PyTreeDef()`
    return objectParam(TextParam(cat("PyTreeDef((", text, ", ", text, "))")));
  };
  Tensors outs =
      apply(pushed->jaxpr,
            derivativeOf(params.object<RuleParam>("rule")->rule, count), args,
            {{"in_tree", twice("in_tree")}, {"out_tree", twice("out_tree")}});
  if (const Error *error = errorIn(outs))
    return failedJvp(*error);
  MaybeTensors outTangents(outs.begin() + static_cast<ptrdiff_t>(count),
                           outs.end());
  outs.resize(count);
  return {outs, outTangents};
}

BatchResult batchCall(const BatchAxis &axis, const Tensors &in,
                      const Ints &dims, const Params &params) {
  Tensors args;
  std::vector<bool> batched;
  for (size_t i = 0; i < in.size(); ++i) {
    batched.push_back(dims[i] >= 0);
    args.push_back(dims[i] >= 0 ? moveBatch(in[i], dims[i], 0) : in[i]);
  }
  RuleResult made =
      callRule(params.object<RuleParam>("rule")->rule,
               params.jaxpr("call")->outs.size(), axis.size, batched, args);
  if (!made)
    return {{Tensor(made.error())}, {}};
  Ints outDims;
  for (bool isBatched : made->second)
    outDims.push_back(isBatched ? 0 : -1);
  return {made->first, outDims};
}

const Primitive customVmapP = [] {
  Primitive p;
  p.name = "custom_vmap_call";
  p.ownManualAxes = true;
  p.infer = [](const std::vector<Aval> &,
               const Params &params) -> Expected<std::vector<Aval>> {
    return params.jaxpr("call")->outAvals();
  };
  p.lower = [](LoweringContext &c) {
    return c.inlineJaxpr(*c.params().jaxpr("call"), c.operands());
  };
  p.evaluate = [](const Tensors &args, const Params &params) {
    return evalJaxpr(*params.jaxpr("call"), args);
  };
  p.jvp = jvpOfCall;
  p.batch = batchCall;
  return p;
}();
const Registered customVmapR(customVmapP);

} // namespace

Error detail::customVmapTrees(const TreeDef &wanted, const TreeDef &got) {
  return valueError("structure of output returned by custom vmap rule "
                    "(<lambda>) does not match that of original "
                    "custom-vmapped function.\nOriginal output: PyTreeDef(",
                    pythonTreeText(wanted.text), ")\nRule output: PyTreeDef(",
                    pythonTreeText(got.text), ")");
}

Tensors
detail::customVmap(const std::string &name, const FlatFunction &function,
                   const FlatBatchRule &rule,
                   const std::pair<const TreeDef &, const TreeDef &> &trees,
                   const Tensors &args) {
  if (const Error *error = errorIn(args))
    return {Tensor(*error)};
  std::vector<Aval> types;
  for (const Tensor &x : args)
    types.push_back(x.aval());
  Tensors captured;
  Expected<JaxprPtr> jaxpr = traceWithCaptures(function, types, name, captured);
  if (!jaxpr)
    return {Tensor(jaxpr.error())};
  if (!captured.empty())
    return {Tensor(valueError("custom_vmap of '", name,
                              "' uses a traced value of type ",
                              captured[0].aval().str(),
                              " from outside of the function; pass it as an "
                              "argument"))};
  auto text = [](const std::string &tree) {
    return objectParam(TextParam(cat("PyTreeDef(", pythonTreeText(tree), ")")));
  };
  Rule guarded = [rule, name](int64_t size, const std::vector<bool> &batched,
                              const Tensors &in) -> RuleResult {
    try {
      return rule(size, batched, in);
    } catch (...) {
      return errorOfException(cat("the batching rule of '", name, "'"));
    }
  };
  return apply(*jaxpr, guarded, args,
               // Of captured values, of which there are none, and of arguments.
               {{"in_tree", text(cat("((),", trees.first.text, ",)"))},
                {"out_tree", text(trees.second.text)}});
}

} // namespace shardwright::frontend
