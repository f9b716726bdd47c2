//===- export_gspmd.cc - convert sdy to mhlo.sharding ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A manual computation becomes what JAX emits for shard_map without Shardy:
//
//   %0 = custom_call @Sharding(%arg)             in_sharding
//   %1 = custom_call @SPMDFullToShardShape(%0)   its free axes, and manual
//   %2 = call @xla.sdy.inlinable_manual_computation_body(%1)
//   %3 = custom_call @Sharding(%2)               sharding inside the body
//   %4 = custom_call @SPMDShardToFullShape(%3)   out_sharding
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/gspmd/export_gspmd.h"

#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/gspmd/gspmd_calls.h"
#include "shardwright/interop/gspmd/gspmd_shardings.h"
#include "shardwright/interop/gspmd/manual_contexts.h"
#include "shardwright/interop/gspmd/mhlo_sharding_text.h"
#include "shardwright/interop/gspmd/outline_manual_body.h"
#include "shardwright/interop/gspmd/reduce_partial_sums.h"
#include "shardwright/mesh/hlo/named_conversion.h"
#include "shardwright/propagate/passes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {
namespace {

using sdy::TensorShardingAttr;

class Exporter {
public:
  Exporter(ModuleOp module, const ExportGspmdOptions &options)
      : module(module), options(options), texts(module, options.deviceLists),
        symbols(module), reducer(module, texts) {}

  LogicalResult run();

private:
  LogicalResult signature(func::FuncOp func, const ManualContext &manual);
  LogicalResult block(Block &block, const ManualContext &manual);
  LogicalResult visit(Operation &op, const ManualContext &manual);
  LogicalResult opSharding(Operation &op, const ManualContext &manual);
  LogicalResult rewriteAttributes(Operation &op, const ManualContext &manual);
  LogicalResult manualComputation(sdy::ManualComputationOp op,
                                  const ManualContext &outer);
  LogicalResult inlineBody(sdy::ManualComputationOp op,
                           const ManualContext &manual);
  /// Creates a call of @Sharding with this sharding.
  FailureOr<Value> constrain(Operation &at, Value value,
                             TensorShardingAttr sharding,
                             const ManualContext &manual);
  LogicalResult replace(Operation &op, FailureOr<Value> by) {
    if (failed(by))
      return failure();
    op.getResult(0).replaceAllUsesWith(*by);
    op.erase();
    return success();
  }

  ModuleOp module;
  ExportGspmdOptions options;
  MhloShardingText texts;
  SymbolTable symbols;
  /// Shardings of unreduced operands, collected before any is removed.
  llvm::DenseMap<Operation *, TensorShardingAttr> partialSums;
  /// The new attributes of ops by their old ones, for ops whose new attributes
  /// depend on nothing else.
  llvm::DenseMap<Attribute, DictionaryAttr> rewritten;
  PartialSumReducer reducer;
};

LogicalResult Exporter::signature(func::FuncOp func,
                                  const ManualContext &manual) {
  auto convert = [&](auto get, auto set, unsigned count) -> LogicalResult {
    for (unsigned i = 0; i < count; ++i) {
      auto sharding = dyn_cast_or_null<TensorShardingAttr>(get(i));
      if (!sharding)
        continue;
      FailureOr<StringAttr> text = texts.of(sharding, manual, func.getLoc());
      if (failed(text))
        return failure();
      set(i, *text);
    }
    return success();
  };
  sdy::BorderAttributes border(func);
  if (failed(convert(
          [&](unsigned i) { return border.argument(i, sdy::kShardingAttr); },
          [&](unsigned i, StringAttr text) {
            border.setArgument(i, sdy::kShardingAttr, nullptr);
            border.setArgument(i, kMhloSharding, text);
          },
          border.numArguments())) ||
      failed(convert(
          [&](unsigned i) { return border.result(i, sdy::kShardingAttr); },
          [&](unsigned i, StringAttr text) {
            border.setResult(i, sdy::kShardingAttr, nullptr);
            border.setResult(i, kMhloSharding, text);
          },
          border.numResults())))
    return failure();
  border.write();
  return success();
}

LogicalResult Exporter::block(Block &block, const ManualContext &manual) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isa<sdy::ManualComputationOp>(op))
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          if (failed(this->block(nested, manual)))
            return failure();
    if (failed(visit(op, manual)))
      return failure();
  }
  return success();
}

