//===- reshape.cc - reshape -----------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/reordered_reshape.h"

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/reshard.h"

namespace shardwright::frontend {
namespace {

using namespace lax;
using Specs = Expected<std::vector<PartitionSpec>>;

/// The spec of a reshaped value: only 1s, one split, or one merge of dims.
Specs reshapeSpec(const Aval &in, const Aval &out) {
  PartitionSpec spec = in.spec();
  if (spec == P().normalized(in.rank()))
    return std::vector<PartitionSpec>{P().normalized(out.rank())};
  std::vector<SpecEntry> entries(out.rank());
  auto refuse = [&] {
    return makeError(ErrorKind::ShardingType,
                     "This reshape is not supported. Please specify the "
                     "sharding of the output via the `out_sharding` argument "
                     "of jax.lax.reshape. Got operand type: ",
                     in.longStr(), ", new sizes: ", tupleText(out.shape));
  };
  auto ways = [&](const SpecEntry &e) {
    int64_t n = 1;
    for (const std::string &axis : e.axes)
      n *= in.sharding->mesh.sizeOf(axis);
    return n;
  };
  int64_t i = 0, j = 0;
  while (i < in.rank() || j < out.rank()) {
    if (i < in.rank() && j < out.rank() && in.shape[i] == out.shape[j]) {
      entries[j++] = spec[i++];
      continue;
    }
    if (j < out.rank() && out.shape[j] == 1) {
      ++j;
      continue;
    }
    if (i < in.rank() && in.shape[i] == 1) {
      if (!spec[i++].empty())
        return refuse();
      continue;
    }
    if (i >= in.rank() || j >= out.rank())
      return refuse();
    if (in.shape[i] > out.shape[j]) { // a split: axes go major first
      int64_t size = 1;
      AxisNames rest = spec[i].axes;
      while (size < in.shape[i] && j < out.rank()) {
        int64_t left = out.shape[j];
        while (!rest.empty() && left % in.sharding->mesh.sizeOf(rest[0]) == 0) {
          entries[j].axes.push_back(rest[0]);
          left /= in.sharding->mesh.sizeOf(rest[0]);
          rest.erase(rest.begin());
        }
        // An axis may not pass over a piece that it could divide.
        if (!rest.empty() && left > 1)
          return refuse();
        size *= out.shape[j++];
      }
      if (size != in.shape[i] || !rest.empty())
        return refuse();
      ++i;
      continue;
    }
    int64_t size = 1; // a merge: no unsharded dimension before a sharded one
    bool open = false;
    while (size < out.shape[j] && i < in.rank()) {
      if (!spec[i].empty() && open)
        return refuse();
      open |= ways(spec[i]) == 1;
      for (const std::string &axis : spec[i].axes)
        entries[j].axes.push_back(axis);
      size *= in.shape[i++];
    }
    if (size != out.shape[j])
      return refuse();
    ++j;
  }
  Expected<PartitionSpec> joined = PartitionSpec::get(std::move(entries));
  if (!joined)
    return joined.error();
  return std::vector<PartitionSpec>{*joined};
}

Shape permuted(const Shape &shape, const Ints &order) {
  Shape out;
  for (int64_t d : order)
    out.push_back(shape[d]);
  return out;
}

const Primitive reshapeP = [] {
  Primitive p;
  p.name = "reshape";
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    Shape shape(params.ints("new_sizes"));
    if (shape.elements() != in[0].shape.elements())
      return typeError("cannot reshape array of shape ", tupleText(in[0].shape),
                       " (size ", in[0].shape.elements(), ") into shape ",
                       tupleText(shape), " (size ", shape.elements(), ")");
    Aval result{in[0].dtype, shape, in[0].weak};
    result.sharding = typeShardingIn(params, "sharding");
    return std::vector<Aval>{result};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &out,
                  const Params &) -> Specs {
    if (out[0].sharding)
      return std::vector<PartitionSpec>{out[0].sharding->spec};
    return reshapeSpec(in[0], out[0]);
  };
  p.lower = [](LoweringContext &c) {
    std::string x = c.operands()[0];
    Aval type = c.operandTypes()[0];
    if (!c.params().isNone("dimensions")) {
      const Ints &order = c.params().ints("dimensions");
      Aval turned = type.withShape(permuted(type.shape, order));
      x = c.op("stablehlo.transpose", {x}, {mlirType(type)}, {mlirType(turned)},
               arrayAttr("permutation", order))[0];
      type = turned;
    }
    return c.op("stablehlo.reshape", {x}, {mlirType(type)},
                mlirTypes(c.resultTypes()));
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &self = *findPrimitive("reshape");
    return oneResult(bind1(self, in, params), bind1(self, {*t[0]}, params));
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &types, const Params &params) {
    if (!params.isNone("dimensions")) {
      const Ints &order = params.ints("dimensions");
      Ints back(order.size());
      for (size_t i = 0; i < order.size(); ++i)
        back[order[i]] = static_cast<int64_t>(i);
      return MaybeTensors{
          transpose(reshape(*ct[0], permuted(types[0].shape, order)), back)};
    }
    if (!types[0].sharding || !ct[0]->ok())
      return MaybeTensors{reshape(*ct[0], types[0].shape)};
    return MaybeTensors{
        bind1(*findPrimitive("reshape"), {*ct[0]},
              {{"new_sizes", Ints(types[0].shape)},
               {"dimensions", std::monostate()},
               {"sharding", typeShardingParam(types[0].sharding)}})};
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    Shape shape(params.ints("new_sizes"));
    shape.insert(shape.begin(), axis.size);
    Params changed = params;
    changed.set("new_sizes", Ints(shape));
    if (!params.isNone("dimensions")) {
      Ints order{0};
      for (int64_t d : params.ints("dimensions"))
        order.push_back(d + 1);
      changed.set("dimensions", order);
    }
    if (Status set = insertBatchEntry(changed, "sharding", 0,
                                      in[0].aval().spec()[dims[0]]);
        !set)
      return {{Tensor(set.error())}, {}};
    return {frontend::bind(*findPrimitive("reshape"),
                           {moveBatch(in[0], dims[0], 0)}, changed),
            {0}};
  };
  return p;
}();
const Registered reshapeR(reshapeP);

} // namespace

namespace lax {
Tensor reshape(const Tensor &x, const Shape &shape, const Ints &dimensions) {
  if (!x.ok() || dimensions == iotaInts(x.rank()))
    return reshape(x, shape);
  return bind1(reshapeP, {x},
               {{"new_sizes", Ints(shape)},
                {"dimensions", dimensions},
                {"sharding", std::monostate()}});
}
Tensor reshape(const Tensor &x, const Shape &shape) {
  if (x.ok() && x.shape() == shape)
    return x;
  return bind1(reshapeP, {x},
               {{"new_sizes", Ints(shape)},
                {"dimensions", std::monostate()},
                {"sharding", std::monostate()}});
}
} // namespace lax
} // namespace shardwright::frontend
