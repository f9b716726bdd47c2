//===- partial_sums.cc - unreduced and reduced axes of types --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/trace/partial_sums.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

using Names = std::set<std::string>;

const char *const issueText = " is not implemented. Please file an issue at "
                              "https://github.com/jax-ml/jax/issues";

/// Both sets of a single operand stay: linear, and of shape alone.
const Names &keepsBoth() {
  static const auto *names = new Names{
      "transpose",   "broadcast_in_dim",     "reshape", "reduce_sum",
      "slice",       "concatenate",          "squeeze", "select_n",
      "pad",         "convert_element_type", "copy",    "stop_gradient",
      "expand_dims", "custom_lin",           "pvary"};
  return *names;
}
/// Elementwise: operands may be reduced along the same axes.
bool isElementwise(const std::string &name) {
  static const auto *names = new Names{"neg",
                                       "sign",
                                       "floor",
                                       "ceil",
                                       "round",
                                       "exp",
                                       "exp2",
                                       "log",
                                       "log1p",
                                       "expm1",
                                       "sin",
                                       "cos",
                                       "tan",
                                       "tanh",
                                       "logistic",
                                       "sqrt",
                                       "rsqrt",
                                       "cbrt",
                                       "abs",
                                       "square",
                                       "erf",
                                       "erfc",
                                       "erf_inv",
                                       "lgamma",
                                       "digamma",
                                       "asin",
                                       "acos",
                                       "atan",
                                       "sinh",
                                       "cosh",
                                       "asinh",
                                       "acosh",
                                       "atanh",
                                       "real",
                                       "imag",
                                       "conj",
                                       "is_finite",
                                       "not",
                                       "integer_pow",
                                       "add",
                                       "sub",
                                       "mul",
                                       "div",
                                       "rem",
                                       "max",
                                       "min",
                                       "pow",
                                       "atan2",
                                       "nextafter",
                                       "complex",
                                       "add_any",
                                       "and",
                                       "or",
                                       "xor",
                                       "eq",
                                       "ne",
                                       "lt",
                                       "le",
                                       "gt",
                                       "ge",
                                       "clamp",
                                       "dynamic_slice",
                                       "reduce_precision"};
  return names->count(name) > 0;
}

const Names &unreducedOf(const Aval &a) {
  static const auto &none = *new Names;
  return a.sharding ? a.sharding->spec.unreduced() : none;
}
const Names &reducedOf(const Aval &a) {
  static const auto &none = *new Names;
  return a.sharding ? a.sharding->spec.reduced() : none;
}
std::string setText(const Names &names) {
  std::string out;
  for (const std::string &n : names)
    out += cat(out.empty() ? "" : ", ", "'", n, "'");
  return names.empty() ? "frozenset()" : cat("frozenset({", out, "})");
}
Error typeClash(const std::string &text) {
  return makeError(ErrorKind::ShardingType, text);
}

Expected<Names> unreducedSum(const std::vector<Aval> &args) {
  const Names &l = unreducedOf(args[0]), &r = unreducedOf(args[1]);
  if (l == r)
    return l;
  bool isLeft = !l.empty();
  if (!l.empty() && !r.empty())
    return typeClash(cat("lhs and rhs to `add` must be unreduced along the "
                         "same mesh axes. Got lhs=",
                         setText(l), ", rhs=", setText(r)));
  const char *one = isLeft ? "lhs" : "rhs", *other = isLeft ? "rhs" : "lhs";
  return typeClash(cat(one, " is unreduced while ", other,
                       " is not. `add` operation does not allow this because "
                       "there will be implicit communication. Please reduce ",
                       one, " via `reshard` before calling `add`."));
}

