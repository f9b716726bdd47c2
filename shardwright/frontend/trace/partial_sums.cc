//===- partial_sums.cc - unreduced and reduced axes of types --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/trace/partial_sums.h"

#include "shardwright/frontend/base/lists.h"
#include "shardwright/frontend/trace/trace.h"

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

/// Of the type's sharding and of manual axes: a value has only one of them.
Names unreducedOf(const Aval &a) {
  Names out(a.unreduced.begin(), a.unreduced.end());
  if (a.sharding)
    out.insert(a.sharding->spec.unreduced().begin(),
               a.sharding->spec.unreduced().end());
  return out;
}
Names reducedOf(const Aval &a) {
  Names out(a.reduced.begin(), a.reduced.end());
  if (a.sharding)
    out.insert(a.sharding->spec.reduced().begin(),
               a.sharding->spec.reduced().end());
  return out;
}
bool hasManualSums(const Aval &a) {
  return !a.unreduced.empty() || !a.reduced.empty();
}
std::string setText(const Names &names) {
  return names.empty() ? "frozenset()"
                       : cat("frozenset({", quotedNames(names), "})");
}
Error typeClash(const std::string &text) {
  return makeError(ErrorKind::ShardingType, text);
}

Expected<Names> unreducedSum(const std::vector<Aval> &args) {
  const Names l = unreducedOf(args[0]), r = unreducedOf(args[1]);
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
  const Names l = unreducedOf(args[0]), r = unreducedOf(args[1]);
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
  bool isManual = std::any_of(args.begin(), args.end(), hasManualSums);
  for (const Aval &a : args) {
    if ((!a.rank() && !isManual) || reducedOf(a) == common)
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

struct Sums {
  Names unreduced, reduced;
};

/// The axes of the results, of which the primitive's own rule gave `own`.
Expected<Sums> sumsOf(const Primitive &primitive, const std::vector<Aval> &args,
                      const Names &own) {
  const std::string &name = primitive.name;
  Names unreduced, reduced;
  for (const Aval &a : args) {
    Names sums = unreducedOf(a), copies = reducedOf(a);
    unreduced.insert(sums.begin(), sums.end());
    reduced.insert(copies.begin(), copies.end());
  }
  if (keepsBoth().count(name)) {
    unreduced.insert(own.begin(), own.end());
    return Sums{unreduced, reduced};
  }
  if (!isElementwise(name))
    return notImplemented("unreduced/reduced rule for ", name, issueText);
  if (unreduced.empty()) {
    Expected<Names> common = commonReduced(args);
    if (!common)
      return common.error();
    return Sums{{}, *common};
  }
  if (name != "add" && name != "add_any" && name != "mul")
    return notImplemented("unreduced rule for ", name, issueText);
  Expected<Names> sums =
      name == "mul" ? unreducedProduct(args) : unreducedSum(args);
  if (!sums)
    return sums.error();
  return Sums{*sums, {}};
}

} // namespace

bool hasPartialSums(const Aval &a) {
  return !unreducedOf(a).empty() || !reducedOf(a).empty();
}

Expected<PartitionSpec> withPartialSums(const Primitive &primitive,
                                        const std::vector<Aval> &args,
                                        const PartitionSpec &spec) {
  // The own rule of dot_general has refused unreduced operands.
  if (std::none_of(args.begin(), args.end(), hasPartialSums) ||
      primitive.name == "dot_general")
    return spec;
  Expected<Sums> sums = sumsOf(primitive, args, spec.unreduced());
  if (!sums)
    return sums.error();
  return PartitionSpec::get(spec.entries(), sums->unreduced, sums->reduced);
}

Status setManualSums(const Primitive &primitive, const std::vector<Aval> &args,
                     std::vector<Aval> &results) {
  if (std::none_of(args.begin(), args.end(), hasManualSums))
    return {};
  if (primitive.name == "dot_general") {
    for (const Aval &a : args)
      if (!a.unreduced.empty())
        return typeClash(cat("lhs or rhs passed to dot_general cannot be "
                             "unreduced. Got lhs=ShapedArray(",
                             args[0].longStr(), ") and rhs=ShapedArray(",
                             args[1].longStr(), ")"));
    return {};
  }
  Expected<Sums> sums = sumsOf(primitive, args, {});
  if (!sums)
    return sums.error();
  auto ordered = [](const Names &names) {
    return inBindingOrder(AxisNames(names.begin(), names.end()));
  };
  for (Aval &result : results) {
    result.unreduced = ordered(sums->unreduced);
    result.reduced = ordered(sums->reduced);
  }
  return {};
}

Aval swapPartialSums(const Aval &aval) {
  Aval out = aval;
  std::swap(out.unreduced, out.reduced);
  if (aval.sharding &&
      !(aval.sharding->spec.unreduced() == aval.sharding->spec.reduced()))
    out.sharding = std::make_shared<const TypeSharding>(
        TypeSharding{aval.sharding->mesh,
                     *PartitionSpec::get(aval.sharding->spec.entries(),
                                         aval.sharding->spec.reduced(),
                                         aval.sharding->spec.unreduced())});
  return out;
}

Aval cotangentAval(const Aval &aval) {
  return swapPartialSums(tangentAval(aval));
}

} // namespace shardwright::frontend
