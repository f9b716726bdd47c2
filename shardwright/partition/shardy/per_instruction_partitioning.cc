//===- per_instruction_partitioning.cc - localize single ops --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pass sdy-per-instruction-partitioning, a debugging aid to find the op that a
// partitioner handles wrongly: outlines each selected op to a function of its
// own, runs the passes to the program of one device on it, and inlines the
// result as the body of a manual computation. Uneven operands are padded, and
// uneven results sliced, outside of it.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/halo.h"
#include "shardwright/partition/shardy/passes.h"
#include "shardwright/partition/shardy/pipelines.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/support/tensor_types.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/RegionUtils.h"

#include <limits>

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

#define GEN_PASS_DEF_PERINSTRUCTIONPARTITIONING
#include "shardwright/partition/shardy/passes.h.inc"

namespace {

/// Selects ops: `selectLow=N`, `selectHigh=N` (indices of candidate ops, in
/// order from 0) and substrings of names, separated by commas.
struct Filter {
  int64_t low = 0, high = std::numeric_limits<int64_t>::max();
  SmallVector<StringRef> names;

  static FailureOr<Filter> parse(StringRef text, ModuleOp module) {
    Filter filter;
    SmallVector<StringRef> tokens;
    text.split(tokens, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef token : tokens) {
      token = token.trim();
      StringRef number = token;
      int64_t *bound = number.consume_front("selectLow=")    ? &filter.low
                       : number.consume_front("selectHigh=") ? &filter.high
                                                             : nullptr;
      if (!bound)
        filter.names.push_back(token);
      else if (number.getAsInteger(10, *bound))
        return module.emitError("filter of sdy-per-instruction-partitioning "
                                "wants a number, found '")
               << token << "'";
    }
    return filter;
  }

  bool selects(int64_t number, Operation *op) const {
    StringRef name = op->getName().getStringRef();
    return low <= number && number <= high &&
           (names.empty() || llvm::any_of(names, [&](StringRef part) {
              return name.contains(part);
            }));
  }
};

/// True for ops that are collectives already or only annotate shardings.
bool isOfDevices(Operation *op) {
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
    return llvm::is_contained({"Sharding", "SPMDFullToShardShape",
                               "SPMDShardToFullShape",
                               "xla.sdy.FuncResultSharding"},
                              call.getCallTargetName());
  return isa<sdy::CollectiveOpInterface, sdy::ManualComputationOp,
             sdy::DataFlowEdgeOp, sdy::FuncDataFlowEdgeOp,
             sdy::ShardingConstraintOp, sdy::ShardingGroupOp,
             stablehlo::AllGatherOp, stablehlo::AllReduceOp,
             stablehlo::AllToAllOp, stablehlo::ReduceScatterOp,
             stablehlo::CollectivePermuteOp, stablehlo::CollectiveBroadcastOp>(
      op);
}

/// True if the op refers to a function or another symbol that is no mesh.
bool namesSymbols(Operation *op) {
  bool names = isa<CallOpInterface>(op);
  op->walk([&](Operation *inner) {
    for (NamedAttribute attr : inner->getAttrs())
      names |= isa<SymbolRefAttr, ArrayAttr>(attr.getValue()) &&
               (isa<SymbolRefAttr>(attr.getValue()) ||
                llvm::any_of(cast<ArrayAttr>(attr.getValue()), [](Attribute a) {
                  return isa<SymbolRefAttr>(a);
                }));
  });
  return names;
}

class Outliner {
public:
  Outliner(ModuleOp module, MeshTable &meshes)
      : module(module), meshes(meshes),
        scratch(ModuleOp::create(module.getLoc())) {
    module.push_back(scratch);
    for (auto mesh : module.getOps<sdy::MeshOp>())
      scratch.push_back(mesh->clone());
    module.walk([&](Operation *op) {
      if (auto handle =
              op->getAttrOfType<stablehlo::ChannelHandleAttr>("channel_handle"))
        lastChannel = std::max(lastChannel, handle.getHandle());
    });
  }

