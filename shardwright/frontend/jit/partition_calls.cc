//===- partition_calls.cc - expansion of calls that users partition -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/partition_calls.h"

#include "shardwright/compile/manual_call.h"
#include "shardwright/compile/propagate_calls.h"
#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/element_type.h"
#include "shardwright/frontend/callbacks/call_watch.h"
#include "shardwright/frontend/callbacks/custom_partitioner.h"
#include "shardwright/frontend/callbacks/sharding_inspector.h"
#include "shardwright/interop/import_module.h"
#include "shardwright/mesh/hlo/named_conversion.h"
#include "shardwright/partition/prepare/inline_calls.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace shardwright::frontend {
namespace {

/// One call, and the user's terms for its meshes and shardings.
class PartitionedCall : ManualCall {
public:
  PartitionedCall(stablehlo::CustomCallOp call,
                  const std::vector<Device> &devices,
                  const CustomPartitioner *partitioner)
      : ManualCall(call, static_cast<int64_t>(devices.size())),
        devices(devices), partitioner(partitioner) {}

  LogicalResult expand(const std::vector<Mesh> &known, HostCalls &hostCalls);
  /// The shardings of the results that the user's functions say; empty: none.
  FailureOr<CallShardings::Shardings>
  inferResults(const std::vector<Mesh> &known) const;
  FailureOr<CallShardings::Shardings>
  propagateUser(const std::vector<Mesh> &known) const;
  /// Tells the sharding of the operand, and removes the call.
  LogicalResult inspect(const std::vector<Mesh> &known,
                        const ShardingInspector &inspector);

private:
  InFlightDiagnostic error() const {
    InFlightDiagnostic diagnostic = emitError(call->getLoc());
    if (partitioner)
      diagnostic << "INTERNAL: custom_partitioner: custom_partitioning of '"
                 << partitioner->name << "': ";
    return diagnostic;
  }
  /// The user's mesh with the axes of the program's.
  Mesh meshOf(const std::vector<Mesh> &known) const;
  FailureOr<CallShardings::Shardings>
  attributesOf(const Expected<std::vector<Sharding>> &shardings) const;
  /// The sharding of a value as the user's functions get it: over `mesh`, or
  /// over one of its own.
  Expected<Sharding> sharding(mlir::Value value, int64_t rank,
                              const Mesh &mesh) const;
  /// Structs with the shardings of the values.
  FailureOr<Tensors> describe(ValueRange values, const Mesh &mesh) const;
  FailureOr<sdy::TensorShardingAttr> attributeOf(const Sharding &sharding,
                                                 Type type) const;
  LogicalResult read(const PartitionedBody &body, TypeRange operands,
                     TypeRange results, sdy::ManualComputationOp &found,
                     OwningOpRef<ModuleOp> &module, HostCalls &hostCalls) const;

