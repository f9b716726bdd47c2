//===- pad_for_divisibility.cc - dimensions as large as their shards ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sharded dimension of N rows gets the rows that full shards have; those
// beyond N hold anything, and no row below N may depend on them. Ops work on
// such values as they are where a row of the result comes from the same row of
// the operands; what sums rows up masks them first; of the few others operands
// and results are made whole. Shardy masks only contractions and convolutions.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/combine.h"
#include "shardwright/partition/op_problem.h"
#include "shardwright/partition/shardy/halo.h"
#include "shardwright/partition/shardy/passes.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/rules/reducer.h"
#include "shardwright/rules/rule_interface.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

#define GEN_PASS_DEF_PADFORDIVISIBILITY
#include "shardwright/partition/shardy/passes.h.inc"

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

class Padder {
public:
  Padder(func::FuncOp func, MeshTable &meshes, bool deviceIsReplica)
      : func(func), meshes(meshes), halo(func, meshes, deviceIsReplica) {}

  LogicalResult run();

private:
  LogicalResult visitBlock(Block &block);
  LogicalResult visit(Operation *op);
  LogicalResult visitCollective(sdy::CollectiveOpInterface op);
  LogicalResult reduceThenSlice(sdy::ReduceScatterOp op);
  LogicalResult visitWhole(Operation *op);
  LogicalResult visitScatter(stablehlo::ScatterOp op);
  void visitGather(stablehlo::GatherOp op);
  void visitPad(stablehlo::PadOp op);
  void visitConstant(Operation *op, ElementsAttr value);
  void visitReduce(stablehlo::ReduceOp op);
  void maskOperand(Operation *op, int64_t operand, ArrayRef<int64_t> dims);
  bool worksPadded(Operation *op);
  void readRule(Operation *op);

  /// Null if the value is whole on every device.
  TensorShardingAttr shardingOf(Value value, Type type);
  /// Of a value that has its global type still.
  SmallVector<int64_t> padded(Value value) {
    return paddedShape(meshes, shardingOf(value, value.getType()),
                       dimsOf(value.getType()));
  }
  /// Rows of a dimension in the program.
  int64_t rows(Value value, int64_t d) const {
    auto it = shapes.find(value);
    return it == shapes.end() ? dimsOf(value.getType())[d] : it->second[d];
  }
  bool isPadded(Value value) const { return shapes.contains(value); }
  /// Gives a value its padded type.
  void widen(Value value) { widen(value, value); }
  /// To the padded shape of `like`, which has its type.
  void widen(Value value, Value like);
  void widenResults(Operation *op) {
    for (Value result : op->getResults())
      widen(result);
  }
  /// `fill` (a scalar) in the rows beyond the end of these dimensions.
  Value masked(OpBuilder &builder, Location loc, Value value,
               ArrayRef<int64_t> dims, Value fill);
  /// A scalar on every device, as a tensor that is sharded like another.
  Value spread(OpBuilder &builder, Location loc, Value scalar, Value like);
  Value mark(Value value, TensorShardingAttr sharding) {
    if (sharding)
      sdy::setShardings(value.getDefiningOp(), {sharding});
    return value;
  }

  func::FuncOp func;
  MeshTable &meshes;
  HaloBuilder halo;
  /// The global shape of each value that has a larger type now.
  llvm::DenseMap<Value, SmallVector<int64_t, 4>> shapes;
  /// Read off global types: operand dimensions that are reduced over shards, as
  /// (operand, dimension), and ops with an uneven dimension that has no
  /// counterpart on the other side.
  llvm::DenseMap<Operation *, SmallVector<std::pair<int64_t, int64_t>, 1>>
      reduced;
  llvm::DenseSet<Operation *> oneSided;
};

TensorShardingAttr Padder::shardingOf(Value value, Type type) {
  TensorShardingAttr sharding = sdy::getSharding(value);
  if (!sharding || !isa<RankedTensorType>(type) ||
      meshes.idOf(sharding.getMeshOrRef()) < 0 ||
      sharding.getRank() != cast<RankedTensorType>(type).getRank())
    return nullptr;
  return sharding;
}

