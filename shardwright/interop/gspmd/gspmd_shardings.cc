//===- gspmd_shardings.cc - the shardings of one module -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/gspmd/gspmd_shardings.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardwright {

LogicalResult GspmdShardings::read(Attribute attr, Location where) {
  if (!attr || parsed.contains(attr))
    return success();
  auto text = dyn_cast<StringAttr>(attr);
  if (!text)
    return emitError(where)
           << "mhlo.sharding is " << attr << ", expected a string";
  // Older writers store the bytes of the protocol buffer.
  auto sharding = text.getValue().ltrim().starts_with("{")
                      ? HloSharding::parse(text.getValue())
                      : HloSharding::fromProto(text.getValue());
  if (!sharding)
    return emitError(where)
           << "mhlo.sharding: " << llvm::toString(sharding.takeError());
  inference.add(*sharding);
  if (sharding->isTiled())
    lastTiled = where;
  parsed.try_emplace(attr, std::move(*sharding));
  return success();
}

LogicalResult GspmdShardings::collect() {
  auto name = StringAttr::get(context, kMhloSharding);
  auto callName =
      OperationName(stablehlo::CustomCallOp::getOperationName(), context);
  WalkResult walk = module.walk([&](Operation *op) {
    if (auto func = dyn_cast<func::FuncOp>(op)) {
      found.push_back(op);
      for (unsigned i = 0; i < func.getNumArguments(); ++i)
        if (failed(read(func.getArgAttr(i, kMhloSharding),
                        func.getArgument(i).getLoc())))
          return WalkResult::interrupt();
      for (unsigned i = 0; i < func.getNumResults(); ++i)
        if (failed(read(func.getResultAttr(i, kMhloSharding), func.getLoc())))
          return WalkResult::interrupt();
      return WalkResult::advance();
    }
    // Most ops have no attributes, so test for an empty dictionary first.
    DictionaryAttr attrs = op->getRawDictionaryAttrs();
    if (attrs.empty())
      return WalkResult::advance();
    Attribute text = attrs.get(name);
    if (!text)
      return WalkResult::advance();
    found.push_back(op);
    if (op->getName() == callName) {
      StringRef target = cast<stablehlo::CustomCallOp>(op).getCallTargetName();
      manualRegions |=
          target == "SPMDFullToShardShape" || target == "SPMDShardToFullShape";
    }
    return failed(read(text, op->getLoc())) ? WalkResult::interrupt()
                                            : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult GspmdShardings::makeMeshes(ArrayRef<MeshAxis> axes,
                                         int64_t devices) {
  if (!axes.empty()) {
    theMesh = Mesh(llvm::SmallVector<MeshAxis, 4>(axes));
  } else {
    auto inferred = inference.infer(devices);
    if (!inferred)
      return emitError(lastTiled) << llvm::toString(inferred.takeError());
    theMesh = std::move(*inferred);
  }
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  Location loc = module.getLoc();
  sdy::MeshOp::create(builder, loc, "mesh", sdy::meshToAttr(context, theMesh));
  for (int64_t device : inference.maximalDevices())
    sdy::MeshOp::create(
        builder, loc, ("maximal_mesh_" + Twine(device)).str(),
        sdy::MeshAttr::get(context, ArrayRef<sdy::MeshAxisAttr>(), {device}));
  return success();
}

const HloSharding *GspmdShardings::of(Attribute text) const {
  auto it = parsed.find(text);
  return text && it != parsed.end() ? &it->second : nullptr;
}

const HloSharding *GspmdShardings::of(Operation *op) const {
  return of(op->getDiscardableAttr(kMhloSharding));
}

FailureOr<NamedHloSharding> GspmdShardings::named(const HloSharding &sharding,
                                                  Type type,
                                                  Location where) const {
  auto shaped = dyn_cast<ShapedType>(type);
  int64_t rank = shaped && shaped.hasRank() ? shaped.getRank() : 0;
  auto named = toNamed(sharding, theMesh, rank);
  if (!named)
    return emitError(where) << llvm::toString(named.takeError());
  return std::move(*named);
}

sdy::TensorShardingAttr
GspmdShardings::attr(const NamedHloSharding &named) const {
  if (named.mesh.isMaximal()) {
    std::string name =
        "maximal_mesh_" + std::to_string(named.mesh.deviceIds()[0]);
    return sdy::shardingToAttr(context, TensorSharding(), named.mesh,
                               FlatSymbolRefAttr::get(context, name));
  }
  return sdy::shardingToAttr(context, named.sharding, theMesh,
                             FlatSymbolRefAttr::get(context, "mesh"));
}

FailureOr<sdy::TensorShardingAttr>
GspmdShardings::attr(const HloSharding &sharding, Type type,
                     Location where) const {
  auto n = named(sharding, type, where);
  if (failed(n))
    return failure();
  return attr(*n);
}

} // namespace shardwright