  const std::vector<Device> &devices;
  /// Null: the call is inspected.
  const CustomPartitioner *partitioner;
};

Mesh PartitionedCall::meshOf(const std::vector<Mesh> &known) const {
  auto op = call->getParentOfType<ModuleOp>().lookupSymbol<sdy::MeshOp>(
      cast<FlatSymbolRefAttr>(meshRef).getValue());
  shardwright::Mesh mesh = sdy::meshFromAttr(op.getMesh());
  Ints sizes;
  AxisNames names;
  for (const MeshAxis &axis : mesh.axes()) {
    sizes.push_back(axis.size);
    names.push_back(axis.name);
  }
  for (const Mesh &candidate : known)
    if (candidate.names() == names && candidate.sizes() == sizes)
      return candidate;
  Expected<Mesh> made = Mesh::get(devices, sizes, names);
  return made ? *made : Mesh();
}

Expected<Sharding> PartitionedCall::sharding(mlir::Value value, int64_t rank,
                                             const Mesh &mesh) const {
  TensorSharding sharding = sdy::shardingFromAttr(closed(value), free);
  // With manual axes around the call, the others are not all devices.
  if (partitioner && !partitioner->decodesShardings &&
      free.numDevices() == numDevices) {
    NamedHloSharding named;
    named.mesh = free;
    named.sharding = sharding;
    return Sharding::fromHlo(toTiled(named).str(), mesh.devices());
  }
  std::vector<SpecEntry> entries;
  for (const DimSharding &dim : sharding.dims) {
    // A part of an axis has no name; the user sees the axes before it.
    SpecEntry &entry = entries.emplace_back();
    for (const AxisRef &axis : dim.axes) {
      if (!free.isFull(axis))
        break;
      entry.axes.push_back(free.axisName(axis.axis).str());
    }
  }
  return Sharding::named(mesh, *PartitionSpec::get(entries));
}

FailureOr<Tensors> PartitionedCall::describe(ValueRange values,
                                             const Mesh &mesh) const {
  Tensors out;
  for (mlir::Value value : values) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    auto element = type ? elementTypeFromMLIR(type.getElementType())
                        : std::optional<ElementType>();
    if (!element || !type.hasStaticShape())
      return error() << "values of type " << value.getType()
                     << " are not supported";
    Expected<Sharding> named = sharding(value, type.getRank(), mesh);
    if (!named)
      return error() << named.error().str();
    out.push_back(shapeDtypeStruct(
        Shape(Ints(type.getShape().begin(), type.getShape().end())),
        static_cast<DType>(*element), *named));
  }
  return out;
}

FailureOr<sdy::TensorShardingAttr>
PartitionedCall::attributeOf(const Sharding &sharding, Type type) const {
  int64_t rank = cast<RankedTensorType>(type).getRank();
  auto parsed = HloSharding::parse(sharding.hloText(rank));
  if (!parsed)
    return error() << llvm::toString(parsed.takeError());
  shardwright::Mesh whole = free;
  if (free.numDevices() != numDevices) {
    // Some axes are manual around the call: by the names of the others.
    TensorSharding named = TensorSharding::closed(rank);
    int64_t dim = 0;
    for (const SpecEntry &entry : sharding.spec().entries()) {
      for (const std::string &name : entry.axes) {
        std::optional<int32_t> axis = free.find(name);
        if (!axis)
          return error() << "axis '" << name
                         << "' of a sharding is manual around the call";
        named.dims[dim].axes.push_back(free.fullAxis(*axis));
      }
      ++dim;
    }
    return sdy::shardingToAttr(context, named, free, meshRef);
  }
  auto named = toNamed(*parsed, whole, rank);
  if (!named)
    return error() << llvm::toString(named.takeError());
  return sdy::shardingToAttr(context, named->sharding, free, meshRef);
}

