//===- resolve_permutation_factors.cc - rows that change shards -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices and pads fetch halo rows, reversals permute whole shards, and other
// ops with windows get unsharded dimensions. Shardy sends whole shards even
// where only rows at their borders are needed, and ignores strides; we send
// only these rows.
//
// Ops that sdy-insert-explicit-reshards leaves unchanged (ops without a rule,
// or with values on meshes with different axes) become replicated
// (op_agreement.h): Shardy has no local form of them.
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/uneven.h"
#include "shardwright/partition/ops/op_windows.h"
#include "shardwright/partition/shardy/op_agreement.h"
#include "shardwright/partition/shardy/passes.h"
#include "shardwright/partition/shardy/permutation_resolver.h"
#include "shardwright/partition/shardy/unreduced_axes.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/rule_interface.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

#define GEN_PASS_DEF_RESOLVEPERMUTATIONFACTORS
#include "shardwright/partition/shardy/passes.h.inc"

namespace {

/// The sharding without axes on these dimensions.
TensorShardingAttr without(TensorShardingAttr sharding,
                           const llvm::SmallBitVector &dims) {
  SmallVector<sdy::DimensionShardingAttr> list(sharding.getDimShardings());
  for (int d : dims.set_bits())
    list[d] =
        sdy::DimensionShardingAttr::get(sharding.getContext(), {}, true, {});
  return TensorShardingAttr::get(sharding.getContext(), sharding.getMeshOrRef(),
                                 list, sharding.getReplicatedAxes(),
                                 sharding.getUnreducedAxes(),
                                 sharding.getReductionOp());
}

} // namespace

