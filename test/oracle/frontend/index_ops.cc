//===- index_ops.cc - subscripts and indexed updates by name --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ops.h"

namespace shardwright::frontend {
namespace {

/// Subscripts from numbers, as index_cases.py writes them: a code, and its
/// arguments. Arrays are the operands from `next` on.
std::vector<Index> indicesOf(const Ints &codes, const Args &a, size_t next) {
  std::vector<Index> out;
  for (size_t i = 0; i < codes.size();) {
    switch (codes[i++]) {
    case 0:
      out.push_back(Index(codes[i++]));
      break;
    case 1: {
      auto bound = [&](size_t at) {
        return codes[at] ? std::optional<int64_t>(codes[at + 1]) : std::nullopt;
      };
      out.push_back(slice(bound(i), bound(i + 2), codes[i + 4]));
      i += 5;
      break;
    }
    case 2:
      out.push_back(newAxis);
      break;
    case 3:
      out.push_back(ellipsis);
      break;
    case 4:
      out.push_back(a[next++]);
      break;
    case 5: {
      // A mask of `rank` dimensions, true at every m-th element.
      Shape shape(
          Ints(codes.begin() + i + 1, codes.begin() + i + 1 + codes[i]));
      int64_t m = codes[i + 1 + codes[i]];
      std::vector<bool> elements;
      for (int64_t e = 0; e < shape.elements(); ++e)
        elements.push_back(e % m == 0);
      out.push_back(arrayOf(elements, shape));
      i += codes[i] + 2;
      break;
    }
    default:
      out.push_back(codes[i++] != 0);
    }
  }
  return out;
}

AtOptions optionsOf(const Keys &k) {
  AtOptions out;
  if (one(k, "mode"))
    out.mode = static_cast<GatherMode>(one(k, "mode") - 1);
  if (k.count("fill"))
    out.fillValue = Tensor(one(k, "fill"));
  out.indicesAreSorted = one(k, "sorted") != 0;
  out.uniqueIndices = one(k, "unique") != 0;
  out.wrapNegativeIndices = one(k, "raw") == 0;
  return out;
}

Tensor updatedBy(const std::string &kind, const IndexUpdate &at,
                 const Tensor &y, const AtOptions &o) {
  if (kind == "set")
    return at.set(y, o);
  if (kind == "add")
    return at.add(y, o);
  if (kind == "subtract")
    return at.subtract(y, o);
  if (kind == "multiply")
    return at.multiply(y, o);
  if (kind == "divide")
    return at.divide(y, o);
  if (kind == "power")
    return at.power(y, o);
  return kind == "min" ? at.min(y, o) : at.max(y, o);
}

} // namespace

void addIndexing(Ops &ops) {
  ops["index_plain"] = [](const Args &a, const Keys &k) -> Tensors {
    return {a[0].index(indicesOf(get(k, "idx"), a, 1))};
  };
  ops["index_get"] = [](const Args &a, const Keys &k) -> Tensors {
    return {
        IndexUpdate(a[0], indicesOf(get(k, "idx"), a, 1)).get(optionsOf(k))};
  };
  for (const char *name :
       {"set", "add", "subtract", "multiply", "divide", "power", "min", "max"})
    ops[cat("index_", name)] = [name](const Args &a, const Keys &k) -> Tensors {
      IndexUpdate at(a[0], indicesOf(get(k, "idx"), a, 2));
      return {updatedBy(name, at, a[1], optionsOf(k))};
    };
  ops["index_apply"] = [](const Args &a, const Keys &k) -> Tensors {
    IndexUpdate at(a[0], indicesOf(get(k, "idx"), a, 1));
    return {at.apply([](const Tensor &v) { return lax::mul(lax::sin(v), v); },
                     optionsOf(k))};
  };
  ops["index_take"] = [](const Args &a, const Keys &k) -> Tensors {
    TakeOptions o;
    o.mode = static_cast<TakeMode>(one(k, "mode"));
    if (k.count("fill"))
      o.fillValue = Tensor(one(k, "fill"));
    std::optional<int64_t> axis;
    if (k.count("axis"))
      axis = one(k, "axis");
    return {take(a[0], a[1], axis, o)};
  };
  ops["index_take_along_axis"] = [](const Args &a, const Keys &k) -> Tensors {
    TakeOptions o;
    o.mode = static_cast<TakeMode>(one(k, "mode"));
    std::optional<int64_t> axis;
    if (k.count("axis"))
      axis = one(k, "axis");
    return {takeAlongAxis(a[0], a[1], axis, o)};
  };
  OP("index_in_dim",
     lax::index_in_dim(a[0], one(k, "at"), one(k, "axis"), one(k, "keep") != 0))
  OP("index_slice", lax::slice_in_dim(a[0], one(k, "from"), one(k, "to"),
                                      one(k, "step"), one(k, "axis")))
  OP("index_dynamic_slice",
     lax::dynamic_slice_in_dim(a[0], a[1], one(k, "size"), one(k, "axis")))
  OP("index_dynamic_index",
     lax::dynamic_index_in_dim(a[0], a[1], one(k, "axis"), one(k, "keep") != 0))
  OP("index_dynamic_update_slice",
     lax::dynamic_update_slice_in_dim(a[0], a[1], a[2], one(k, "axis")))
  OP("index_dynamic_update_index",
     lax::dynamic_update_index_in_dim(a[0], a[1], a[2], one(k, "axis")))
  OP("index_lax_take",
     lax::index_take(a[0], Tensors(a.begin() + 1, a.end()), get(k, "axes")))
}

} // namespace shardwright::frontend
