//===- helpers.cc - parts that loops and branches share -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/control.h"
#include "shardwright/frontend/control/mismatch.h"

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

std::vector<std::string> takeTokens(LoweringContext &c, EffectSet ordered,
                                    const std::vector<std::string> &results) {
  auto first = results.begin() + ordered.list().size();
  c.setTokens(ordered, {results.begin(), first});
  return {first, results.end()};
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

std::string mismatchText(const Aval &a, const Aval &b) {
  std::vector<std::string> reasons;
  if (a.dtype != b.dtype)
    reasons.push_back("the dtypes do not match");
  if (!(a.shape == b.shape))
    reasons.push_back("the shapes do not match");
  if (a.varying != b.varying || a.unreduced != b.unreduced ||
      a.reduced != b.reduced)
    reasons.push_back("the manual axis types do not match");
  std::string out;
  for (size_t i = 0; i < reasons.size(); ++i)
    out += cat(i == 0                   ? ", so "
               : i + 1 < reasons.size() ? ", "
                                        : ", and ",
               reasons[i]);
  return out;
}

std::string castAdvice(const Aval &from, const Aval &to,
                       const std::string &object) {
  AxisNames missing;
  for (const std::string &axis : to.varying)
    if (std::find(from.varying.begin(), from.varying.end(), axis) ==
        from.varying.end())
      missing.push_back(axis);
  if (missing.empty())
    return "";
  return cat("applying `jax.lax.pcast(..., ", namesText(missing),
             ", to='varying')`", object);
}

/// `  * first;`, `  * last.`, one a line.
static std::string bulletList(const std::vector<std::string> &items,
                              const char *between) {
  std::string list;
  for (size_t i = 0; i < items.size(); ++i)
    list += cat("  * ", items[i],
                i + 1 == items.size()   ? "."
                : i + 2 == items.size() ? ";\n"
                                        : between);
  return list;
}

std::string adviceText(const std::vector<std::string> &casts,
                       const char *between) {
  if (casts.empty())
    return "";
  return cat("This might be fixed by",
             casts.size() == 1 ? cat(" ", casts[0], ".")
                               : cat(":\n", bulletList(casts, between)),
             "\nSee https://docs.jax.dev/en/latest/notebooks/"
             "shard_map.html#scan-vma for more information.\n\n");
}

Status checkCarry(const std::string &loop, const std::vector<Aval> &before,
                  const std::vector<Aval> &after) {
  if (before.size() != after.size())
    return typeError(loop,
                     " body function carry input and carry output must "
                     "have the same pytree structure, but they differ:\n\nThe "
                     "input carry c has ",
                     before.size(), " leaves but the carry output has ",
                     after.size(),
                     ".\n\nRevise the function so that the carry output has "
                     "the same pytree structure as the carry input.");
  std::vector<std::string> lines, casts;
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i].sameType(after[i]))
      continue;
    std::string component =
        before.size() == 1 ? "carry c" : cat("carry component c[", i, "]");
    lines.push_back(cat(" input ", component, " has type ", before[i].longStr(),
                        " but the corresponding output carry component has "
                        "type ",
                        after[i].longStr(), mismatchText(before[i], after[i])));
    std::string cast = castAdvice(
        before[i], after[i],
        cat(", to the initial carry value corresponding to the input ",
            component));
    if (!cast.empty())
      casts.push_back(cast);
  }
  if (lines.empty())
    return {};
  return typeError(loop,
                   " body function carry input and carry output must have "
                   "equal types, but they differ:\n\n",
                   listOfDifferences(lines, ";\n\n"), "\n\n",
                   adviceText(casts, ";\n\n"),
                   "Revise the function so that all output types match the "
                   "corresponding input types.");
}

std::string listOfDifferences(const std::vector<std::string> &differences,
                              const char *between) {
  if (differences.size() == 1)
    return "The" + differences[0] + ".";
  std::vector<std::string> items;
  for (const std::string &difference : differences)
    items.push_back("the" + difference);
  return bulletList(items, between);
}

} // namespace shardwright::frontend