LogicalResult Resolver::run() {
  for (auto func : module.getOps<func::FuncOp>()) {
    SmallVector<Operation *> ops;
    func.walk([&](Operation *op) {
      if (isa<sdy::ReshardOp, sdy::ConstantOp>(op))
        ops.push_back(op);
      if (isa_and_nonnull<stablehlo::StablehloDialect>(op->getDialect()) &&
          !op->hasTrait<OpTrait::IsTerminator>() && op->getNumResults() > 0)
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(visit(op)))
        return failure();
  }
  return success();
}

TensorShardingAttr Resolver::shardingOf(Value value) {
  TensorShardingAttr sharding = sdy::getSharding(value);
  if (!sharding || meshes.idOf(sharding.getMeshOrRef()) < 0 ||
      sharding.getRank() != int64_t(dimsOf(value.getType()).size()))
    return nullptr;
  return sharding;
}

LogicalResult Resolver::visit(Operation *op) {
  if (auto reshard = dyn_cast<sdy::ReshardOp>(op)) {
    splitBetweenMeshes(reshard, meshes);
    return success();
  }
  if (auto branch = dyn_cast<stablehlo::IfOp>(op)) {
    reshardReturns(branch, meshes);
    return success();
  }
  makeParts(op, meshes);
  if (isa<sdy::ConstantOp>(op))
    return success();
  if (auto random = dyn_cast<stablehlo::RngBitGeneratorOp>(op);
      random && !keepRandomBits) {
    visitRandomBits(random);
    return success();
  }
  if (!isAgreed(op, meshes) || !isCompleted(op, meshes)) {
    SmallVector<llvm::SmallBitVector> all;
    for (ValueRange values :
         {ValueRange(op->getOperands()), ValueRange(op->getResults())})
      for (Value value : values)
        all.emplace_back(shardingOf(value) ? shardingOf(value).getRank() : 0,
                         true);
    dropReductions(op);
    replicate(op, all);
    return success();
  }
  if (SmallVector<llvm::SmallBitVector> whole = dimsReadWhole(op, meshes);
      !whole.empty()) {
    replicate(op, whole);
    return success();
  }
  if (auto reshape = dyn_cast<stablehlo::ReshapeOp>(op))
    return visitReshape(reshape);
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    replicateFixedDims(scatter);
  std::optional<ShardingRule> rule = getShardingRule(op, kExecutionRules);
  if (!rule || rule->isCustom)
    return success();
  // Include dimensions that have one factor on both sides in the rule.
  auto pad = dyn_cast<stablehlo::PadOp>(op);
  auto window = dyn_cast<stablehlo::ReduceWindowOp>(op);
  auto shifts = [&](int64_t d) {
    if (pad)
      return pad.getEdgePaddingLow()[d] || pad.getEdgePaddingHigh()[d] ||
             pad.getInteriorPadding()[d];
    auto dilation = window ? window.getBaseDilations() : std::nullopt;
    return dilation && (*dilation)[d] != 1;
  };
  // By tensor: dimensions in which rows would change their shard.
  SmallVector<llvm::SmallBitVector> dims;
  bool any = false;
  auto note = [&](Value value, const TensorMapping &mapping, bool plain) {
    llvm::SmallBitVector &moving = dims.emplace_back(mapping.size());
    for (auto [d, factors] : llvm::enumerate(mapping)) {
      bool permutes = llvm::any_of(factors, [&](int32_t f) {
        return rule->factors[f].kind == FactorKind::Permutation || shifts(d);
      });
      int64_t n = permutes ? shards(value, d) : 1;
      if (n > 1 && !(plain && needsNoRows(op, d, n))) {
        moving.set(d);
        any = true;
      }
    }
  };
  bool plain = isa<stablehlo::SliceOp, stablehlo::PadOp>(op);
  if (auto conv = dyn_cast<stablehlo::ConvolutionOp>(op))
    makeTapsWhole(conv);
  for (auto [value, mapping] : llvm::zip(op->getOperands(), rule->operands))
    note(value, mapping, plain);
  for (auto [value, mapping] : llvm::zip(op->getResults(), rule->results))
    note(value, mapping, plain);
  if (!any)
    return success();
  if (useHalo && isa<stablehlo::ReverseOp>(op)) {
    bool isEven = true;
    ArrayRef<int64_t> shape = dimsOf(op->getResult(0).getType());
    for (auto [d, size] : llvm::enumerate(shape))
      isEven &= !dims.back().test(d) || size % shards(op->getResult(0), d) == 0;
    if (isEven)
      return reverseShards(cast<stablehlo::ReverseOp>(op));
  }
  if ((plain ? fetchesRows : useHalo && isa<stablehlo::ReverseOp>(op)) &&
      mayFetch(op))
    return fetchRows(op);
  replicate(op, dims);
  return success();
}

/// Replicates the dimensions that the scatter would write only at their first
/// row.
void Resolver::replicateFixedDims(stablehlo::ScatterOp op) {
  SmallVector<int64_t> fixed = fixedDims(op, meshes);
  if (fixed.empty())
    return;
  SmallVector<llvm::SmallBitVector> whole;
  for (ValueRange values :
       {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values)
      whole.emplace_back(dimsOf(value.getType()).size());
  for (int64_t d : fixed)
    for (size_t i = 0; i < op.getInputs().size(); ++i) {
      if (shards(op->getOperand(i), d) > 1)
        whole[i].set(d);
      if (shards(op->getResult(i), d) > 1)
        whole[op->getNumOperands() + i].set(d);
    }
  replicate(op, whole);
}

/// Replicates the bits, so that each device draws those of the whole result.
void Resolver::visitRandomBits(stablehlo::RngBitGeneratorOp op) {
  SmallVector<llvm::SmallBitVector> whole;
  for (Value value :
       {op.getInitialState(), op.getOutputState(), op.getOutput()}) {
    llvm::SmallBitVector &dims =
        whole.emplace_back(dimsOf(value.getType()).size());
    for (int64_t d = 0, e = dims.size(); d < e && value == op.getOutput(); ++d)
      if (shards(value, d) > 1)
        dims.set(d);
  }
  replicate(op, whole);
}

/// Removes the reductions of the op's results, which are replicated now.
void Resolver::dropReductions(Operation *op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    auto reduce = dyn_cast<sdy::AllReduceOp>(user);
    if (!reduce)
      continue;
    OpBuilder builder(reduce);
    Value same =
        sdy::ReshardOp::create(builder, reduce.getLoc(), reduce.getType(),
                               reduce.getTensor(), reduce.getOutSharding());
    reduce.getResult().replaceAllUsesWith(same);
    reduce.erase();
  }
}

/// Each device would need other rows for its taps of the kernel. So unshard the
/// taps; the reduction after the op gets smaller.
void Resolver::makeTapsWhole(stablehlo::ConvolutionOp op) {
  TensorShardingAttr sharding = shardingOf(op.getRhs());
  if (!sharding)
    return;
  int32_t mesh = meshes.idOf(sharding.getMeshOrRef());
  llvm::SmallBitVector dims(sharding.getRank());
  AxisList axes;
  for (int64_t d : op.getDimensionNumbers().getKernelSpatialDimensions())
    if (shards(op.getRhs(), d) > 1) {
      dims.set(d);
      axes.append(meshes.toAxes(mesh, sharding.getDimShardings()[d].getAxes()));
    }
  if (axes.empty())
    return;
  OpBuilder builder(op);
  op.getRhsMutable().set(
      sdy::ReshardOp::create(builder, op.getLoc(), op.getRhs().getType(),
                             op.getRhs(), without(sharding, dims)));
  // For a kernel as long as its input, taps and rows may be one factor.
  if (TensorShardingAttr input = shardingOf(op.getLhs())) {
    llvm::SmallBitVector rows(input.getRank());
    for (int64_t d : op.getDimensionNumbers().getInputSpatialDimensions())
      for (AxisRef axis :
           meshes.toAxes(mesh, input.getDimShardings()[d].getAxes()))
        if (overlaps(axis, axes))
          rows.set(d);
    if (rows.any())
      op.getLhsMutable().set(
          sdy::ReshardOp::create(builder, op.getLoc(), op.getLhs().getType(),
                                 op.getLhs(), without(input, rows)));
  }
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    auto reduce = dyn_cast<sdy::AllReduceOp>(user);
    if (!reduce)
      continue;
    AxisList left = withoutAxes(
        meshes.toAxes(mesh, reduce.getReductionAxes().getValue()), axes);
    if (left.empty()) {
      reduce.getResult().replaceAllUsesWith(reduce.getTensor());
      reduce.erase();
    } else {
      reduce.setReductionAxesAttr(meshes.axesAttr(mesh, left));
    }
  }
}