FailureOr<Value> Exporter::constrain(Operation &at, Value value,
                                     TensorShardingAttr sharding,
                                     const ManualContext &manual) {
  FailureOr<StringAttr> text = texts.of(sharding, manual, at.getLoc());
  if (failed(text))
    return failure();
  OpBuilder builder(&at);
  return createGspmdCall(builder, at.getLoc(), "Sharding", value,
                         value.getType(), *text, openDims(sharding));
}

/// Returns the axes that are unreduced in `from` and not in `to`.
SmallVector<sdy::AxisRefAttr> reducedAxes(TensorShardingAttr from,
                                          TensorShardingAttr to) {
  SmallVector<sdy::AxisRefAttr> axes;
  for (sdy::AxisRefAttr axis : from.getUnreducedAxes())
    if (!llvm::is_contained(to.getUnreducedAxes(), axis))
      axes.push_back(axis);
  return axes;
}

LogicalResult Exporter::visit(Operation &op, const ManualContext &manual) {
  auto collective = dyn_cast<sdy::CollectiveOpInterface>(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](sdy::ManualComputationOp computation) {
        return manualComputation(computation, manual);
      })
      .Case<sdy::ShardingConstraintOp, sdy::ReshardOp>([&](auto constraint) {
        return replace(op, constrain(op, constraint.getInput(),
                                     constraint.getSharding(), manual));
      })
      .Case<sdy::AllReduceOp, sdy::ReduceScatterOp>([&](auto) -> LogicalResult {
        Value value = collective.getTensor();
        TensorShardingAttr from = partialSums.lookup(&op);
        TensorShardingAttr to = collective.getOutSharding();
        if (from) {
          FailureOr<Value> sum =
              reducer.reduce(op, value, from, reducedAxes(from, to), manual);
          if (failed(sum))
            return failure();
          value = *sum;
        } else if (isa<sdy::AllReduceOp>(op)) {
          // GSPMD inserts reductions of partial sums itself.
          return replace(op, value);
        }
        return replace(op, constrain(op, value, to, manual));
      })
      .Case<sdy::AllGatherOp, sdy::AllSliceOp, sdy::AllToAllOp,
            sdy::CollectivePermuteOp, sdy::ShardedToUnreducedOp,
            sdy::ReplicatedToUnreducedOp>([&](auto) {
        return replace(op, constrain(op, collective.getTensor(),
                                     collective.getOutSharding(), manual));
      })
      .Case<sdy::PropagationBarrierOp, sdy::DataFlowEdgeOp,
            sdy::FuncDataFlowEdgeOp>(
          [&](auto) { return replace(op, op.getOperand(0)); })
      .Case([&](sdy::ShardingGroupOp group) {
        OpBuilder builder(&op);
        HloSharding unknown = HloSharding::ofKind(HloSharding::Kind::Unknown);
        unknown.shardGroup = ShardGroup{true, int64_t(group.getGroupId())};
        Value value = group.getInput();
        Value member = createGspmdCall(
            builder, op.getLoc(), "Sharding", value, value.getType(),
            builder.getStringAttr(unknown.str()), {}, /*hasSideEffect=*/true);
        // Later users use the group member, so that XLA keeps it.
        Block *here = op.getBlock();
        value.replaceUsesWithIf(member, [&](OpOperand &use) {
          Operation *user = here->findAncestorOpInBlock(*use.getOwner());
          return user && op.isBeforeInBlock(user);
        });
        op.erase();
        return success();
      })
      .Case([&](sdy::ConstantOp constant) {
        OpBuilder builder(&op);
        auto copy = stablehlo::ConstantOp::create(builder, op.getLoc(),
                                                  constant.getValue());
        copy->setDiscardableAttrs(op.getDiscardableAttrDictionary());
        op.replaceAllUsesWith(copy->getResults());
        op.erase();
        return opSharding(*copy.getOperation(), manual);
      })
      .Default([&](Operation *) { return opSharding(op, manual); });
}

LogicalResult Exporter::opSharding(Operation &op, const ManualContext &manual) {
  // Most ops have no attributes, and many share them.
  DictionaryAttr before = op.getRawDictionaryAttrs();
  bool mayDiffer = manual || options.propagated;
  if (!mayDiffer && before.empty())
    return success();
  if (!mayDiffer)
    if (DictionaryAttr same = rewritten.lookup(before)) {
      op.setAttrs(same);
      return success();
    }
  if (failed(rewriteAttributes(op, manual)))
    return failure();
  if (!mayDiffer)
    rewritten[before] = op.getRawDictionaryAttrs();
  return success();
}