/// Copies constants that the body uses from outside of it.
LogicalResult takeConstants(Block &body) {
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  llvm::DenseMap<mlir::Value, mlir::Value> copies;
  WalkResult walked = body.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      mlir::Value value = operand.get();
      Operation *parent = value.getParentBlock()->getParentOp();
      if (value.getParentBlock() == &body ||
          body.getParentOp()->isProperAncestor(parent))
        continue;
      Operation *made = value.getDefiningOp();
      if (!made || made->getNumOperands() || made->getNumResults() != 1)
        return WalkResult::interrupt();
      mlir::Value &copy = copies[value];
      if (!copy)
        copy = b.clone(*made)->getResult(0);
      operand.set(copy);
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult PartitionedCall::read(const PartitionedBody &body,
                                    TypeRange operands, TypeRange results,
                                    sdy::ManualComputationOp &found,
                                    OwningOpRef<ModuleOp> &module,
                                    HostCalls &hostCalls) const {
  module = parseSourceString<ModuleOp>(body.module, context);
  if (!module)
    return failure();
  HostCalls calls(body.callbacks);
  CompileOptions unused;
  if (failed(calls.prepare(*module, devices, {}, unused)) ||
      failed(importModule(*module)) || failed(inlineCalls(*module)))
    return failure();
  hostCalls.adopt(std::move(calls));
  func::FuncOp main = sdy::getMainFunc(*module);
  for (auto manual : main.getOps<sdy::ManualComputationOp>())
    found = manual;
  auto isWhole = [&] {
    return found && llvm::equal(found->getOperands(), main.getArguments()) &&
           llvm::equal(main.getBody().front().getTerminator()->getOperands(),
                       found->getResults()) &&
           succeeded(takeConstants(found.getBody().front()));
  };
  if (!isWhole())
    return error()
           << "its function does not lower to one computation of shards";
  Block &block = found.getBody().front();
  if (block.getArgumentTypes() != operands ||
      block.getTerminator()->getOperandTypes() != results)
    return error() << "its function computes (" << block.getArgumentTypes()
                   << ") -> (" << block.getTerminator()->getOperandTypes()
                   << "), expected (" << operands << ") -> (" << results << ")";
  return success();
}

LogicalResult PartitionedCall::expand(const std::vector<Mesh> &known,
                                      HostCalls &hostCalls) {
  Mesh mesh = meshOf(known);
  auto operands = describe(call->getOperands(), mesh),
       results = describe(call->getResults(), mesh);
  if (failed(operands) || failed(results))
    return failure();
  WatchedCall watched("partition function of '" + partitioner->name +
                      "', called by the compiler");
  Expected<PartitionedBody> answer =
      partitioner->partition(mesh, *operands, *results);
  if (!answer)
    return error() << answer.error().str();
  SmallVector<sdy::TensorShardingAttr> in, out;
  SmallVector<Type> inTypes, outTypes;
  auto convert = [&](ValueRange values, const std::vector<Sharding> &shardings,
                     auto &attributes, auto &types) -> LogicalResult {
    for (auto [value, sharding] : llvm::zip_equal(values, shardings)) {
      auto attribute = attributeOf(sharding, value.getType());
      if (failed(attribute))
        return failure();
      attributes.push_back(*attribute);
      types.push_back(shardType(value.getType(), *attribute));
    }
    return success();
  };
  if (failed(convert(call->getOperands(), answer->operands, in, inTypes)) ||
      failed(convert(call->getResults(), answer->results, out, outTypes)))
    return failure();
  OwningOpRef<ModuleOp> module;
  sdy::ManualComputationOp body;
  if (failed(read(*answer, inTypes, outTypes, body, module, hostCalls)))
    return failure();
  sdy::ManualComputationOp manual = replace(in, out);
  moveBody(*module, sdy::getMainFunc(*module), body.getBody().front(), call,
           manual.getBody().front());
  call->erase();
  return success();
}

FailureOr<CallShardings::Shardings> PartitionedCall::attributesOf(
    const Expected<std::vector<Sharding>> &shardings) const {
  if (!shardings)
    return error() << shardings.error().str();
  CallShardings::Shardings out;
  for (auto [sharding, result] : llvm::zip(*shardings, call->getResults())) {
    auto attribute = attributeOf(sharding, result.getType());
    if (failed(attribute))
      return failure();
    out.push_back(*attribute);
  }
  return out;
}

FailureOr<CallShardings::Shardings>
PartitionedCall::inferResults(const std::vector<Mesh> &known) const {
  Mesh mesh = meshOf(known);
  auto operands = describe(call->getOperands(), mesh),
       results = describe(call->getResults(), mesh);
  if (failed(operands) || failed(results))
    return failure();
  if (!partitioner->infer)
    return CallShardings::Shardings();
  WatchedCall watched("inferShardingFromOperands of '" + partitioner->name +
                      "', called by the compiler");
  return attributesOf(partitioner->infer(mesh, *operands, *results));
}

FailureOr<CallShardings::Shardings>
PartitionedCall::propagateUser(const std::vector<Mesh> &known) const {
  Mesh mesh = meshOf(known);
  auto results = describe(call->getResults(), mesh);
  if (failed(results))
    return failure();
  if (partitioner->propagateUser) {
    WatchedCall watched("propagateUserSharding of '" + partitioner->name +
                        "', called by the compiler");
    auto found = attributesOf(partitioner->propagateUser(mesh, *results));
    if (failed(found) || !found->empty())
      return found;
  }
  // What the users need.
  CallShardings::Shardings out;
  for (mlir::Value result : call->getResults())
    out.push_back(closed(result));
  return out;
}

LogicalResult PartitionedCall::inspect(const std::vector<Mesh> &known,
                                       const ShardingInspector &inspector) {
  auto operands = describe(call->getOperands(), meshOf(known));
  if (failed(operands))
    return failure();
  if (Status status = inspector.tell((*operands)[0].sharding()); !status)
    return error() << status.error().text;
  call->getResult(0).replaceAllUsesWith(call->getOperand(0));
  call->erase();
  return success();
}

} // namespace

