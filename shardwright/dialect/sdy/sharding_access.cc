//===- sharding_access.cc - find the sharding of a value ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace shardwright::sdy {

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

static int64_t rankOrZero(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() ? shaped.getRank() : 0;
}

/// The implied sharding of another value of the op, of this type, if only one
/// value has `sharding`: fully open on the same mesh. An op with one value on a
/// single device computes all values there.
static TensorShardingAttr openBeside(Operation *op, TensorShardingAttr sharding,
                                     Type type) {
  if (sharding.getRank() == 0)
    if (MeshAttr mesh = getMeshAttr(op, sharding); mesh && mesh.isMaximal())
      return sharding;
  return TensorShardingAttr::getFullyOpen(
      sharding.getContext(), rankOrZero(type), sharding.getMeshOrRef());
}

/// The op's `shardings` with entry `i` replaced; if empty, first filled with
/// open shardings for `types`.
static SmallVector<TensorShardingAttr>
replaceOne(Operation *op, SmallVector<TensorShardingAttr> shardings, size_t i,
           TensorShardingAttr sharding, TypeRange types) {
  if (shardings.size() != types.size()) {
    shardings.clear();
    for (auto [other, type] : llvm::enumerate(types))
      shardings.push_back(other == i ? sharding
                                     : openBeside(op, sharding, type));
  }
  shardings[i] = sharding;
  return shardings;
}

SmallVector<TensorShardingAttr> detail::getDiscardableShardings(Operation *op) {
  auto perValue = op->getDiscardableAttr(kShardingAttr);
  if (auto list = dyn_cast_or_null<TensorShardingPerValueAttr>(perValue))
    return llvm::to_vector(list.getShardings());
  return {};
}

void detail::setDiscardableShardings(Operation *op,
                                     ArrayRef<TensorShardingAttr> shardings) {
  // Read the context from the op's name: locations are rarely shared and thus
  // not in the caches.
  MLIRContext *context = op->getName().getContext();
  NamedAttrList attrs(op->getRawDictionaryAttrs());
  auto name = StringAttr::get(context, kShardingAttr);
  if (shardings.empty())
    attrs.erase(name);
  else
    attrs.set(name, TensorShardingPerValueAttr::get(context, shardings));
  op->setDiscardableAttrs(attrs.getDictionary(context));
}

TensorShardingAttr detail::getEdgeOwnerSharding(Operation *raw, Value owner) {
  auto op = cast<ShardableDataFlowOpInterface>(raw);
  bool isResult = isa<OpResult>(owner);
  size_t i = isResult ? cast<OpResult>(owner).getResultNumber()
                      : cast<BlockArgument>(owner).getArgNumber();
  SmallVector<TensorShardingAttr> shardings =
      isResult ? op.getOpResultEdgeOwnerShardings()
               : op.getBlockArgumentEdgeOwnerShardings();
  return i < shardings.size() ? shardings[i] : nullptr;
}

void detail::setEdgeOwnerSharding(Operation *raw, Value owner,
                                  TensorShardingAttr sharding) {
  auto op = cast<ShardableDataFlowOpInterface>(raw);
  if (auto result = dyn_cast<OpResult>(owner)) {
    op.setOpResultEdgeOwnerShardings(replaceOne(
        op, op.getOpResultEdgeOwnerShardings(), result.getResultNumber(),
        sharding, ValueRange(op.getOpResultEdgeOwners()).getTypes()));
    return;
  }
  op.setBlockArgumentEdgeOwnerShardings(
      replaceOne(op, op.getBlockArgumentEdgeOwnerShardings(),
                 cast<BlockArgument>(owner).getArgNumber(), sharding,
                 TypeRange(ValueRange(op.getBlockArgumentEdgeOwners()))));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

ShardableDataFlowOpInterface getDataFlowOp(Value target) {
  Operation *op = target.getDefiningOp();
  if (!op)
    op = target.getParentBlock()->getParentOp();
  return dyn_cast_or_null<ShardableDataFlowOpInterface>(op);
}

TensorShardingAttr getSharding(Value value) {
  if (!value)
    return nullptr;
  if (ShardableDataFlowOpInterface op = getDataFlowOp(value)) {
    Value owner = op.getEdgeOwnerFromTarget(value);
    if (!owner)
      return nullptr;
    if (DataFlowEdgeOp edge = DataFlowEdgeOp::lookup(owner))
      return edge.getShardingAttr();
    return op.getEdgeOwnerSharding(owner);
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto func = dyn_cast_or_null<FunctionOpInterface>(
        argument.getOwner()->getParentOp());
    if (!func || !argument.getOwner()->isEntryBlock())
      return nullptr;
    return func.getArgAttrOfType<TensorShardingAttr>(argument.getArgNumber(),
                                                     kShardingAttr);
  }
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<SdyDialect>(op->getDialect())) {
    if (auto edge = dyn_cast<DataFlowEdgeOp>(op))
      return edge.getShardingAttr();
    if (auto constraint = dyn_cast<ShardingConstraintOp>(op))
      return constraint.getShardingAttr();
    if (auto reshard = dyn_cast<ReshardOp>(op))
      return reshard.getShardingAttr();
    if (auto collective = dyn_cast<CollectiveOpInterface>(op))
      return collective.getOutSharding();
  }
  if (op->getRawDictionaryAttrs().empty())
    return nullptr;
  auto shardings = dyn_cast_or_null<TensorShardingPerValueAttr>(
      op->getDiscardableAttr(kShardingAttr));
  size_t i = cast<OpResult>(value).getResultNumber();
  return shardings && i < shardings.size() ? shardings.getSharding(i) : nullptr;
}