LogicalResult Exporter::rewriteAttributes(Operation &op,
                                          const ManualContext &manual) {
  SmallVector<TensorShardingAttr> shardings = sdy::getShardings(&op);
  for (NamedAttribute attr : llvm::to_vector(op.getDiscardableAttrs()))
    if (attr.getName().strref().starts_with("sdy."))
      op.removeDiscardableAttr(attr.getName());
  if (op.hasTrait<OpTrait::IsTerminator>() || isa<func::FuncOp>(op) ||
      op.getDiscardableAttr(kMhloSharding))
    return success();
  if (shardings.empty() && manual) {
    // Without a sharding, ops without sharded operands would lose the manual
    // axes.
    bool scalars = llvm::all_of(op.getResultTypes(), [](Type type) {
      auto shaped = dyn_cast<ShapedType>(type);
      return !shaped || !shaped.hasRank() || shaped.getRank() == 0;
    });
    if (!options.propagated && !texts.isFull(manual) && !scalars &&
        op.getNumOperands() != 0)
      return success();
    for (Type type : op.getResultTypes()) {
      auto shaped = dyn_cast<ShapedType>(type);
      shardings.push_back(TensorShardingAttr::getFullyClosed(
          op.getContext(), shaped && shaped.hasRank() ? shaped.getRank() : 0,
          manual.meshOrRef));
    }
    if (shardings.empty())
      shardings.push_back(TensorShardingAttr::getFullyClosed(op.getContext(), 0,
                                                             manual.meshOrRef));
  }
  StringAttr text;
  if (!shardings.empty()) {
    FailureOr<StringAttr> said = texts.of(shardings, manual, op.getLoc());
    if (failed(said))
      return failure();
    text = *said;
  } else if (options.propagated &&
             isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp>(op)) {
    text = StringAttr::get(op.getContext(), HloSharding().str());
  }
  if (!text)
    return success();
  // XLA replaces these calls by its own ops with the attributes in
  // mhlo.attributes.
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op);
      call && (call.getCallTargetName() == "mhlo.erf" ||
               call.getCallTargetName() == "mhlo.topk"))
    if (auto inner = op.getAttrOfType<DictionaryAttr>("mhlo.attributes")) {
      NamedAttrList attrs(inner);
      attrs.set(kMhloSharding, text);
      op.setDiscardableAttr("mhlo.attributes",
                            attrs.getDictionary(op.getContext()));
      return success();
    }
  op.setDiscardableAttr(kMhloSharding, text);
  return success();
}

LogicalResult Exporter::inlineBody(sdy::ManualComputationOp op,
                                   const ManualContext &manual) {
  Block &body = op.getBody().front();
  auto constrainAll = [&](ValueRange values, auto shardings, auto set) {
    for (auto [i, value] : llvm::enumerate(values)) {
      FailureOr<Value> constrained =
          constrain(*op, value, shardings.getSharding(i), manual);
      if (failed(constrained))
        return failure();
      set(i, *constrained);
    }
    return success();
  };
  if (failed(constrainAll(op.getTensors(), op.getInShardings(),
                          [&](size_t i, Value value) {
                            body.getArgument(i).replaceAllUsesWith(value);
                          })))
    return failure();
  Operation *ret = body.getTerminator();
  for (Operation &inner : llvm::make_early_inc_range(body.without_terminator()))
    inner.moveBefore(op);
  SmallVector<Value> results(ret->getOperands());
  if (failed(constrainAll(results, op.getOutShardings(),
                          [&](size_t i, Value value) {
                            op.getResult(i).replaceAllUsesWith(value);
                          })))
    return failure();
  op.erase();
  return success();
}