Expected<Names> unreducedProduct(const std::vector<Aval> &args) {
  const Names &l = unreducedOf(args[0]), &r = unreducedOf(args[1]);
  if (!l.empty() && !r.empty())
    return typeClash(cat("lhs and rhs to `mul` cannot be unreduced since mul "
                         "is bilinear. Got lhs=",
                         setText(l), ", rhs=", setText(r)));
  bool isLeft = !l.empty();
  const Names &sums = isLeft ? l : r;
  if (reducedOf(args[isLeft ? 1 : 0]) != sums)
    return typeClash(cat(
        isLeft ? "RHS" : "LHS", " should be reduced along the same axes ",
        isLeft ? "LHS" : "RHS", " is unreduced on. Got lhs=", args[0].longStr(),
        " and rhs=", args[1].longStr()));
  return sums;
}

Expected<Names> commonReduced(const std::vector<Aval> &args) {
  Names common;
  for (const Aval &a : args)
    if (!reducedOf(a).empty())
      common = reducedOf(a);
  for (const Aval &a : args) {
    if (!a.rank() || reducedOf(a) == common)
      continue;
    bool isSharded = false;
    const PartitionSpec spec = a.spec();
    for (const SpecEntry &entry : spec.entries())
      for (const std::string &axis : entry.axes)
        isSharded = isSharded || common.count(axis);
    for (const std::string &axis : a.varying)
      isSharded = isSharded || common.count(axis);
    if (isSharded)
      return typeClash(
          cat("Inputs cannot be sharded/varying on the same axes that another "
              "input is reduced on. Reshard the input which is reduced to be "
              "sharded on the mesh axes it is reduced on via "
              "`jax.sharding.reshard(inp, jax.P(...))`. Got input type: ",
              a.longStr(), " and reduced spec: ", setText(common)));
    return typeClash(cat("Inputs cannot be replicated on the same axes that "
                         "another input is reduced on. Got input type: ",
                         a.longStr(), " and reduced spec: ", setText(common)));
  }
  return common;
}

Expected<PartitionSpec> specOf(const PartitionSpec &spec, Names unreduced,
                               Names reduced) {
  return PartitionSpec::get(spec.entries(), std::move(unreduced),
                            std::move(reduced));
}

} // namespace

bool hasPartialSums(const Aval &a) {
  return !unreducedOf(a).empty() || !reducedOf(a).empty();
}

Expected<PartitionSpec> withPartialSums(const Primitive &primitive,
                                        const std::vector<Aval> &args,
                                        const PartitionSpec &spec) {
  const std::string &name = primitive.name;
  if (std::none_of(args.begin(), args.end(), hasPartialSums))
    return spec;
  if (name == "dot_general") {
    // Its own rule has refused unreduced operands.
    return spec;
  }
  Names unreduced, reduced;
  for (const Aval &a : args) {
    unreduced.insert(unreducedOf(a).begin(), unreducedOf(a).end());
    reduced.insert(reducedOf(a).begin(), reducedOf(a).end());
  }
  if (keepsBoth().count(name)) {
    unreduced.insert(spec.unreduced().begin(), spec.unreduced().end());
    return specOf(spec, unreduced, reduced);
  }
  if (!isElementwise(name))
    return notImplemented("unreduced/reduced rule for ", name, issueText);
  if (unreduced.empty()) {
    Expected<Names> common = commonReduced(args);
    if (!common)
      return common.error();
    return specOf(spec, {}, *common);
  }
  if (name != "add" && name != "add_any" && name != "mul")
    return notImplemented("unreduced rule for ", name, issueText);
  Expected<Names> sums =
      name == "mul" ? unreducedProduct(args) : unreducedSum(args);
  if (!sums)
    return sums.error();
  return specOf(spec, *sums, {});
}

Aval cotangentAval(const Aval &aval) {
  Aval out = tangentAval(aval);
  if (hasPartialSums(aval))
    out.sharding = std::make_shared<const TypeSharding>(
        TypeSharding{aval.sharding->mesh,
                     *PartitionSpec::get(aval.sharding->spec.entries(),
                                         reducedOf(aval), unreducedOf(aval))});
  return out;
}

} // namespace shardwright::frontend
