//===- manual_contexts.cc - manual axes of each function ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/gspmd/manual_contexts.h"

#include "shardwright/dialect/sdy/sharding_access.h"

using namespace mlir;

namespace shardwright {

FailureOr<ManualContext> manualContext(sdy::ManualComputationOp op,
                                       const ManualContext &outer) {
  if (op.getManualAxes().empty())
    return outer;
  auto has = [&](Attribute meshOrRef) {
    sdy::MeshAttr mesh = sdy::getMeshAttr(op, meshOrRef);
    return mesh && llvm::all_of(op.getManualAxes(), [&](StringAttr axis) {
             return mesh.hasAxis(axis.getValue());
           });
  };
  SmallVector<sdy::TensorShardingAttr> shardings(op.getInShardings().begin(),
                                                 op.getInShardings().end());
  llvm::append_range(shardings, op.getOutShardings());
  Attribute meshOrRef;
  for (sdy::TensorShardingAttr sharding : shardings)
    if (has(sharding.getMeshOrRef())) {
      meshOrRef = sharding.getMeshOrRef();
      break;
    }
  // The body has neither operands nor results.
  if (!meshOrRef && outer && has(outer.meshOrRef))
    meshOrRef = outer.meshOrRef;
  if (!meshOrRef)
    for (auto mesh : op->getParentOfType<ModuleOp>().getOps<sdy::MeshOp>()) {
      auto ref = FlatSymbolRefAttr::get(mesh.getSymNameAttr());
      if (has(ref)) {
        meshOrRef = ref;
        break;
      }
    }
  if (!meshOrRef)
    return op.emitError() << "no mesh has the manual axes "
                          << op.getManualAxesAttr();
  sdy::MeshAttr mesh = sdy::getMeshAttr(op, meshOrRef);
  if (outer && mesh != sdy::getMeshAttr(op, outer.meshOrRef))
    return op.emitError() << "manual on mesh " << meshOrRef
                          << " inside of manual on mesh " << outer.meshOrRef;
  SmallVector<StringAttr> axes;
  for (sdy::MeshAxisAttr axis : mesh.getAxes()) {
    auto name = StringAttr::get(op.getContext(), axis.getName());
    if (llvm::is_contained(op.getManualAxes(), name) ||
        (outer && llvm::is_contained(outer.axes, name)))
      axes.push_back(name);
  }
  return ManualContext{sdy::ManualAxesAttr::get(op.getContext(), axes),
                       meshOrRef};
}

int64_t manualSize(sdy::ManualComputationOp op, const ManualContext &context,
                   MhloShardingText &meshes) {
  const Mesh *mesh = meshes.mesh(context.meshOrRef);
  int64_t size = 1;
  for (StringAttr axis : context.axes)
    if (auto found = mesh->find(axis.getValue()))
      size *= mesh->axisSize(*found);
  return size;
}

namespace {

class Contexts {
public:
  explicit Contexts(SymbolTable &symbols) : symbols(symbols) {}

  LogicalResult enter(func::FuncOp func, const ManualContext &context) {
    found.insert({func, context});
    return walk(func.getBody(), context);
  }

  llvm::MapVector<func::FuncOp, ManualContext> found;

private:
  LogicalResult walk(Region &region, const ManualContext &context) {
    for (Block &block : region)
      for (Operation &op : block) {
        ManualContext inside = context;
        if (auto manual = dyn_cast<sdy::ManualComputationOp>(op)) {
          FailureOr<ManualContext> inner = manualContext(manual, context);
          if (failed(inner))
            return failure();
          inside = *inner;
        }
        for (Region &nested : op.getRegions())
          if (failed(walk(nested, inside)))
            return failure();
        if (auto call = dyn_cast<func::CallOp>(op))
          if (failed(visit(call, context)))
            return failure();
      }
    return success();
  }

  LogicalResult visit(func::CallOp call, const ManualContext &context) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee)
      return success();
    auto known = found.find(callee);
    if (known == found.end())
      return enter(callee, context);
    if (known->second == context)
      return success();
    func::FuncOp &copy = copies[{callee, context.axes}];
    bool isNew = !copy;
    if (isNew) {
      copy = callee.clone();
      copy.setPrivate();
      symbols.insert(copy);
    }
    func::FuncOp target = copy;
    call.setCallee(target.getSymName());
    return isNew ? enter(target, context) : success();
  }

  SymbolTable &symbols;
  llvm::DenseMap<std::pair<Operation *, Attribute>, func::FuncOp> copies;
};

} // namespace

FailureOr<llvm::MapVector<func::FuncOp, ManualContext>>
manualContexts(ModuleOp module, SymbolTable &symbols) {
  Contexts contexts(symbols);
  // Functions without callers first: private functions are visited from their
  // callers.
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  for (bool isPrivate : {false, true})
    for (func::FuncOp func : functions)
      if (func.isPrivate() == isPrivate && !contexts.found.count(func) &&
          failed(contexts.enter(func, {})))
        return failure();
  return std::move(contexts.found);
}

} // namespace shardwright
