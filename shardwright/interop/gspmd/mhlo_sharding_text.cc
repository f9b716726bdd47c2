//===- mhlo_sharding_text.cc - print shardings as mhlo.sharding -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/gspmd/mhlo_sharding_text.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/mesh/hlo/named_conversion.h"

using namespace mlir;

namespace shardwright {

const Mesh *MhloShardingText::mesh(Attribute meshOrRef) {
  if (!meshOrRef)
    return nullptr;
  auto it = meshes.find(meshOrRef);
  if (it == meshes.end()) {
    sdy::MeshAttr attr = sdy::getMeshAttr(module, meshOrRef);
    if (!attr)
      return nullptr;
    it = meshes.try_emplace(meshOrRef, sdy::meshFromAttr(attr)).first;
  }
  return &it->second;
}

bool MhloShardingText::isFull(const ManualContext &manual) {
  const Mesh *of = mesh(manual.meshOrRef);
  return manual && of && int64_t(manual.axes.size()) == of->numAxes();
}

FailureOr<HloSharding> MhloShardingText::value(sdy::TensorShardingAttr sharding,
                                               const ManualContext &manual,
                                               Location where) {
  const Mesh *its = mesh(sharding.getMeshOrRef());
  if (!its)
    return emitError(where) << "unknown mesh: " << sharding.getMeshOrRef();
  if (!isBesideSdy && !sharding.getUnreducedAxes().empty() &&
      sharding.getReductionOp() != sdy::ReductionOp::SUM)
    return emitError(where)
           << "the sharding " << sharding << " has unreduced axes of kind '"
           << sdy::stringifyReductionOp(sharding.getReductionOp())
           << "', for which HLO shardings have no notation; reduce the value "
              "before";
  NamedHloSharding named;
  // On the empty mesh nothing is sharded, but manual axes stay manual.
  bool placesNothing = its->isEmpty() && manual;
  named.mesh = placesNothing ? *mesh(manual.meshOrRef) : *its;
  named.sharding = sdy::shardingFromAttr(sharding, *its);
  if (manual && !its->isMaximal())
    for (int32_t axis = 0; axis < named.mesh.numAxes(); ++axis)
      if (llvm::any_of(manual.axes, [&](StringAttr name) {
            return name.getValue() == named.mesh.axisName(axis);
          }))
        named.manual.push_back(named.mesh.fullAxis(axis));
  HloSharding tiled = toTiled(named);
  return deviceLists ? tiled.withDeviceList() : tiled;
}

FailureOr<StringAttr> MhloShardingText::of(sdy::TensorShardingAttr sharding,
                                           const ManualContext &manual,
                                           Location where) {
  return of(ArrayRef(sharding), manual, where);
}

FailureOr<StringAttr>
MhloShardingText::of(ArrayRef<sdy::TensorShardingAttr> shardings,
                     const ManualContext &manual, Location where) {
  MLIRContext *context = module.getContext();
  Attribute key =
      shardings.size() == 1
          ? Attribute(shardings.front())
          : sdy::TensorShardingPerValueAttr::get(context, shardings);
  StringAttr &text = texts[{key, manual.axes}];
  if (text)
    return text;
  std::vector<HloSharding> values;
  for (sdy::TensorShardingAttr sharding : shardings) {
    FailureOr<HloSharding> one = value(sharding, manual, where);
    if (failed(one))
      return failure();
    values.push_back(std::move(*one));
  }
  HloSharding all = values.size() == 1 ? std::move(values.front())
                                       : HloSharding::tuple(std::move(values));
  return text = StringAttr::get(context, all.str());
}

} // namespace shardwright