  /// The only mesh with axes among the op's values if some are sharded and the
  /// op can be outlined; null otherwise.
  Attribute meshOf(Operation *op) const;
  void outline(Operation *op, Attribute meshOrRef);
  /// The module of the outlined functions.
  ModuleOp functions() const { return scratch; }
  /// Inlines the local functions into the program.
  void inlineAll();

private:
  struct Outlined {
    Operation *op;
    Attribute meshOrRef;
    SmallVector<TensorShardingAttr> in, out;
    func::FuncOp func;
  };

  static SmallVector<Value> operandsOf(Operation *op) {
    llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), values);
    return values.takeVector();
  }
  TensorShardingAttr shardingOf(Value value, Attribute meshOrRef) const {
    TensorShardingAttr sharding = sdy::getSharding(value);
    return sharding && !sharding.emptyAxes()
               ? sharding.getClosedLike()
               : TensorShardingAttr::getFullyClosed(
                     meshOrRef.getContext(), dimsOf(value.getType()).size(),
                     meshOrRef);
  }
  Type paddedType(Type type, TensorShardingAttr sharding) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? tensor.clone(ArrayRef<int64_t>(
                        paddedShape(meshes, sharding, tensor.getShape())))
                  : type;
  }
  static Value resized(OpBuilder &builder, Value value,
                       TensorShardingAttr sharding, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape()
               ? resizeAtEnd(builder, value.getLoc(), value, sharding,
                             tensor.getShape())
               : value;
  }

  ModuleOp module;
  MeshTable &meshes;
  ModuleOp scratch;
  int64_t lastChannel = 0;
  SmallVector<Outlined, 0> outlined;
};

Attribute Outliner::meshOf(Operation *op) const {
  if (op->hasTrait<OpTrait::IsTerminator>() || isOfDevices(op) ||
      namesSymbols(op))
    return nullptr;
  SmallVector<Value> values = operandsOf(op);
  llvm::append_range(values, op->getResults());
  Attribute mesh;
  for (Value value : values) {
    TensorShardingAttr sharding = sdy::getSharding(value);
    if (!sharding ||
        (sharding.emptyAxes() && meshes.idOf(sharding.getMeshOrRef()) >= 0))
      continue;
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor || !tensor.hasStaticShape() ||
        !sharding.getUnreducedAxes().empty() ||
        meshes.idOf(sharding.getMeshOrRef()) < 0 ||
        (mesh && mesh != sharding.getMeshOrRef()))
      return nullptr;
    mesh = sharding.getMeshOrRef();
  }
  return mesh;
}

void Outliner::outline(Operation *op, Attribute meshOrRef) {
  MLIRContext *context = module.getContext();
  Outlined one{op, meshOrRef, {}, {}, nullptr};
  SmallVector<Value> values = operandsOf(op);
  SmallVector<Type> argTypes, resultTypes;
  for (Value operand : values) {
    one.in.push_back(shardingOf(operand, meshOrRef));
    argTypes.push_back(paddedType(operand.getType(), one.in.back()));
  }
  for (Value result : op->getResults()) {
    one.out.push_back(shardingOf(result, meshOrRef));
    resultTypes.push_back(paddedType(result.getType(), one.out.back()));
  }
  one.func =
      func::FuncOp::create(op->getLoc(), "op" + std::to_string(outlined.size()),
                           FunctionType::get(context, argTypes, resultTypes));
  scratch.push_back(one.func);
  Block *body = one.func.addEntryBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(body);
  IRMapping mapping;
  for (auto [operand, arg, sharding] :
       llvm::zip(values, body->getArguments(), one.in)) {
    one.func.setArgAttr(arg.getArgNumber(), sdy::kShardingAttr, sharding);
    mapping.map(operand, resized(builder, arg, sharding, operand.getType()));
  }
  Operation *copy = builder.clone(*op, mapping);
  SmallVector<Value> results;
  for (auto [i, result] : llvm::enumerate(copy->getResults())) {
    sdy::setFuncResultSharding(one.func, i, one.out[i]);
    results.push_back(resized(builder, result, one.out[i], resultTypes[i]));
  }
  func::ReturnOp::create(builder, op->getLoc(), results);
  outlined.push_back(std::move(one));
}

void Outliner::inlineAll() {
  MLIRContext *context = module.getContext();
  // Channel handles in the functions count from 1.
  scratch.walk([&](Operation *op) {
    if (auto handle =
            op->getAttrOfType<stablehlo::ChannelHandleAttr>("channel_handle"))
      op->setAttr(
          "channel_handle",
          stablehlo::ChannelHandleAttr::get(
              context, handle.getHandle() + lastChannel, handle.getType()));
  });
  for (Outlined &one : outlined) {
    OpBuilder builder(one.op);
    SmallVector<StringAttr> axes;
    for (const auto &axis : meshes.mesh(meshes.idOf(one.meshOrRef)).axes())
      axes.push_back(StringAttr::get(context, axis.name));
    SmallVector<Value> operands;
    SmallVector<Type> types;
    // Operands from other outlined ops are results of manual computations by
    // now.
    for (auto [operand, sharding] : llvm::zip(operandsOf(one.op), one.in))
      operands.push_back(resized(builder, operand, sharding,
                                 paddedType(operand.getType(), sharding)));
    for (auto [result, sharding] : llvm::zip(one.op->getResults(), one.out))
      types.push_back(paddedType(result.getType(), sharding));
    auto manual = sdy::ManualComputationOp::create(
        builder, one.op->getLoc(), types, operands,
        sdy::TensorShardingPerValueAttr::get(context, one.in),
        sdy::TensorShardingPerValueAttr::get(context, one.out),
        sdy::ManualAxesAttr::get(context, axes));
    Operation *end = one.func.getBody().front().getTerminator();
    OpBuilder inner(end);
    sdy::ReturnOp::create(inner, end->getLoc(), end->getOperands());
    end->erase();
    manual.getBody().takeBody(one.func.getBody());
    SmallVector<Value> results;
    for (auto [old, made, sharding] :
         llvm::zip(one.op->getResults(), manual->getResults(), one.out))
      results.push_back(resized(builder, made, sharding, old.getType()));
    one.op->replaceAllUsesWith(results);
    one.op->erase();
  }
  scratch.erase();
}

struct PerInstructionPartitioningPass
    : impl::PerInstructionPartitioningBase<PerInstructionPartitioningPass> {
  using PerInstructionPartitioningBase::PerInstructionPartitioningBase;

  void runOnOperation() override {
    if (failed(partition(getOperation())))
      signalPassFailure();
  }

  LogicalResult partition(ModuleOp module) {
    FailureOr<Filter> wanted = Filter::parse(filter, module);
    if (failed(wanted))
      return failure();
    FailureOr<MeshTable> meshes = MeshTable::create(module);
    if (failed(meshes))
      return failure();
    SmallVector<func::FuncOp> funcs(module.getOps<func::FuncOp>());
    Outliner outliner(module, *meshes);
    int64_t number = 0;
    for (func::FuncOp func : funcs)
      for (Operation &op : func.getBody().getOps())
        if (Attribute mesh = outliner.meshOf(&op))
          if (wanted->selects(number++, &op))
            outliner.outline(&op, mesh);
    OpPassManager pm(ModuleOp::getOperationName());
    addLocalizationPasses(pm, {enableHaloExchange, rngBitGeneratorUnsafe,
                               replicaCount, partitionCount});
    if (failed(runPipeline(pm, outliner.functions())))
      return failure();
    outliner.inlineAll();
    return success();
  }
};

} // namespace
} // namespace shardwright