void Padder::widen(Value value, Value like) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return;
  SmallVector<int64_t> shape = padded(like);
  if (ArrayRef<int64_t>(shape) == type.getShape())
    return;
  shapes[value].assign(type.getShape().begin(), type.getShape().end());
  value.setType(type.clone(ArrayRef<int64_t>(shape)));
}

LogicalResult Padder::run() {
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
    TensorShardingAttr sharding =
        func.getArgAttrOfType<TensorShardingAttr>(i, sdy::kShardingAttr);
    ArrayRef<int64_t> shape = dimsOf(type);
    if (sharding && sharding.getRank() == int64_t(shape.size()) &&
        ArrayRef<int64_t>(paddedShape(meshes, sharding, shape)) != shape)
      return func.emitError("argument #")
             << i
             << " has a non-divisible sharding. Shardy expects function IO to "
                "be divisible.";
  }
  for (auto [i, type] : llvm::enumerate(func.getResultTypes())) {
    TensorShardingAttr sharding = sdy::getFuncResultSharding(func, i);
    ArrayRef<int64_t> shape = dimsOf(type);
    if (sharding && sharding.getRank() == int64_t(shape.size()) &&
        ArrayRef<int64_t>(paddedShape(meshes, sharding, shape)) != shape)
      return func.emitError("result #")
             << i
             << " has a non-divisible sharding. Shardy expects function IO to "
                "be divisible.";
  }
  func.walk([&](Operation *op) {
    if (isa_and_nonnull<stablehlo::StablehloDialect>(op->getDialect()))
      readRule(op);
  });
  for (Block &block : func.getBody())
    if (failed(visitBlock(block)))
      return failure();
  return success();
}

void Padder::readRule(Operation *op) {
  auto isUneven = [&](Value value, int64_t d) {
    int64_t n = shardsOf(meshes, shardingOf(value, value.getType()), d);
    int64_t size = dimsOf(value.getType())[d];
    return n > 1 && (ShapedType::isDynamic(size) || size % n != 0);
  };
  auto isAnyUneven = [&](Value value) {
    for (size_t d = 0; d < dimsOf(value.getType()).size(); ++d)
      if (isUneven(value, d))
        return true;
    return false;
  };
  if (op->getNumOperands() == 0 || op->getNumResults() == 0 ||
      (llvm::none_of(op->getOperands(), isAnyUneven) &&
       llvm::none_of(op->getResults(), isAnyUneven)))
    return;
  std::optional<ShardingRule> rule = getShardingRule(op, {.extraRules = true});
  if (!rule || rule->operands.size() != op->getNumOperands() ||
      rule->results.size() != op->getNumResults())
    return;
  auto held = [&](int32_t f, ArrayRef<TensorMapping> tensors) {
    return llvm::any_of(tensors, [&](const TensorMapping &mapping) {
      return llvm::any_of(mapping, [&](const DimMapping &dim) {
        return llvm::is_contained(dim, f);
      });
    });
  };
  for (auto [t, operand] : llvm::enumerate(op->getOperands()))
    for (auto [d, dim] : llvm::enumerate(rule->operands[t]))
      for (int32_t f : dim) {
        FactorKind kind = rule->factors[f].kind;
        if (kind == FactorKind::Reduction &&
            shardsOf(meshes, shardingOf(operand, operand.getType()), d) > 1)
          reduced[op].push_back({t, d});
        if (isUneven(operand, d) && kind != FactorKind::Reduction &&
            (kind == FactorKind::NeedReplication || !held(f, rule->results)))
          oneSided.insert(op);
      }
  for (auto [t, result] : llvm::enumerate(op->getResults()))
    for (auto [d, dim] : llvm::enumerate(rule->results[t]))
      if (isUneven(result, d) && !isa<stablehlo::BroadcastInDimOp>(op) &&
          (dim.empty() || llvm::any_of(dim, [&](int32_t f) {
             return rule->factors[f].kind == FactorKind::NeedReplication ||
                    !held(f, rule->operands);
           })))
        oneSided.insert(op);
}

