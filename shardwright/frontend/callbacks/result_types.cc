//===- result_types.cc - calls whose results have given types -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/result_types.h"

#include "shardwright/frontend/control/control.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

struct ResultTypes final : ParamObject {
  explicit ResultTypes(std::vector<Aval> t) : types(std::move(t)) {}
  std::string str() const override {
    std::string out = "(";
    for (size_t i = 0; i < types.size(); ++i)
      out +=
          cat(i ? ", ShapedArray(" : "ShapedArray(", types[i].longStr(), ")");
    return out + (types.size() == 1 ? ",)" : ")");
  }
  std::vector<Aval> types;
};

/// Layouts, minor to major, of values that get a leading dimension.
void addLeadingDims(Params &params, const char *name,
                    const std::vector<bool> &batched) {
  if (!params.has(name))
    return;
  IntsList layouts = params.lists(name);
  for (size_t i = 0; i < layouts.size(); ++i) {
    if (!batched[i])
      continue;
    for (int64_t &d : layouts[i])
      ++d;
    layouts[i].push_back(0);
  }
  params.set(name, layouts);
}

/// Calls once with all examples.
BatchResult batchAtOnce(const Primitive &self, const BatchAxis &axis,
                        const Tensors &in, const Ints &dims,
                        const Params &params) {
  const std::string &method = params.text("vmap_method");
  bool isLegacy = method == "legacy_vectorized";
  Tensors args;
  std::vector<bool> wider;
  for (size_t i = 0; i < in.size(); ++i) {
    wider.push_back(dims[i] >= 0 || !isLegacy);
    if (dims[i] >= 0)
      args.push_back(moveBatch(in[i], dims[i], 0));
    else if (isLegacy)
      args.push_back(in[i]);
    else
      args.push_back(method == "broadcast_all" ? batchToFront(in[i], -1, axis)
                                               : batchToFront(in[i], -1, 1));
  }
  std::vector<Aval> types;
  for (const Aval &type : resultsOf(params))
    types.push_back(type.withDim(0, axis.size));
  size_t count = types.size();
  Params changed = params;
  changed.set("result_avals", resultTypesParam(std::move(types)));
  // A mark of a common batch (ffi.h) needs the new dimension in all values.
  if (params.has("num_batch_dims")) {
    bool isCommon = method == "broadcast_all" ||
                    std::all_of(dims.begin(), dims.end(),
                                [](int64_t dim) { return dim >= 0; });
    changed.set("num_batch_dims",
                isCommon ? params.integer("num_batch_dims") + 1 : int64_t(0));
  }
  addLeadingDims(changed, "input_layouts", wider);
  addLeadingDims(changed, "output_layouts", std::vector<bool>(count, true));
  return {bindMany(self, count, args, changed), Ints(count, 0)};
}

} // namespace

Param resultTypesParam(std::vector<Aval> types) {
  return objectParam(ResultTypes(std::move(types)));
}
const std::vector<Aval> &resultsOf(const Params &params) {
  return params.object<ResultTypes>("result_avals")->types;
}

BatchResult batchCallInLoop(const Primitive &self, const BatchAxis &axis,
                            const Tensors &in, const Ints &dims,
                            const Params &params, int64_t unroll) {
  Tensors xs, fixed;
  for (size_t i = 0; i < in.size(); ++i)
    if (dims[i] >= 0)
      xs.push_back(moveBatch(in[i], dims[i], 0));
    else
      fixed.push_back(in[i]);
  size_t count = resultsOf(params).size();
  Tensors outs = mapSlices(
      [&](const Tensors &consts, const Tensors &slices) {
        Tensors args;
        size_t nextConst = 0, nextSlice = 0;
        for (int64_t dim : dims)
          args.push_back(dim >= 0 ? slices[nextSlice++] : consts[nextConst++]);
        return bindMany(self, count, args, params);
      },
      fixed, xs, axis.size, unroll);
  return {outs, Ints(std::max<size_t>(count, 1), 0)};
}

BatchResult batchCall(const Primitive &self, const BatchAxis &axis,
                      const Tensors &in, const Ints &dims,
                      const Params &params) {
  if (params.isNone("vmap_method"))
    return {{Tensor(notImplemented(
                "vmap is only supported for the ", self.name,
                " primitive when vmap_method is one of 'sequential', "
                "'sequential_unrolled', 'expand_dims', 'broadcast_all', or "
                "'legacy_vectorized'. Got vmap_method=None."))},
            {}};
  const std::string &method = params.text("vmap_method");
  if (method == "sequential")
    return batchCallInLoop(self, axis, in, dims, params, 1);
  if (method == "sequential_unrolled")
    return batchCallInLoop(self, axis, in, dims, params, axis.size);
  return batchAtOnce(self, axis, in, dims, params);
}

} // namespace shardwright::frontend
