//===- block_ops.cc - functions whose bodies are blocks -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pmap_ops.h"
#include "program.h"

namespace shardwright::frontend {
namespace {

using List = std::vector<Tensor>;

/// What a step is applied to.
struct Call {
  const Step &step;
  const Tensors &scope;
  const Tensors &args;

  int64_t number(const char *name) const { return one(step.keys, name); }
  int64_t number(const char *name, int64_t other) const {
    return step.keys.count(name) ? number(name) : other;
  }
  Ints numbers(const char *name) const { return intsOf(word(step.keys, name)); }
  std::vector<PartitionSpec> specs(const char *name) const {
    std::vector<PartitionSpec> out;
    for (const std::string &text : ::split(word(step.keys, name), ';'))
      out.push_back(specOf(text));
    return out;
  }
  /// A body; it may use the values around it.
  FlatFunction body(size_t i) const {
    if (i >= step.blocks.size())
      return [](const Tensors &) -> Tensors {
        return {Tensor(notImplemented("the step has too few blocks"))};
      };
    return [block = step.blocks[i], outer = scope](const Tensors &args) {
      return evaluate(block, outer, args);
    };
  }
  /// Arguments from .. to.
  Tensors part(size_t from, size_t to) const {
    to = std::min(to, args.size());
    from = std::min(from, to);
    return Tensors(args.begin() + from, args.begin() + to);
  }
  Tensors from(size_t begin) const { return part(begin, args.size()); }
};

Tensors listOf(const Expected<Tensors> &result) {
  return result ? *result : Tensors{Tensor(result.error())};
}
Tensors firstOf(Tensors list, size_t count) {
  list.resize(std::min(count, list.size()));
  return list;
}

Tensors scanStep(const Call &c) {
  size_t carry = c.number("carry");
  return detail::scan(c.body(0), c.part(0, carry), c.from(carry),
                      c.number("length", -1), c.number("reverse") != 0,
                      c.number("unroll", 1));
}
Tensors whileStep(const Call &c) {
  return detail::whileLoop(c.body(0), c.body(1), c.args);
}
Tensors foriStep(const Call &c) {
  return detail::counted(c.number("from"), c.number("to"), c.body(0), c.args);
}
Tensors dynamicForiStep(const Call &c) {
  return detail::whileCounted(c.args[0], c.args[1], c.body(0), c.from(2));
}
Tensors condStep(const Call &c) {
  return detail::cond(c.args[0], c.body(0), c.body(1), c.from(1));
}
Tensors switchStep(const Call &c) {
  std::vector<FlatFunction> branches;
  for (size_t i = 0; i < c.step.blocks.size(); ++i)
    branches.push_back(c.body(i));
  return detail::switchCase(c.args[0], branches, c.from(1));
}
/// `times`: calls the function again, on its results.
Tensors jitStep(const Call &c) {
  FlatFunction body = c.body(0);
  auto jitted = jit([body](const List &args) -> List { return body(args); },
                    {.inlined = c.number("inline") != 0, .name = "inner"});
  Expected<List> out = jitted(c.args);
  for (int64_t i = 1; out && i < c.number("times", 1); ++i)
    out = jitted(*out);
  return listOf(out);
}
Tensors checkpointStep(const Call &c) {
  CheckpointPolicy policy;
  switch (c.number("policy", -1)) {
  case 0:
    policy = policies::everythingSaveable();
    break;
  case 1:
    policy = policies::nothingSaveable();
    break;
  case 2:
    policy = policies::dotsSaveable();
    break;
  }
  return detail::checkpoint(
      c.body(0), c.args,
      {.preventCse = c.number("prevent_cse", 1) != 0, .policy = policy});
}
Tensors vmapStep(const Call &c) {
  return listOf(detail::vmap(c.body(0), c.args, c.numbers("in"),
                             c.numbers("out"), c.number("size", -1),
                             word(c.step.keys, "name"), {}));
}
/// The value and the gradients of all arguments.
Tensors gradStep(const Call &c) {
  return listOf(detail::valueAndGrad(
      c.body(0), c.args, std::vector<bool>(c.args.size(), true), false));
}
/// Arguments, then their tangents.
Tensors jvpStep(const Call &c) {
  size_t count = c.args.size() / 2;
  auto both = detail::jvp(c.body(0), c.part(0, count), c.from(count));
  if (!both)
    return {Tensor(both.error())};
  Tensors out = both->first;
  out.insert(out.end(), both->second.begin(), both->second.end());
  return out;
}
/// Arguments (`primals` of them), then cotangents of the results.
Tensors vjpStep(const Call &c) {
  size_t count = c.number("primals");
  auto both = detail::vjp(c.body(0), c.part(0, count));
  if (!both)
    return {Tensor(both.error())};
  Tensors out = both->first;
  for (const Tensor &ct : both->second(c.from(count)))
    out.push_back(ct);
  return out;
}
/// Arguments, then their tangents, to which the linear function is applied
/// twice.
Tensors linearizeStep(const Call &c) {
  size_t count = c.args.size() / 2;
  auto both = detail::linearize(c.body(0), c.part(0, count));
  if (!both)
    return {Tensor(both.error())};
  Tensors out = both->first;
  Tensors twice;
  for (const Tensor &t : c.from(count))
    twice.push_back(lax::neg(t));
  for (const Tensors &tangents : {c.from(count), twice})
    for (const Tensor &t : both->second(tangents))
      out.push_back(t);
  return out;
}
/// The rule: arguments, then tangents, to results, then their tangents.
Tensors customJvpStep(const Call &c) {
  FlatFunction body = c.body(0), both = c.body(1);
  auto rule = [both](std::tuple<List> p, std::tuple<List> t) {
    Tensors all = std::get<0>(p);
    all.insert(all.end(), std::get<0>(t).begin(), std::get<0>(t).end());
    Tensors outs = both(all);
    size_t half = outs.size() / 2;
    return std::pair{List(outs.begin(), outs.begin() + half),
                     List(outs.begin() + half, outs.end())};
  };
  return listOf(
      customJvp([body](const List &args) -> List { return body(args); }, rule,
                "own")(c.args));
}
/// Forward: to results (`results` of them), then residuals. Backward: residuals
/// and cotangents to cotangents.
Tensors customVjpStep(const Call &c) {
  FlatFunction body = c.body(0), ahead = c.body(1), back = c.body(2);
  size_t results = c.number("results");
  auto forward = [ahead, results](const List &args) {
    Tensors outs = ahead(args);
    size_t split = std::min(results, outs.size());
    return std::pair{List(outs.begin(), outs.begin() + split),
                     List(outs.begin() + split, outs.end())};
  };
  auto backward = [back](const List &residuals, const List &cts) {
    Tensors all = residuals;
    all.insert(all.end(), cts.begin(), cts.end());
    return std::tuple<List>(back(all));
  };
  return listOf(
      customVjp([body](const List &args) -> List { return body(args); },
                forward, backward, "own")(c.args));
}
Tensors mapStep(const Call &c) {
  if (int64_t size = c.number("batch"))
    return detail::mapBatched(c.body(0), c.args, size);
  return detail::scan(c.body(0), {}, c.args, -1, false);
}
Tensors associativeScanStep(const Call &c) {
  return detail::associativeScan(c.body(0), c.args, c.number("axis"),
                                 c.number("reverse") != 0);
}
Tensors shardMapStep(const Call &c) {
  FlatFunction body = c.body(0);
  ShardMapOptions options;
  auto treeOf = [](const std::vector<PartitionSpec> &specs) {
    return ShardingTree::braces({specs.begin(), specs.end()});
  };
  options.in = ShardingTree::braces({treeOf(c.specs("in"))});
  options.out = treeOf(c.specs("out"));
  options.axisNames = ::split(word(c.step.keys, "axes"), ',');
  options.checkVma = c.number("check", 1) != 0;
  options.name = "mapped";
  // A list is one argument, whose specs are those of its elements.
  return listOf(
      shardMap([body](const List &args) -> List { return body(args); },
               options)(c.args));
}
/// `times`: calls the function again.
Tensors pmapStep(const Call &c) {
  FlatFunction f =
      pmapped(c.body(0), pmapOptions(c.step.keys), word(c.step.keys, "form"));
  Tensors out = f(c.args);
  for (int64_t i = 1; i < c.number("times", 1); ++i)
    out = f(c.args);
  return out;
}
Tensors autoAxesStep(const Call &c) {
  FlatFunction body = c.body(0);
  return listOf(
      autoAxes([body](const List &args) -> List { return body(args); },
               {.specs = c.specs("out")})(c.args));
}
Tensors jacobianStep(const Call &c) {
  Tensors outs = listOf(detail::jacobian(c.body(0), c.args,
                                         std::vector<bool>(c.args.size(), true),
                                         c.number("forward") != 0));
  return firstOf(outs, outs.size());
}

} // namespace

std::optional<Tensors> evaluateWithBlocks(const Step &step,
                                          const Tensors &scope,
                                          const Tensors &args) {
  static const auto *table =
      new std::map<std::string, Tensors (*)(const Call &)>{
          {"scan", scanStep},
          {"while", whileStep},
          {"fori", foriStep},
          {"fori_dynamic", dynamicForiStep},
          {"cond", condStep},
          {"switch", switchStep},
          {"jit", jitStep},
          {"checkpoint", checkpointStep},
          {"vmap", vmapStep},
          {"grad", gradStep},
          {"jvp", jvpStep},
          {"vjp", vjpStep},
          {"linearize", linearizeStep},
          {"custom_jvp", customJvpStep},
          {"custom_vjp", customVjpStep},
          {"map", mapStep},
          {"assoc_scan", associativeScanStep},
          {"shard_map", shardMapStep},
          {"auto_axes", autoAxesStep},
          {"pmap", pmapStep},
          {"jacobian", jacobianStep},
      };
  auto found = table->find(step.name);
  if (found == table->end() || step.blocks.empty())
    return {};
  return found->second({step, scope, args});
}

} // namespace shardwright::frontend