LogicalResult Padder::visitBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (failed(visit(&op)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

Value Padder::spread(OpBuilder &builder, Location loc, Value scalar,
                     Value like) {
  auto type = typeOf(like).clone(typeOf(scalar).getElementType());
  if (type == scalar.getType())
    return scalar;
  return mark(stablehlo::BroadcastInDimOp::create(builder, loc, type, scalar,
                                                  ArrayRef<int64_t>()),
              shardingOf(like, like.getType()));
}

static Value scalarOf(OpBuilder &builder, Location loc, TypedAttr value) {
  auto type = RankedTensorType::get({}, value.getType());
  return stablehlo::ConstantOp::create(builder, loc, type,
                                       splatOf(type, value));
}

Value Padder::masked(OpBuilder &builder, Location loc, Value value,
                     ArrayRef<int64_t> dims, Value fill) {
  if (!isPadded(value))
    return value;
  auto type = typeOf(value);
  TensorShardingAttr sharding = shardingOf(value, type);
  auto counts = type.clone(builder.getI64Type());
  Value valid;
  for (int64_t d : dims) {
    if (rows(value, d) == type.getDimSize(d))
      continue;
    Value row =
        mark(stablehlo::IotaOp::create(builder, loc, counts, d), sharding);
    Value end = spread(
        builder, loc,
        scalarOf(builder, loc, builder.getI64IntegerAttr(rows(value, d))),
        value);
    Value before = mark(buildCompare(builder, loc, row, end,
                                     stablehlo::ComparisonDirection::LT),
                        sharding);
    valid = valid ? mark(stablehlo::AndOp::create(
                             builder, loc, before.getType(), valid, before),
                         sharding)
                  : before;
  }
  if (!valid)
    return value;
  Value out =
      mark(stablehlo::SelectOp::create(builder, loc, type, valid, value,
                                       spread(builder, loc, fill, value)),
           sharding);
  shapes[out] = SmallVector<int64_t, 4>(shapes[value]);
  return out;
}

void Padder::maskOperand(Operation *op, int64_t operand,
                         ArrayRef<int64_t> dims) {
  OpBuilder builder(op);
  Value value = op->getOperand(operand);
  if (!isPadded(value))
    return;
  auto scalar = RankedTensorType::get({}, typeOf(value).getElementType());
  op->setOperand(operand, masked(builder, op->getLoc(), value, dims,
                                 buildZero(builder, op->getLoc(), scalar)));
}

void Padder::visitReduce(stablehlo::ReduceOp op) {
  OpBuilder builder(op);
  std::optional<ReducerKind> kind = uniformReducer(op.getBody());
  for (auto [use, init] :
       llvm::zip(op.getInputsMutable(), op.getInitValues())) {
    TypedAttr identity =
        kind ? identityElement(*kind, getElementTypeOrSelf(use.get()))
             : TypedAttr();
    // Of other reducers the initial value changes nothing.
    Value fill = init;
    if (identity && isPadded(use.get()))
      fill = scalarOf(builder, op.getLoc(), identity);
    use.set(masked(builder, op.getLoc(), use.get(), op.getDimensions(), fill));
  }
  widenResults(op);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// A row of the results comes from the same rows of the operands.
bool Padder::worksPadded(Operation *op) {
  if (auto conv = dyn_cast<stablehlo::ConvolutionOp>(op))
    return conv.getFeatureGroupCount() == 1 && conv.getBatchGroupCount() == 1;
  // Of these no padded dimension is reversed, sorted or in a window: they were
  // made whole before.
  if (auto reverse = dyn_cast<stablehlo::ReverseOp>(op))
    return llvm::none_of(reverse.getDimensions(), [&](int64_t d) {
      return isPadded(reverse.getOperand()) &&
             rows(reverse.getOperand(), d) !=
                 typeOf(reverse.getOperand()).getDimSize(d);
    });
  return isElementwise(op) ||
         isa<stablehlo::BroadcastInDimOp, stablehlo::CholeskyOp,
             stablehlo::ConcatenateOp, stablehlo::FftOp,
             stablehlo::OptimizationBarrierOp, stablehlo::ReduceWindowOp,
             stablehlo::SelectAndScatterOp, stablehlo::SortOp,
             stablehlo::TransposeOp, stablehlo::TriangularSolveOp,
             stablehlo::IotaOp, stablehlo::MapOp, stablehlo::BitcastConvertOp>(
             op);
}

void Padder::visitConstant(Operation *op, ElementsAttr value) {
  Value result = op->getResult(0);
  auto dense = dyn_cast<DenseElementsAttr>(value);
  SmallVector<int64_t> shape = padded(result);
  auto type = typeOf(result);
  if (ArrayRef<int64_t>(shape) == type.getShape())
    return;
  if (dense && dense.isSplat()) {
    widen(result);
    op->setAttr("value", dense.resizeSplat(typeOf(result)));
    return;
  }
  // Whole, then padded, then cut: each device takes its part of the constant.
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  TensorShardingAttr sharding = shardingOf(result, type);
  int32_t mesh = meshes.idOf(sharding.getMeshOrRef());
  auto none = TensorShardingAttr::getFullyClosed(
      op->getContext(), type.getRank(), sharding.getMeshOrRef());
  SmallVector<AxisList, 4> lists;
  for (sdy::DimensionShardingAttr dim : sharding.getDimShardings())
    lists.push_back(meshes.toAxes(mesh, dim.getAxes()));
  sdy::setSharding(result, none);
  Value wide = resizeAtEnd(builder, op->getLoc(), result, none, shape);
  auto slice =
      sdy::AllSliceOp::create(builder, op->getLoc(), wide.getType(), wide,
                              meshes.listsAttr(mesh, lists), sharding);
  result.replaceUsesWithIf(slice.getResult(), [&](OpOperand &use) {
    return use.getOwner() != wide.getDefiningOp() && use.getOwner() != slice;
  });
  shapes[slice.getResult()].assign(type.getShape().begin(),
                                   type.getShape().end());
}

void Padder::visitPad(stablehlo::PadOp op) {
  Value operand = op.getOperand();
  SmallVector<int64_t> in(dimsOf(operand.getType())),
      high(op.getEdgePaddingHigh()), shrunk;
  widen(op.getResult());
  ArrayRef<int64_t> out = dimsOf(op.getResult().getType());
  for (size_t d = 0; d < in.size(); ++d) {
    int64_t rowsIn = rows(operand, d);
    if (rowsIn == in[d] && rows(op.getResult(), d) == out[d])
      continue;
    // Rows of the padding show where the operand's end was.
    if (rowsIn != in[d] && high[d] > 0)
      shrunk.push_back(d);
    int64_t interior = op.getInteriorPadding()[d];
    high[d] = out[d] - op.getEdgePaddingLow()[d] - in[d] -
              std::max<int64_t>(in[d] - 1, 0) * interior;
  }
  OpBuilder builder(op);
  op.getOperandMutable().set(
      masked(builder, op.getLoc(), operand, shrunk, op.getPaddingValue()));
  op.setEdgePaddingHigh(high);
}

/// Indices are clamped to the dimension as it was.
void Padder::visitGather(stablehlo::GatherOp op) {
  auto dims = op.getDimensionNumbers();
  Value operand = op.getOperand(), indices = op.getStartIndices();
  SmallVector<int64_t> sizes(op.getSliceSizes());
  auto indexType = typeOf(indices);
  auto element = dyn_cast<IntegerType>(indexType.getElementType());
  SmallVector<APInt> most;
  bool clamps = false;
  for (int64_t d : dims.getStartIndexMap()) {
    bool whole = rows(operand, d) == sizes[d];
    unsigned width = element ? element.getWidth() : 64;
    bool isUnsigned = element && element.isUnsigned();
    APInt limit = isUnsigned ? APInt::getMaxValue(width)
                             : APInt::getSignedMaxValue(width);
    if (isPadded(operand) && !whole &&
        rows(operand, d) != typeOf(operand).getDimSize(d)) {
      APInt last(64, rows(operand, d) - sizes[d]);
      if (limit.zextOrTrunc(64).ugt(last) || width > 64) {
        limit = last.zextOrTrunc(width);
        clamps = true;
      }
    }
    most.push_back(limit);
  }
  for (int64_t d = 0, e = sizes.size(); d < e; ++d)
    if (isPadded(operand) && sizes[d] == rows(operand, d) &&
        !llvm::is_contained(dims.getCollapsedSliceDims(), d) &&
        !llvm::is_contained(dims.getOperandBatchingDims(), d))
      sizes[d] = typeOf(operand).getDimSize(d);
  op.setSliceSizes(sizes);
  if (clamps && element) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    TensorShardingAttr sharding = shardingOf(indices, indexType);
    bool isVector = dims.getIndexVectorDim() < indexType.getRank();
    auto small = isVector
                     ? RankedTensorType::get({int64_t(most.size())}, element)
                     : RankedTensorType::get({}, element);
    Value limits = stablehlo::ConstantOp::create(
        builder, loc, small, DenseElementsAttr::get(small, most));
    Value wide = limits;
    if (small != indexType)
      wide = mark(stablehlo::BroadcastInDimOp::create(
                      builder, loc, indexType, limits,
                      isVector ? SmallVector<int64_t>{dims.getIndexVectorDim()}
                               : SmallVector<int64_t>{}),
                  sharding);
    Value clamped =
        mark(stablehlo::MinOp::create(builder, loc, indexType, indices, wide),
             sharding);
    if (auto it = shapes.find(indices); it != shapes.end())
      shapes[clamped] = SmallVector<int64_t, 4>(it->second);
    op.getStartIndicesMutable().set(clamped);
  }
  widen(op.getResult());
}

/// Updates beyond the end go nowhere.
LogicalResult Padder::visitScatter(stablehlo::ScatterOp op) {
  auto dims = op.getScatterDimensionNumbers();
  Value indices = op.getScatterIndices();
  auto type = typeOf(indices);
  SmallVector<int64_t> listDims;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != dims.getIndexVectorDim() &&
        !llvm::is_contained(dims.getScatterIndicesBatchingDims(), d))
      listDims.push_back(d);
  bool isPaddedList = isPadded(indices) && llvm::any_of(listDims, [&](auto d) {
                        return rows(indices, d) != type.getDimSize(d);
                      });
  if (isPaddedList) {
    auto element = dyn_cast<IntegerType>(type.getElementType());
    bool hasIndex = !dims.getScatterDimsToOperandDims().empty();
    if (!element || !hasIndex)
      return visitWhole(op);
    APInt nowhere = element.isUnsigned()
                        ? APInt::getMaxValue(element.getWidth())
                        : APInt::getAllOnes(element.getWidth());
    OpBuilder builder(op);
    auto scalar = RankedTensorType::get({}, element);
    Value fill = stablehlo::ConstantOp::create(
        builder, op.getLoc(), scalar, DenseElementsAttr::get(scalar, nowhere));
    op.getScatterIndicesMutable().set(
        masked(builder, op.getLoc(), indices, listDims, fill));
  }
  widenResults(op);
  return success();
}

/// Every operand gathered and cut to what it was, every result padded and
/// sliced.
LogicalResult Padder::visitWhole(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  if (auto it = reduced.find(op); it != reduced.end())
    return op->emitOpError("dimension ")
           << it->second.front().second << " of operand "
           << it->second.front().first
           << " is reduced over shards, but other dimensions are not "
              "divisible; reshard the operand to replicated first";
  for (OpOperand &use : op->getOpOperands()) {
    Value value = use.get();
    TensorShardingAttr sharding = shardingOf(value, value.getType());
    if (!sharding)
      continue;
    int32_t mesh = meshes.idOf(sharding.getMeshOrRef());
    SmallVector<AxisList, 4> lists;
    for (sdy::DimensionShardingAttr dim : sharding.getDimShardings())
      lists.push_back(meshes.toAxes(mesh, dim.getAxes()));
    auto none = TensorShardingAttr::getFullyClosed(
        op->getContext(), sharding.getRank(), sharding.getMeshOrRef());
    SmallVector<int64_t> shape(dimsOf(value.getType()));
    if (auto it = shapes.find(value); it != shapes.end())
      shape.assign(it->second.begin(), it->second.end());
    if (!sharding.emptyAxes())
      value = sdy::AllGatherOp::create(builder, loc, value.getType(), value,
                                       meshes.listsAttr(mesh, lists), none);
    use.set(resizeAtEnd(builder, loc, value, none, shape));
  }
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    TensorShardingAttr sharding = shardingOf(result, result.getType());
    if (!sharding || sharding.emptyAxes())
      continue;
    auto type = typeOf(result);
    int32_t mesh = meshes.idOf(sharding.getMeshOrRef());
    SmallVector<AxisList, 4> lists;
    for (sdy::DimensionShardingAttr dim : sharding.getDimShardings())
      lists.push_back(meshes.toAxes(mesh, dim.getAxes()));
    auto none = TensorShardingAttr::getFullyClosed(
        op->getContext(), sharding.getRank(), sharding.getMeshOrRef());
    SmallVector<int64_t> shape = padded(result);
    sdy::setSharding(result, none);
    Value wide = resizeAtEnd(builder, loc, result, none, shape);
    auto slice =
        sdy::AllSliceOp::create(builder, loc, wide.getType(), wide,
                                meshes.listsAttr(mesh, lists), sharding);
    result.replaceUsesWithIf(slice.getResult(), [&](OpOperand &use) {
      return use.getOwner() != wide.getDefiningOp() && use.getOwner() != slice;
    });
    if (ArrayRef<int64_t>(shape) != type.getShape())
      shapes[slice.getResult()].assign(type.getShape().begin(),
                                       type.getShape().end());
  }
  return success();
}