void Resolver::replicate(Operation *op, ArrayRef<llvm::SmallBitVector> dims) {
  OpBuilder builder(op);
  int64_t t = 0;
  for (OpOperand &use : op->getOpOperands()) {
    const llvm::SmallBitVector &moving = dims[t++];
    if (moving.any())
      use.set(sdy::ReshardOp::create(builder, op->getLoc(), use.get().getType(),
                                     use.get(),
                                     without(shardingOf(use.get()), moving)));
  }
  for (OpResult result : op->getResults()) {
    const llvm::SmallBitVector &moving = dims[t++];
    if (moving.none())
      continue;
    auto moveBack = [&](Value value, TensorShardingAttr sharding) {
      builder.setInsertionPointAfterValue(value);
      auto reshard = sdy::ReshardOp::create(builder, op->getLoc(),
                                            value.getType(), value, sharding);
      value.replaceAllUsesExcept(reshard.getResult(), reshard);
    };
    TensorShardingAttr sharding = shardingOf(result);
    sdy::setSharding(result, without(sharding, moving));
    // Reduce partial sums right after the op.
    SmallVector<Operation *> users(result.getUsers());
    if (users.empty() || !llvm::all_of(users, llvm::IsaPred<sdy::AllReduceOp>))
      moveBack(result, sharding);
    else
      for (Operation *user : users) {
        auto reduce = cast<sdy::AllReduceOp>(user);
        TensorShardingAttr out = reduce.getOutSharding();
        reduce.setOutShardingAttr(without(out, moving));
        moveBack(reduce.getResult(), out);
      }
  }
}

