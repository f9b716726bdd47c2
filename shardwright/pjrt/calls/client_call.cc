//===- client_call.cc - a call in the client's terms ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/calls/client_call.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/element_type.h"
#include "shardwright/mesh/hlo/named_conversion.h"

using namespace mlir;

namespace shardwright::pjrt {

StringRef ClientCall::config() const {
  auto config = dyn_cast_or_null<StringAttr>(
      stablehlo::CustomCallOp(call).getBackendConfigAttr());
  return config ? config.getValue() : "";
}

HloSharding ClientCall::shardingOf(Value value) const {
  NamedHloSharding named;
  named.mesh = free;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  named.sharding = TensorSharding::closed(type ? type.getRank() : 0);
  sdy::TensorShardingAttr sharding = sdy::getSharding(value);
  if (sharding && type && sharding.getRank() == type.getRank())
    named.sharding = sdy::shardingFromAttr(sharding, free);
  return toTiled(named);
}

FailureOr<std::vector<PartitionedValue>>
ClientCall::describe(ValueRange values) const {
  std::vector<PartitionedValue> described;
  for (Value value : values) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    auto element = type ? elementTypeFromMLIR(type.getElementType())
                        : std::optional<ElementType>();
    if (!element || !type.hasStaticShape())
      return emitError(call->getLoc())
             << "UNIMPLEMENTED: custom partitioning of a value of type "
             << value.getType() << " is not supported";
    PartitionedValue &one = described.emplace_back();
    one.type = *element;
    one.shape.assign(type.getShape().begin(), type.getShape().end());
    one.sharding = shardingOf(value);
  }
  return described;
}

FailureOr<sdy::TensorShardingAttr>
ClientCall::fromClient(const HloSharding &sharding, Type type) const {
  auto named = toNamed(sharding, free, cast<RankedTensorType>(type).getRank());
  if (!named)
    return emitError(call->getLoc()) << "INTERNAL: custom_partitioner: "
                                     << llvm::toString(named.takeError());
  if (named->mesh.isMaximal())
    return emitError(call->getLoc())
           << "UNIMPLEMENTED: custom_partitioner: it puts a value on device "
           << named->mesh.deviceIds()[0]
           << " alone, expected a sharding over all devices";
  return sdy::shardingToAttr(context, named->sharding, free, meshRef);
}

} // namespace shardwright::pjrt