LogicalResult Padder::reduceThenSlice(sdy::ReduceScatterOp op) {
  OpBuilder builder(op);
  TensorShardingAttr out = op.getOutSharding();
  int32_t mesh = meshes.idOf(out.getMeshOrRef());
  AxisList all;
  SmallVector<AxisList, 4> lists;
  for (sdy::AxisRefListAttr list : op.getReduceScatterAxes().getValue()) {
    lists.push_back(meshes.toAxes(mesh, list.getValue()));
    all.append(lists.back());
  }
  sortAndMerge(all);
  SmallVector<sdy::DimensionShardingAttr> dims(
      out.getRank(),
      sdy::DimensionShardingAttr::get(op.getContext(), {}, /*isClosed=*/true));
  if (TensorShardingAttr in =
          shardingOf(op.getTensor(), op.getTensor().getType()))
    dims.assign(in.getDimShardings().begin(), in.getDimShardings().end());
  auto reduce = sdy::AllReduceOp::create(
      builder, op.getLoc(), op.getTensor().getType(), op.getTensor(),
      meshes.axesAttr(mesh, all), out.withDimShardings(dims));
  auto slice = sdy::AllSliceOp::create(builder, op.getLoc(), op.getType(),
                                       reduce.getResult(),
                                       meshes.listsAttr(mesh, lists), out);
  op.getResult().replaceAllUsesWith(slice.getResult());
  op.erase();
  if (failed(visitCollective(reduce)))
    return failure();
  return visitCollective(slice);
}