void setSharding(Value value, TensorShardingAttr sharding) {
  if (ShardableDataFlowOpInterface op = getDataFlowOp(value)) {
    Value owner = op.getEdgeOwnerFromTarget(value);
    if (!owner)
      return;
    if (DataFlowEdgeOp edge = DataFlowEdgeOp::lookup(owner))
      edge.setShardingAttr(sharding);
    else
      op.setEdgeOwnerSharding(owner, sharding);
    return;
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto func = dyn_cast_or_null<FunctionOpInterface>(
        argument.getOwner()->getParentOp());
    if (func && argument.getOwner()->isEntryBlock())
      func.setArgAttr(argument.getArgNumber(), kShardingAttr, sharding);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (auto edge = dyn_cast<DataFlowEdgeOp>(op))
    return edge.setShardingAttr(sharding);
  if (auto constraint = dyn_cast<ShardingConstraintOp>(op))
    return constraint.setShardingAttr(sharding);
  if (auto reshard = dyn_cast<ReshardOp>(op))
    return reshard.setShardingAttr(sharding);
  if (auto collective = dyn_cast<CollectiveOpInterface>(op))
    return collective.setOutShardingAttr(sharding);
  detail::setDiscardableShardings(
      op, replaceOne(op, detail::getDiscardableShardings(op),
                     cast<OpResult>(value).getResultNumber(), sharding,
                     op->getResultTypes()));
}

SmallVector<TensorShardingAttr> getShardings(ValueRange values) {
  SmallVector<TensorShardingAttr> shardings;
  for (Value value : values)
    shardings.push_back(getSharding(value));
  return shardings;
}

SmallVector<TensorShardingAttr> getShardings(Operation *op) {
  return detail::getDiscardableShardings(op);
}

void setShardings(Operation *op, ArrayRef<TensorShardingAttr> shardings) {
  detail::setDiscardableShardings(op, shardings);
}

TensorShardingAttr getFuncResultSharding(FunctionOpInterface func,
                                         int64_t result) {
  return func.getResultAttrOfType<TensorShardingAttr>(result, kShardingAttr);
}

void setFuncResultSharding(FunctionOpInterface func, int64_t result,
                           TensorShardingAttr sharding) {
  if (sharding)
    func.setResultAttr(result, kShardingAttr, sharding);
  else
    func.removeResultAttr(result,
                          StringAttr::get(func->getContext(), kShardingAttr));
}

OpShardingRuleAttr getShardingRule(Operation *op) {
  return dyn_cast_or_null<OpShardingRuleAttr>(
      op->getDiscardableAttr(kShardingRuleAttr));
}

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

/// `lookup` maps a symbol name to an op or null.
template <typename LookupFn>
static MeshAttr resolveMesh(Attribute meshOrRef, LookupFn lookup) {
  if (auto mesh = dyn_cast_or_null<MeshAttr>(meshOrRef))
    return mesh;
  auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(meshOrRef);
  if (!symbol)
    return nullptr;
  auto op = dyn_cast_or_null<MeshOp>(lookup(symbol.getAttr()));
  return op ? op.getMesh() : nullptr;
}

MeshAttr getMeshAttr(ModuleOp module, Attribute meshOrRef) {
  return resolveMesh(meshOrRef, [&](StringAttr name) -> Operation * {
    return module ? SymbolTable::lookupSymbolIn(module, name) : nullptr;
  });
}

MeshAttr getMeshAttr(const SymbolTable &symbols, Attribute meshOrRef) {
  return resolveMesh(meshOrRef,
                     [&](StringAttr name) { return symbols.lookup(name); });
}

MeshAttr getMeshAttr(Operation *op, Attribute meshOrRef) {
  auto module = dyn_cast<ModuleOp>(op);
  return getMeshAttr(module ? module : op->getParentOfType<ModuleOp>(),
                     meshOrRef);
}

MeshAttr getMeshAttr(Operation *op, TensorShardingAttr sharding) {
  return getMeshAttr(op, sharding.getMeshOrRef());
}

Attribute getCommonMeshOrRef(ArrayRef<TensorShardingAttr> shardings,
                             Operation *op) {
  Attribute common;
  MeshAttr commonMesh;
  for (TensorShardingAttr sharding : shardings) {
    if (!sharding)
      continue;
    MeshAttr mesh = getMeshAttr(op, sharding);
    if (!mesh)
      return nullptr;
    if (!common || (commonMesh.empty() && !mesh.empty())) {
      common = sharding.getMeshOrRef();
      commonMesh = mesh;
    } else if (!mesh.empty() && mesh != commonMesh) {
      return nullptr;
    }
  }
  return common;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

func::FuncOp getMainFunc(ModuleOp module) {
  auto funcs = module.getOps<func::FuncOp>();
  if (!funcs.empty() && std::next(funcs.begin()) == funcs.end())
    return *funcs.begin();
  return module.lookupSymbol<func::FuncOp>(kMainFuncName);
}

FailureOr<func::FuncOp> requireMainFunc(ModuleOp module) {
  if (func::FuncOp main = getMainFunc(module))
    return main;
  return module.emitError("Failed to lookup function: main");
}

} // namespace shardwright::sdy
