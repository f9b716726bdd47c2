//===- reshard.cc - changes of the sharding in a type ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/reshard.h"

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/trace/partial_sums.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

struct TypeShardingParam final : ParamObject {
  TypeShardingParam(std::shared_ptr<const TypeSharding> s, std::string t)
      : sharding(std::move(s)), text(std::move(t)) {}
  std::string str() const override {
    if (!text.empty())
      return text;
    return sharding ? cat("NamedSharding(mesh=", sharding->mesh.str(),
                          ", spec=", sharding->spec.str(), ")")
                    : "None";
  }
  std::string key() const override {
    return cat(sharding->mesh.str(), sharding->spec.str(), text);
  }
  std::shared_ptr<const TypeSharding> sharding;
  std::string text;
};

Aval resharded(Aval aval, std::shared_ptr<const TypeSharding> sharding) {
  aval.sharding = std::move(sharding);
  return aval;
}

const Primitive reshardP = [] {
  Primitive p;
  p.name = "reshard";
  p.hidden = {"dst_sharding"};
  p.ownManualAxes = true;
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    auto to = typeShardingIn(params, "dst_sharding");
    if (to)
      SW_TRY(checkSizes(in[0], *to));
    return std::vector<Aval>{resharded(in[0], to)};
  };
  // The sharding of the result's type becomes a constraint.
  p.lower = [](LoweringContext &c) { return c.operands(); };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &self = *findPrimitive("reshard");
    return oneResult(bind1(self, in, params), bind1(self, {*t[0]}, params));
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &types, const Params &) {
    return MaybeTensors{reshardLike(*ct[0], cotangentAval(types[0]))};
  };
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    auto to = typeShardingIn(params, "dst_sharding");
    if (!to)
      return {{reshardTo(in[0], nullptr)}, dims};
    // The mapped dimension keeps its axes.
    auto changed = withDimension(*to, dims[0], in[0].aval().spec()[dims[0]]);
    if (!changed)
      return {{Tensor(changed.error())}, {}};
    return {{reshardTo(in[0], *changed)}, dims};
  };
  return p;
}();
const Registered reshardR(reshardP);

} // namespace

Param typeShardingParam(std::shared_ptr<const TypeSharding> sharding,
                        std::string text) {
  if (!sharding)
    return std::monostate();
  return objectParam(TypeShardingParam(std::move(sharding), std::move(text)));
}
Status checkExplicitAxes(const char *what, const AbstractMesh &mesh,
                         const PartitionSpec &spec) {
  for (const SpecEntry &entry : spec.entries())
    for (const std::string &axis : entry.axes)
      if (mesh.find(axis) >= 0 && mesh.typeOf(axis) != AxisType::Explicit)
        return valueError("PartitionSpec passed to ", what,
                          " cannot contain axis names that are of type Auto "
                          "or Manual. Got PartitionSpec: ",
                          spec.str(), " with axis name: ", axis,
                          " of type: AxisType.", str(mesh.typeOf(axis)), ".");
  return {};
}
Expected<std::shared_ptr<const TypeSharding>>
withDimension(const TypeSharding &sharding, int64_t at,
              const SpecEntry &entry) {
  std::vector<SpecEntry> entries = sharding.spec.entries();
  entries.insert(entries.begin() + at, entry);
  Expected<PartitionSpec> spec = PartitionSpec::get(
      entries, sharding.spec.unreduced(), sharding.spec.reduced());
  if (!spec)
    return spec.error();
  SW_TRY(Sharding::named(sharding.mesh, *spec));
  return std::make_shared<const TypeSharding>(
      TypeSharding{sharding.mesh, *spec});
}

Status insertBatchEntry(Params &params, const char *name, int64_t at,
                        const SpecEntry &entry) {
  auto given = typeShardingIn(params, name);
  if (!given)
    return {};
  auto changed = withDimension(*given, at, entry);
  if (!changed)
    return changed.error();
  params.set(name, typeShardingParam(*changed));
  return {};
}
std::shared_ptr<const TypeSharding> typeShardingIn(const Params &params,
                                                   const char *name) {
  const auto *param = params.object<TypeShardingParam>(name);
  return param ? param->sharding : nullptr;
}

std::string shardingText(const Aval &aval) {
  const AbstractMesh &mesh =
      aval.sharding ? aval.sharding->mesh : contextAbstractMesh();
  return cat("NamedSharding(mesh=", mesh.str(), ", spec=", aval.spec().str(),
             ")");
}

std::string typeWithAxes(const Aval &aval, bool brief) {
  const AbstractMesh &mesh =
      aval.sharding ? aval.sharding->mesh : contextAbstractMesh();
  std::vector<AxisType> seen;
  std::string list;
  for (AxisType type : mesh.types()) {
    if (std::find(seen.begin(), seen.end(), type) != seen.end())
      continue;
    seen.push_back(type);
    list += cat(list.empty() ? "" : ", ", str(type), ": ",
                namesText(mesh.axesOf(type)));
  }
  return cat(brief ? aval.str() : aval.longStr(), "({", list, "})");
}

Tensor reshardTo(const Tensor &x,
                 std::shared_ptr<const TypeSharding> sharding) {
  return bind1(reshardP, {x},
               {{"dst_sharding", typeShardingParam(std::move(sharding))}});
}

Tensor reshardLike(const Tensor &x, const Aval &type) {
  if (!x.ok() || resharded(x.aval(), type.sharding).sameType(x.aval()))
    return x;
  return reshardTo(x, type.sharding);
}

Expected<std::vector<PartitionSpec>>
resizedSpec(const char *what, const Aval &in, const Aval &out) {
  const PartitionSpec spec = in.spec();
  for (int64_t d = 0; d < in.rank(); ++d) {
    int64_t ways = 1;
    std::string names;
    for (const std::string &axis : spec[d].axes) {
      ways *= in.sharding->mesh.sizeOf(axis);
      names = axis;
    }
    if (spec[d].axes.size() > 1)
      names = namesText(spec[d].axes);
    if (out.shape[d] != in.shape[d] && out.shape[d] % ways)
      return makeError(ErrorKind::ShardingType, what,
                       " on sharded dims where out dim (", out.shape[d],
                       ") is not divisible by mesh axes (", ways,
                       ") with spec (", names,
                       ") is not implemented. Got input type=", in.str(),
                       " and output shape=", tupleText(out.shape));
  }
  return std::vector<PartitionSpec>{spec};
}

std::shared_ptr<const TypeSharding> typeShardingOf(const AbstractMesh &mesh,
                                                   const PartitionSpec &spec,
                                                   int64_t rank) {
  if (!mesh.anyIs(AxisType::Explicit))
    return nullptr;
  std::vector<SpecEntry> entries = spec.normalized(rank).entries();
  for (SpecEntry &entry : entries) {
    AxisNames kept;
    for (const std::string &axis : entry.axes)
      if (mesh.typeOf(axis) == AxisType::Explicit)
        kept.push_back(axis);
    entry = SpecEntry(kept);
  }
  return std::make_shared<const TypeSharding>(TypeSharding{
      mesh, *PartitionSpec::get(std::move(entries), spec.unreduced(),
                                spec.reduced())});
}

} // namespace shardwright::frontend