/// Shards are cut or joined along a dimension: the operand gets as many rows as
/// the finer shards have together before, the result loses them afterwards.
LogicalResult Padder::visitCollective(sdy::CollectiveOpInterface op) {
  Value value = op.getTensor(), result = op->getResult(0);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type || !type.hasStaticShape())
    return success();
  SmallVector<int64_t> shape(type.getShape()),
      want = padded(result), have(dimsOf(value.getType())), during;
  for (auto [a, b] : llvm::zip(have, want))
    during.push_back(std::max(a, b));
  OpBuilder builder(op);
  // Of several parts of a dimension one size must fit both sides.
  if (isa<sdy::CollectivePermuteOp>(op) && have != want)
    return op->emitOpError("moves shards of other sizes");
  // What was made of parts is whole before it is padded: the op that made them
  // is followed by their reduction.
  if (auto scatter = dyn_cast<sdy::ReduceScatterOp>(op.getOperation());
      scatter && during != have)
    return reduceThenSlice(scatter);
  TensorShardingAttr in = shardingOf(value, value.getType());
  FailureOr<Value> before =
      halo.resize(builder, op->getLoc(), value, in, during);
  if (failed(before))
    return failure();
  op->setOperand(0, *before);
  result.setType(type.clone(ArrayRef<int64_t>(during)));
  if (during != want) {
    builder.setInsertionPointAfter(op);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : result.getUses())
      uses.push_back(&use);
    FailureOr<Value> after =
        halo.resize(builder, op->getLoc(), result, op.getOutSharding(), want);
    if (failed(after))
      return failure();
    for (OpOperand *use : uses)
      use->set(*after);
    result = *after;
  }
  if (want != shape)
    shapes[result].assign(shape.begin(), shape.end());
  return success();
}