LogicalResult Exporter::manualComputation(sdy::ManualComputationOp op,
                                          const ManualContext &outer) {
  FailureOr<ManualContext> inner = manualContext(op, outer);
  if (failed(inner) || failed(block(op.getBody().front(), *inner)))
    return failure();
  // Axes of size 1 change no shape, so GSPMD needs no manual region.
  if (*inner == outer || (!outer && manualSize(op, *inner, texts) == 1))
    return inlineBody(op, outer);

  Location loc = op.getLoc();
  OpBuilder builder(op);
  func::FuncOp func = outlineManualBody(
      op, symbols, "xla.sdy.inlinable_manual_computation_body");

  // If every axis is manual, no dimension is open to propagation.
  bool isFull = texts.isFull(*inner);
  SmallVector<Value> locals;
  for (auto [i, value] : llvm::enumerate(op.getTensors())) {
    TensorShardingAttr sharding = op.getInSharding(i);
    SmallVector<int64_t> open = openDims(sharding), openInside = open;
    if (isFull)
      openInside.clear();
    FailureOr<StringAttr> outside = texts.of(sharding, outer, loc),
                          inside =
                              texts.of(op.getInShardingWithoutManualAxes(i),
                                       *inner, loc);
    if (failed(outside) || failed(inside))
      return failure();
    Value full = createGspmdCall(builder, loc, "Sharding", value,
                                 value.getType(), *outside, open);
    locals.push_back(createGspmdCall(builder, loc, "SPMDFullToShardShape", full,
                                     func.getArgumentTypes()[i], *inside,
                                     openInside));
    if (openInside.empty())
      func.setArgAttr(i, kMhloSharding, *inside);
  }
  auto call = func::CallOp::create(builder, loc, func, locals);
  SmallVector<TensorShardingAttr> outs;
  bool closed = true;
  for (auto [i, result] : llvm::enumerate(call.getResults())) {
    TensorShardingAttr sharding = op.getOutSharding(i);
    SmallVector<int64_t> open = openDims(sharding), openInside = open;
    if (isFull)
      openInside.clear();
    outs.push_back(op.getOutShardingWithoutManualAxes(i));
    FailureOr<StringAttr> outside = texts.of(sharding, outer, loc),
                          inside = texts.of(outs.back(), *inner, loc);
    if (failed(outside) || failed(inside))
      return failure();
    Value local = createGspmdCall(builder, loc, "Sharding", result,
                                  result.getType(), *inside, openInside);
    Value full = createGspmdCall(builder, loc, "SPMDShardToFullShape", local,
                                 op.getResult(i).getType(), *outside, open);
    op.getResult(i).replaceAllUsesWith(full);
    closed &= openInside.empty();
    if (openInside.empty())
      func.setResultAttr(i, kMhloSharding, *inside);
  }
  if (closed && !outs.empty()) {
    FailureOr<StringAttr> text = texts.of(outs, *inner, loc);
    if (failed(text))
      return failure();
    call->setDiscardableAttr(kMhloSharding, *text);
  }
  op.erase();
  return success();
}

LogicalResult Exporter::run() {
  module.walk([&](Operation *op) {
    if (!isa<sdy::AllReduceOp, sdy::ReduceScatterOp>(op))
      return;
    auto collective = cast<sdy::CollectiveOpInterface>(op);
    TensorShardingAttr from = sdy::getSharding(collective.getTensor());
    if (from && !reducedAxes(from, collective.getOutSharding()).empty())
      partialSums[op] = from;
  });
  FailureOr<llvm::MapVector<func::FuncOp, ManualContext>> contexts =
      manualContexts(module, symbols);
  if (failed(contexts))
    return failure();
  for (auto [func, manual] : *contexts) {
    if (failed(signature(func, manual)))
      return failure();
    for (Block &block : func.getBody())
      if (failed(this->block(block, manual)))
        return failure();
    for (NamedAttribute attr : llvm::to_vector(func->getDiscardableAttrs()))
      if (attr.getName().strref().starts_with("sdy."))
        func->removeDiscardableAttr(attr.getName());
  }
  int64_t devices = 1;
  for (sdy::MeshOp mesh :
       llvm::make_early_inc_range(module.getOps<sdy::MeshOp>())) {
    devices = std::max(devices, mesh.getMesh().getTotalSize());
    mesh.erase();
  }
  if (devices > 1 && devices <= std::numeric_limits<int32_t>::max() &&
      !module->hasAttr("mhlo.num_partitions") &&
      !module->hasAttr("mhlo.num_replicas"))
    module->setAttr("mhlo.num_partitions",
                    Builder(module.getContext()).getI32IntegerAttr(devices));
  return success();
}

} // namespace

LogicalResult exportGspmd(ModuleOp module, const ExportGspmdOptions &options) {
  bool named =
      module
          .walk([](sdy::NamedComputationOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (named) {
    PassManager pm(module.getContext(), ModuleOp::getOperationName(),
                   PassManager::Nesting::Explicit);
    pm.addPass(createExportNamedComputations());
    if (failed(pm.run(module)))
      return failure();
  }
  return Exporter(module, options).run();
}

} // namespace shardwright
