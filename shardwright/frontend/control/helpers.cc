//===- helpers.cc - parts that loops and branches share -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/control.h"

#include <algorithm>

namespace shardwright::frontend {

JaxprPtr reordered(const JaxprPtr &jaxpr, const std::vector<size_t> &ins,
                   const std::vector<size_t> &outs) {
  auto out = std::make_shared<Jaxpr>(*jaxpr);
  out->ins.clear();
  out->outs.clear();
  for (size_t i : ins)
    out->ins.push_back(jaxpr->ins[i]);
  for (size_t i : outs)
    out->outs.push_back(jaxpr->outs[i]);
  return out;
}

std::vector<size_t> range(size_t from, size_t count) {
  std::vector<size_t> out;
  for (size_t i = 0; i < count; ++i)
    out.push_back(from + i);
  return out;
}

std::optional<Tensors> strengthenedCarry(const Tensors &init,
                                         const std::vector<Aval> &before,
                                         const std::vector<Aval> &after) {
  for (size_t i = 0; i < before.size() && i < after.size(); ++i)
    if (before[i].weak && !before[i].sameType(after[i]) &&
        before[i].shape == after[i].shape) {
      Tensors carry = init;
      carry[i] = lax::convert_element_type(init[i], after[i].dtype);
      return carry;
    }
  return {};
}

/// Why the types of a carry differ, and what may help.
static std::string mismatchText(const Aval &before, const Aval &after,
                                size_t index) {
  Aval other = after;
  other.sharding = before.sharding;
  if (other.sameType(before))
    return ".";
  other.varying = before.varying;
  if (!other.sameType(before))
    return ", so the types do not match.";
  AxisNames missing;
  for (const std::string &axis : after.varying)
    if (std::find(before.varying.begin(), before.varying.end(), axis) ==
        before.varying.end())
      missing.push_back(axis);
  std::string text = ", so the manual axis types do not match.";
  if (missing.empty())
    return text;
  return cat(text, "\n\nThis might be fixed by applying `jax.lax.pcast(..., ",
             missing.size() == 1 ? cat("'", missing[0], "'")
                                 : namesText(missing),
             ", to='varying')`, to the initial carry value corresponding to "
             "the input carry component ",
             index,
             ".\nSee https://docs.jax.dev/en/latest/notebooks/"
             "shard_map.html#scan-vma for more information.");
}

Status checkCarry(const std::string &loop, const std::vector<Aval> &before,
                  const std::vector<Aval> &after) {
  if (before.size() != after.size())
    return typeError(loop,
                     " body function carry input and carry output must "
                     "have the same pytree structure, but the input has ",
                     before.size(), " leaves and the output ", after.size());
  for (size_t i = 0; i < before.size(); ++i)
    if (!before[i].sameType(after[i]))
      return typeError(loop,
                       " body function carry input and carry output must have "
                       "equal types, but they differ:\n\nThe input carry "
                       "component ",
                       i, " has type ", before[i].longStr(),
                       " but the corresponding output carry component has "
                       "type ",
                       after[i].longStr(), mismatchText(before[i], after[i], i),
                       "\n\nRevise the function "
                       "so that all output types match the corresponding "
                       "input types.");
  return {};
}

} // namespace shardwright::frontend