//===----------------------------------------------------------------------===//
// Halo rows
//===----------------------------------------------------------------------===//

bool Resolver::needsNoRows(Operation *op, int64_t d, int64_t shards) {
  int64_t in = dimsOf(op->getOperand(0).getType())[d];
  int64_t out = dimsOf(op->getResult(0).getType())[d];
  int64_t inShard = shardSize(in, shards), outShard = shardSize(out, shards);
  if (auto slice = dyn_cast<stablehlo::SliceOp>(op))
    return slice.getStartIndices()[d] == 0 && slice.getStrides()[d] == 1 &&
           inShard == outShard;
  auto pad = dyn_cast<stablehlo::PadOp>(op);
  if (!pad || pad.getInteriorPadding()[d] != 0)
    return false;
  for (int64_t t = 0; t < shards; ++t) {
    int64_t begin =
        std::max<int64_t>(t * outShard - pad.getEdgePaddingLow()[d], 0);
    int64_t end =
        std::min(t * outShard - pad.getEdgePaddingLow()[d] + outShard, in);
    if (begin < end && (begin / inShard != t || (end - 1) / inShard != t))
      return false;
  }
  return true;
}

/// True if all windows read rows of a few neighbours only, so that fetching
/// rows pays off and is possible.
bool Resolver::mayFetch(Operation *op) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  TensorShardingAttr in = shardingOf(operand), out = shardingOf(result);
  if (!in || !out ||
      meshes.idOf(in.getMeshOrRef()) != meshes.idOf(out.getMeshOrRef()))
    return false;
  ArrayRef<int64_t> inShape = dimsOf(operand.getType()),
                    outShape = dimsOf(result.getType());
  for (size_t d = 0; d < inShape.size(); ++d) {
    int64_t n = shardsOf(meshes, out, d);
    if (in.getDimShardings()[d].getAxes() != out.getDimShardings()[d].getAxes())
      return false;
    if (n > 1 && (ShapedType::isDynamic(inShape[d]) || inShape[d] < n ||
                  ShapedType::isDynamic(outShape[d]) || outShape[d] < n))
      return false;
  }
  for (const OpWindow &window : getWindows(op)) {
    int64_t n = shardsOf(meshes, out, window.resultDim);
    if (n == 1)
      continue;
    std::optional<RowWindow> rows = window.map.ofShards(n);
    if (!rows)
      return false;
    int64_t left = 0, right = 0;
    for (const RowExchange &exchange :
         planExchange(*rows, inShape[window.operandDim], n).exchanges)
      for (auto [k, piece] : llvm::enumerate(exchange.pieces))
        if (piece.source >= 0) {
          left = std::max(left, int64_t(k) - piece.source);
          right = std::max(right, piece.source - int64_t(k));
        }
    // A reversal sends every row exactly once.
    if (!window.map.reversed && left + right + 1 >= n &&
        std::max(left, right) > 1)
      return false;
  }
  return true;
}