/// The object of a call, or null.
static const ParamObject *
objectOf(stablehlo::CustomCallOp call,
         const std::vector<std::shared_ptr<const ParamObject>> &objects) {
  auto config = dyn_cast_or_null<StringAttr>(call.getBackendConfigAttr());
  size_t position = 0;
  bool isOne = call.getCallTargetName() == kPartitioningTarget ||
               call.getCallTargetName() == kInspectTarget;
  if (!isOne || !config || config.getValue().getAsInteger(10, position) ||
      position >= objects.size())
    return nullptr;
  return objects[position].get();
}

namespace {

/// Calls the user's functions while shardings propagate.
class UserShardings final : public CallShardings {
public:
  UserShardings(const std::vector<Device> &devices,
                const std::vector<Mesh> &known,
                const std::vector<std::shared_ptr<const ParamObject>> &objects)
      : devices(devices), known(known), objects(objects) {}

  bool decides(stablehlo::CustomCallOp call) override {
    const CustomPartitioner *partitioner = of(call);
    return partitioner && (partitioner->infer || partitioner->propagateUser);
  }
  FailureOr<Shardings> infer(stablehlo::CustomCallOp call) override {
    return PartitionedCall(call, devices, of(call)).inferResults(known);
  }
  FailureOr<Shardings> propagateUser(stablehlo::CustomCallOp call) override {
    return PartitionedCall(call, devices, of(call)).propagateUser(known);
  }

private:
  const CustomPartitioner *of(stablehlo::CustomCallOp call) const {
    return dynamic_cast<const CustomPartitioner *>(objectOf(call, objects));
  }
  const std::vector<Device> &devices;
  const std::vector<Mesh> &known;
  const std::vector<std::shared_ptr<const ParamObject>> &objects;
};

} // namespace

LogicalResult propagatePartitionedCalls(
    ModuleOp module, const std::vector<Device> &devices,
    const std::vector<Mesh> &known,
    const std::vector<std::shared_ptr<const ParamObject>> &objects) {
  UserShardings user(devices, known, objects);
  return propagateThroughCalls(module, static_cast<int64_t>(devices.size()),
                               user);
}

LogicalResult expandPartitionedCalls(
    ModuleOp module, const std::vector<Device> &devices,
    const std::vector<Mesh> &known,
    const std::vector<std::shared_ptr<const ParamObject>> &objects,
    HostCalls &hostCalls) {
  auto calls = inlinedCustomCalls(module, [&](stablehlo::CustomCallOp call) {
    return objectOf(call, objects) != nullptr;
  });
  if (failed(calls))
    return failure();
  for (stablehlo::CustomCallOp call : *calls) {
    const ParamObject *object = objectOf(call, objects);
    auto *partitioner = dynamic_cast<const CustomPartitioner *>(object);
    auto *inspector = dynamic_cast<const ShardingInspector *>(object);
    PartitionedCall one(call, devices, partitioner);
    LogicalResult done = partitioner ? one.expand(known, hostCalls)
                         : inspector ? one.inspect(known, *inspector)
                                     : failure();
    if (failed(done))
      return failure();
  }
  return success();
}

} // namespace shardwright::frontend