LogicalResult Padder::visit(Operation *op) {
  // From all devices to a mesh with other axes: a slice.
  if (auto reshard = dyn_cast<sdy::ReshardOp>(op);
      reshard && !isPadded(reshard.getInput())) {
    Value input = reshard.getInput(), result = reshard.getResult();
    TensorShardingAttr from = shardingOf(input, input.getType());
    SmallVector<int64_t> want = padded(result);
    if ((from && !from.emptyAxes()) ||
        ArrayRef<int64_t>(want) == dimsOf(result.getType()))
      return success();
    OpBuilder builder(op);
    reshard.getInputMutable().set(
        resizeAtEnd(builder, op->getLoc(), input, from, want));
    widen(result);
    return success();
  }
  if (auto collective = dyn_cast<sdy::CollectiveOpInterface>(op))
    return visitCollective(collective);
  // Whether anything of it is uneven.
  bool uneven =
      llvm::any_of(op->getOperands(), [&](Value v) { return isPadded(v); });
  for (Value result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    uneven |= type && type.hasStaticShape() &&
              ArrayRef<int64_t>(padded(result)) != type.getShape();
  }
  if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
    for (Region &region : op->getRegions()) {
      for (auto [arg, result] :
           llvm::zip(region.getArguments(), op->getResults()))
        widen(arg, result);
      if (failed(visitBlock(region.front())))
        return failure();
    }
    widenResults(op);
    return success();
  }
  if (isa<stablehlo::IfOp, stablehlo::CaseOp, sdy::NamedComputationOp,
          sdy::ManualComputationOp>(op)) {
    if (auto manual = dyn_cast<sdy::ManualComputationOp>(op); manual && uneven)
      return op->emitOpError(
          "has operands or results that their shardings do not divide; remove "
          "axes from its shardings");
    for (Region &region : op->getRegions()) {
      for (BlockArgument arg : region.getArguments())
        if (isa<sdy::NamedComputationOp>(op))
          widen(arg);
      if (failed(visitBlock(region.front())))
        return failure();
    }
    widenResults(op);
    return success();
  }
  if (!uneven)
    return success();
  if (oneSided.contains(op))
    return visitWhole(op);
  if (worksPadded(op)) {
    if (auto conv = dyn_cast<stablehlo::ConvolutionOp>(op)) {
      auto dims = conv.getDimensionNumbers();
      SmallVector<int64_t> lhs(dims.getInputSpatialDimensions()),
          rhs(dims.getKernelSpatialDimensions());
      lhs.push_back(dims.getInputFeatureDimension());
      rhs.push_back(dims.getKernelInputFeatureDimension());
      maskOperand(op, 0, lhs);
      maskOperand(op, 1, rhs);
    }
    widenResults(op);
    return success();
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<stablehlo::ConstantOp, sdy::ConstantOp>([&](auto constant) {
        visitConstant(constant, constant.getValue());
        return success();
      })
      .Case([&](stablehlo::PadOp pad) {
        visitPad(pad);
        return success();
      })
      .Case([&](stablehlo::SliceOp slice) {
        widenResults(op);
        SmallVector<int64_t> limits(slice.getLimitIndices());
        ArrayRef<int64_t> out = dimsOf(slice.getResult().getType());
        for (size_t d = 0; d < limits.size(); ++d)
          if (rows(slice.getResult(), d) != out[d] ||
              rows(slice.getOperand(), d) !=
                  dimsOf(slice.getOperand().getType())[d])
            limits[d] = slice.getStartIndices()[d] +
                        (out[d] - 1) * slice.getStrides()[d] + 1;
        slice.setLimitIndices(limits);
        return success();
      })
      .Case([&](stablehlo::DynamicSliceOp slice) {
        widenResults(op);
        slice.setSliceSizes(dimsOf(slice.getResult().getType()));
        return success();
      })
      .Case([&](stablehlo::DynamicUpdateSliceOp) {
        widenResults(op);
        return success();
      })
      .Case([&](stablehlo::ReduceOp reduce) {
        visitReduce(reduce);
        return success();
      })
      .Case([&](stablehlo::DotGeneralOp dot) {
        auto dims = dot.getDotDimensionNumbers();
        maskOperand(op, 0, dims.getLhsContractingDimensions());
        maskOperand(op, 1, dims.getRhsContractingDimensions());
        widenResults(op);
        return success();
      })
      .Case([&](stablehlo::DotOp dot) {
        maskOperand(op, 0, typeOf(dot.getLhs()).getRank() - 1);
        maskOperand(op, 1, int64_t(0));
        widenResults(op);
        return success();
      })
      .Case([&](stablehlo::GatherOp gather) {
        visitGather(gather);
        return success();
      })
      .Case([&](stablehlo::ScatterOp scatter) { return visitScatter(scatter); })
      .Case([&](stablehlo::ReshapeOp reshape) -> LogicalResult {
        if (ShapedType::getNumElements(padded(reshape.getResult())) ==
            typeOf(reshape.getOperand()).getNumElements()) {
          widenResults(op);
          return success();
        }
        return visitWhole(op);
      })
      .Case([&](stablehlo::GetDimensionSizeOp size) {
        int64_t count = rows(size.getOperand(), size.getDimension());
        OpBuilder builder(op);
        auto type = typeOf(size.getResult());
        size.getResult().replaceAllUsesWith(
            stablehlo::ConstantOp::create(
                builder, op->getLoc(), type,
                DenseElementsAttr::get(type, int32_t(count)))
                .getResult());
        op->erase();
        return success();
      })
      .Default([&](Operation *other) { return visitWhole(other); });
}

struct PadForDivisibilityPass
    : impl::PadForDivisibilityBase<PadForDivisibilityPass> {
  using PadForDivisibilityBase::PadForDivisibilityBase;

  void runOnOperation() override {
    FailureOr<MeshTable> meshes =
        MeshTable::create(getOperation()->getParentOfType<ModuleOp>());
    if (failed(meshes) || failed(Padder(getOperation(), *meshes,
                                        /*deviceIsReplica=*/replicaCount > 1)
                                     .run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardwright
