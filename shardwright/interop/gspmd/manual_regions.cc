//===- manual_regions.cc - import GSPMD's form of shard_map ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %0 = custom_call @Sharding(%arg)             in_sharding
//   %1 = custom_call @SPMDFullToShardShape(%0)   {manual}, or a manual subgroup
//   %2 = call @shmap_body(%1)                    or any other ops
//   %3 = custom_call @Sharding(%2)               {manual}
//   %4 = custom_call @SPMDShardToFullShape(%3)   out_sharding
//
// Ops between these two calls belong to one region if a value flows from one to
// the other.
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/gspmd/manual_regions.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shardwright {

FailureOr<SmallVector<int64_t>> unspecifiedDims(Operation *op) {
  auto call = cast<stablehlo::CustomCallOp>(op);
  SmallVector<int64_t> dims;
  auto config = dyn_cast_or_null<StringAttr>(call.getBackendConfigAttr());
  if (!config || config.empty())
    return dims;
  StringRef text = config.getValue();
  auto refuse = [&]() -> FailureOr<SmallVector<int64_t>> {
    return op->emitError() << "backend_config of a sharding custom call is '"
                           << text
                           << "', expected unspecified_dims=[...] or nothing";
  };
  StringRef list = text;
  if (!list.consume_front("unspecified_dims=[") || !list.consume_back("]"))
    return refuse();
  SmallVector<StringRef> parts;
  list.split(parts, ',');
  for (StringRef part : parts) {
    int64_t dim;
    if (part.trim().getAsInteger(10, dim) || dim < 0)
      return refuse();
    dims.push_back(dim);
  }
  return dims;
}

namespace {

bool isCallTo(Operation *op, StringRef target) {
  auto call = dyn_cast_or_null<stablehlo::CustomCallOp>(op);
  return call && call.getCallTargetName() == target;
}
bool enters(Operation *op) { return isCallTo(op, "SPMDFullToShardShape"); }
bool leaves(Operation *op) { return isCallTo(op, "SPMDShardToFullShape"); }
bool isShardingCall(Operation *op) { return isCallTo(op, "Sharding"); }

/// The ops that become one manual computation.
struct Region {
  SmallVector<Operation *> entries, exits; ///< program order
  SmallVector<Operation *> ops;            ///< between them, program order

  /// The op at which errors about the region are reported.
  Operation *first() const {
    return entries.empty() ? exits.front() : entries.front();
  }
};

class BlockImporter {
public:
  BlockImporter(Block &block, const GspmdShardings &shardings,
                const SymbolTable &symbols)
      : block(block), shardings(shardings), symbols(symbols) {}

  /// Imports every region of this block.
  LogicalResult run();

private:
  SmallVector<Region> find();
  LogicalResult build(Region &region);
  LogicalResult inlineCalls(Block &body);
  /// Returns the sharding of a value at the border of the region: that of the
  /// sharding call that defines it or, at the exit, of the exit itself.
  FailureOr<NamedHloSharding> border(Operation *sharded, Type type);

  /// The mhlo.sharding of a parameter or of the result of an op, or null.
  const HloSharding *shardingOf(Value value);
  /// The operand of an entry, and its sharding: that of the @Sharding call
  /// before the entry, else the value's own, else replicated.
  FailureOr<std::pair<Value, NamedHloSharding>> enteringValue(Operation *entry);

  /// The values that enter and leave a region.
  struct Border {
    SmallVector<Value> operands;
    SmallVector<sdy::TensorShardingAttr> inShardings, outShardings;
    SmallVector<Type> resultTypes;
  };
  FailureOr<Border> findBorder(const Region &region);
  /// The axes that the region makes manual, on which all entries must agree,
  /// without axes that are manual in an enclosing computation.
  FailureOr<SmallVector<StringAttr>> manualAxes(const Region &region);
  /// Replaces the outer values that the region uses. Constants are copied into
  /// `body`; other tensors become replicated operands.
  LogicalResult capture(Region &region, Block *body, Border &border);

  Block &block;
  const GspmdShardings &shardings;
  const SymbolTable &symbols;
};

SmallVector<Region> BlockImporter::find() {
  // Forward slices of the entries, merged if they share an op.
  llvm::EquivalenceClasses<Operation *> together;
  llvm::DenseSet<Operation *> inside;
  SmallVector<Operation *> ordered;
  for (Operation &op : block) {
    if (enters(&op)) {
      together.insert(&op);
      inside.insert(&op);
      ordered.push_back(&op);
      continue;
    }
    bool isInside = false;
    // Include uses in nested regions.
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands()) {
        Operation *def = operand.getDefiningOp();
        if (!def || def->getBlock() != &block || !inside.contains(def) ||
            leaves(def))
          continue;
        isInside = true;
        together.unionSets(def, &op);
      }
    });
    if (!isInside && leaves(&op)) {
      // A region without entries (axis_index): all ops on which the exit
      // depends.
      SmallVector<Operation *> work{&op};
      while (!work.empty())
        for (Value operand : work.pop_back_val()->getOperands()) {
          Operation *def = operand.getDefiningOp();
          if (!def || def->getBlock() != &block || !inside.insert(def).second)
            continue;
          together.unionSets(def, &op);
          ordered.push_back(def);
          work.push_back(def);
        }
      isInside = true;
    }
    if (!isInside)
      continue;
    inside.insert(&op);
    ordered.push_back(&op);
  }
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  llvm::MapVector<Operation *, Region> byLeader;
  for (Operation *op : ordered) {
    Region &region = byLeader[together.getLeaderValue(op)];
    (enters(op)   ? region.entries
     : leaves(op) ? region.exits
                  : region.ops)
        .push_back(op);
  }
  SmallVector<Region> regions;
  for (auto &[leader, region] : byLeader)
    regions.push_back(std::move(region));
  return regions;
}

FailureOr<NamedHloSharding> BlockImporter::border(Operation *sharded,
                                                  Type type) {
  const HloSharding *sharding = shardings.of(sharded);
  if (!sharding)
    return sharded->emitError() << "expected a mhlo.sharding";
  auto named = shardings.named(*sharding, type, sharded->getLoc());
  if (failed(named))
    return failure();
  auto open = unspecifiedDims(sharded);
  if (failed(open))
    return failure();
  for (int64_t dim : *open)
    if (dim < named->sharding.rank())
      named->sharding.dims[dim].isClosed = false;
  return named;
}

LogicalResult BlockImporter::inlineCalls(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(body)) {
    auto call = dyn_cast<func::CallOp>(op);
    if (!call)
      continue;
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || !callee.getBody().hasOneBlock())
      return call.emitError() << "cannot inline @" << call.getCallee()
                              << " into a manual computation";
    OpBuilder builder(call);
    IRMapping mapping;
    Block &from = callee.getBody().front();
    mapping.map(from.getArguments(), call.getOperands());
    for (Operation &inner : from.without_terminator())
      builder.clone(inner, mapping);
    SmallVector<Value> results;
    for (Value result : from.getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(result));
    call.replaceAllUsesWith(results);
    call.erase();
    // The inlined ops may call further functions.
    return inlineCalls(body);
  }
  return success();
}

FailureOr<SmallVector<StringAttr>>
BlockImporter::manualAxes(const Region &region) {
  Operation *first = region.first();
  SmallVector<StringAttr> manualAxes;
  MLIRContext *context = block.getParent()->getContext();
  AxisList manual;
  for (Operation *entry : region.entries) {
    const HloSharding *sharding = shardings.of(entry);
    if (!sharding || entry->getNumOperands() != 1 ||
        entry->getNumResults() != 1)
      return entry->emitError()
             << "expected one operand, one result and a mhlo.sharding";
    auto named = shardings.named(*sharding, entry->getResult(0).getType(),
                                 entry->getLoc());
    if (failed(named))
      return failure();
    if (entry != first && named->manual != manual)
      return entry->emitError()
             << "values of one manual region have different manual axes";
    manual = named->manual;
  }
  if (region.entries.empty()) {
    Value value = first->getOperand(0);
    Operation *sharded = value.getDefiningOp();
    const HloSharding *sharding = sharded ? shardings.of(sharded) : nullptr;
    if (!sharding)
      return first->emitError()
             << "expected its operand to come from a custom call @Sharding";
    auto named = shardings.named(*sharding, value.getType(), sharded->getLoc());
    if (failed(named))
      return failure();
    manual = named->manual;
  }
  const Mesh &mesh = shardings.mesh();
  for (AxisRef axis : manual) {
    if (!mesh.isFull(axis))
      return first->emitError()
             << "axis " << mesh.str(axis) << " is manual, expected full axes";
    manualAxes.push_back(StringAttr::get(context, mesh.axisName(axis.axis)));
  }
  // Exclude axes that are manual in the enclosing computation.
  if (auto outer =
          block.getParentOp()->getParentOfType<sdy::ManualComputationOp>();
      outer ||
      (outer = dyn_cast<sdy::ManualComputationOp>(block.getParentOp())))
    llvm::erase_if(manualAxes, [&](StringAttr axis) {
      return llvm::is_contained(outer.getManualAxes(), axis);
    });
  return manualAxes;
}

LogicalResult BlockImporter::capture(Region &region, Block *body,
                                     Border &border) {
  llvm::SetVector<Value> captured;
  for (Operation &op : *body)
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (operand.getParentBlock() == &block)
          captured.insert(operand);
    });
  // Pass the context, because the block has no parent yet.
  OpBuilder front(block.getParent()->getContext());
  front.setInsertionPointToStart(body);
  for (Value value : captured) {
    Operation *def = value.getDefiningOp();
    Value inner;
    if (def && def->hasTrait<OpTrait::ConstantLike>()) {
      inner = front.clone(*def)->getResult(0);
    } else {
      auto tensor = dyn_cast<RankedTensorType>(value.getType());
      if (!tensor)
        return region.first()->emitError()
               << "a manual region uses a value of type " << value.getType()
               << " from outside, expected tensors";
      NamedHloSharding replicated;
      replicated.mesh = shardings.mesh();
      replicated.sharding = TensorSharding::closed(tensor.getRank());
      border.inShardings.push_back(shardings.attr(replicated));
      border.operands.push_back(value);
      inner = body->addArgument(value.getType(), value.getLoc());
    }
    value.replaceUsesWithIf(inner, [&](OpOperand &use) {
      return body->findAncestorOpInBlock(*use.getOwner()) != nullptr;
    });
  }
  return success();
}

const HloSharding *BlockImporter::shardingOf(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto func = dyn_cast<func::FuncOp>(block.getParentOp());
    return func ? shardings.of(
                      func.getArgAttr(arg.getArgNumber(), kMhloSharding))
                : nullptr;
  }
  auto result = cast<OpResult>(value);
  const HloSharding *sharding = shardings.of(result.getOwner());
  if (!sharding || !sharding->isTuple())
    return sharding;
  return result.getResultNumber() < sharding->elements().size()
             ? &sharding->elements()[result.getResultNumber()]
             : nullptr;
}

FailureOr<std::pair<Value, NamedHloSharding>>
BlockImporter::enteringValue(Operation *entry) {
  Value operand = entry->getOperand(0);
  Operation *def = operand.getDefiningOp();
  if (isShardingCall(def)) {
    auto named = border(def, operand.getType());
    if (failed(named))
      return failure();
    return std::pair(def->getOperand(0), std::move(*named));
  }
  if (const HloSharding *sharding = shardingOf(operand)) {
    auto named = shardings.named(*sharding, operand.getType(), entry->getLoc());
    if (failed(named))
      return failure();
    return std::pair(operand, std::move(*named));
  }
  if (operand.getType() != entry->getResult(0).getType())
    return entry->emitError()
           << "divides its operand of type " << operand.getType()
           << " into shards of type " << entry->getResult(0).getType()
           << ", but the operand has no mhlo.sharding; give it one, or a "
              "custom "
              "call @Sharding";
  NamedHloSharding replicated;
  replicated.mesh = shardings.mesh();
  auto tensor = dyn_cast<RankedTensorType>(operand.getType());
  replicated.sharding = TensorSharding::closed(tensor ? tensor.getRank() : 0);
  return std::pair(operand, std::move(replicated));
}

FailureOr<BlockImporter::Border>
BlockImporter::findBorder(const Region &region) {
  Border found;
  for (Operation *entry : region.entries) {
    auto entering = enteringValue(entry);
    if (failed(entering))
      return failure();
    found.inShardings.push_back(shardings.attr(entering->second));
    found.operands.push_back(entering->first);
  }
  for (Operation *exit : region.exits) {
    auto named = border(exit, exit->getResult(0).getType());
    if (failed(named))
      return failure();
    found.outShardings.push_back(shardings.attr(*named));
    found.resultTypes.push_back(exit->getResult(0).getType());
  }
  return found;
}

LogicalResult BlockImporter::build(Region &region) {
  if (region.exits.empty())
    return region.entries.front()->emitError()
           << "values enter a manual region, but no value leaves it";
  FailureOr<SmallVector<StringAttr>> axes = manualAxes(region);
  if (failed(axes))
    return failure();
  FailureOr<Border> border = findBorder(region);
  if (failed(border))
    return failure();

  OpBuilder builder(region.exits.front());
  auto *body = new Block();
  for (Operation *entry : region.entries) {
    BlockArgument arg =
        body->addArgument(entry->getResult(0).getType(), entry->getLoc());
    entry->getResult(0).replaceAllUsesWith(arg);
  }
  for (Operation *op : region.ops)
    op->moveBefore(body, body->end());
  if (failed(capture(region, body, *border)))
    return failure();
  SmallVector<Value> results;
  for (Operation *exit : region.exits)
    results.push_back(exit->getOperand(0));
  MLIRContext *context = block.getParent()->getContext();
  OpBuilder end(context);
  end.setInsertionPointToEnd(body);
  sdy::ReturnOp::create(end, region.exits.back()->getLoc(), results);
  if (failed(inlineCalls(*body)))
    return failure();

  auto computation = sdy::ManualComputationOp::create(
      builder, region.first()->getLoc(), border->resultTypes, border->operands,
      sdy::TensorShardingPerValueAttr::get(context, border->inShardings),
      sdy::TensorShardingPerValueAttr::get(context, border->outShardings),
      sdy::ManualAxesAttr::get(context, *axes));
  computation.getBody().push_back(body);
  for (auto [exit, result] :
       llvm::zip(region.exits, computation.getResults())) {
    exit->getResult(0).replaceAllUsesWith(result);
    exit->erase();
  }
  for (Operation *entry : region.entries) {
    Operation *sharded = entry->getOperand(0).getDefiningOp();
    entry->erase();
    if (isShardingCall(sharded) && sharded->use_empty())
      sharded->erase();
  }
  return success();
}

LogicalResult BlockImporter::run() {
  for (Region &region : find())
    if (failed(build(region)))
      return failure();
  return success();
}

} // namespace

/// The first op of the function that enters or leaves a manual region.
static Operation *borderOp(func::FuncOp func) {
  Operation *found = nullptr;
  func.walk([&](Operation *op) {
    if (!enters(op) && !leaves(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

LogicalResult importManualRegions(ModuleOp module,
                                  const GspmdShardings &shardings) {
  SymbolTable symbols(module);
  // Callers first: bodies are inlined into them with their own regions, which
  // are then nested. A function that still has calls is imported later.
  SmallVector<func::FuncOp> functions;
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isPrivate())
      functions.push_back(func);
  for (auto func : module.getOps<func::FuncOp>())
    if (func.isPrivate())
      functions.push_back(func);
  for (func::FuncOp func : functions) {
    if (func.isPrivate() && SymbolTable::symbolKnownUseEmpty(func, module))
      continue;
    while (Operation *border = borderOp(func))
      if (failed(BlockImporter(*border->getBlock(), shardings, symbols).run()))
        return failure();
  }
  return success();
}

} // namespace shardwright