LogicalResult Resolver::fetchRows(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  TensorShardingAttr out = shardingOf(op->getResult(0));
  SmallVector<HaloBuilder::Input> inputs;
  for (Value operand : op->getOperands()) {
    TensorShardingAttr in = shardingOf(operand);
    SmallVector<int64_t> shape(dimsOf(operand.getType()));
    Value even = in ? resizeAtEnd(builder, loc, operand, in,
                                  paddedShape(meshes, in, shape))
                    : operand;
    inputs.push_back({even, in, shape});
  }
  FailureOr<Value> made = halo.build(builder, loc, inputs, out,
                                     [&](OpBuilder &b, ArrayRef<Value> values) {
                                       Operation *clone = b.clone(*op);
                                       clone->setOperands(values);
                                       return clone->getResult(0);
                                     });
  if (failed(made))
    return failure();
  Value whole =
      resizeAtEnd(builder, loc, *made, out, dimsOf(op->getResult(0).getType()));
  op->getResult(0).replaceAllUsesWith(whole);
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Reversals
//===----------------------------------------------------------------------===//

Attribute Resolver::reversedMesh(Attribute meshOrRef, AxisRefs axes) {
  sdy::MeshAttr attr = sdy::getMeshAttr(module, meshOrRef);
  Mesh mesh = sdy::meshFromAttr(attr);
  // Mirror the coordinates along the (sub-)axes.
  SmallVector<int64_t> ids;
  for (int64_t linear = 0; linear < mesh.numDevices(); ++linear) {
    int64_t flipped = linear;
    for (AxisRef axis : axes) {
      int64_t stride = mesh.stride(axis.axis) *
                       (mesh.axisSize(axis.axis) / axis.nextPreSize());
      int64_t digit = linear / stride % axis.size;
      flipped += (axis.size - 1 - 2 * digit) * stride;
    }
    ids.push_back(mesh.deviceIds().empty() ? flipped
                                           : mesh.deviceIds()[flipped]);
  }
  if (llvm::equal(ids, llvm::seq<int64_t>(0, ids.size())))
    ids.clear();
  auto reversed = sdy::MeshAttr::get(attr.getContext(), attr.getAxes(), ids);
  auto ref = dyn_cast<FlatSymbolRefAttr>(meshOrRef);
  if (!ref)
    return reversed;
  // Reuse an equal mesh, also under another name.
  for (auto op : module.getOps<sdy::MeshOp>())
    if (op.getMesh() == reversed)
      return FlatSymbolRefAttr::get(op.getSymNameAttr());
  OpBuilder builder(symbols.lookup(ref.getAttr()));
  auto op = sdy::MeshOp::create(builder, module.getLoc(),
                                (ref.getValue() + "_reversed").str(), reversed);
  return FlatSymbolRefAttr::get(symbols.insert(op, op->getIterator()));
}

/// Each device reverses its shard; a permute moves the shards.
LogicalResult Resolver::reverseShards(stablehlo::ReverseOp op) {
  TensorShardingAttr sharding = shardingOf(op.getResult());
  int32_t mesh = meshes.idOf(sharding.getMeshOrRef());
  AxisList axes;
  for (int64_t d : op.getDimensions())
    axes.append(meshes.toAxes(mesh, sharding.getDimShardings()[d].getAxes()));
  auto there = TensorShardingAttr::get(
      op.getContext(), reversedMesh(sharding.getMeshOrRef(), axes),
      sharding.getDimShardings(), sharding.getReplicatedAxes(),
      sharding.getUnreducedAxes(), sharding.getReductionOp());
  OpBuilder builder(op);
  if (permutesFirst) {
    op.getOperandMutable().set(sdy::ReshardOp::create(
        builder, op.getLoc(), op.getType(), op.getOperand(), there));
    return success();
  }
  builder.setInsertionPointAfter(op);
  auto reshard = sdy::ReshardOp::create(builder, op.getLoc(), op.getType(),
                                        op.getResult(), sharding);
  op.getResult().replaceAllUsesExcept(reshard.getResult(), reshard);
  sdy::setSharding(op.getResult(), there);
  return success();
}

namespace {

struct ResolvePermutationFactorsPass
    : impl::ResolvePermutationFactorsBase<ResolvePermutationFactorsPass> {
  using ResolvePermutationFactorsBase::ResolvePermutationFactorsBase;

  void runOnOperation() override {
    FailureOr<MeshTable> meshes = MeshTable::create(getOperation());
    if (failed(meshes) ||
        failed(Resolver(getOperation(), *meshes, enableHaloExchange,
                        rngBitGeneratorUnsafe,
                        /*deviceIsReplica=*/replicaCount > 1, shardy)
                   .run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardwright
