//===- ring_dots.cc - rings of dots ---------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/used_channels.h"
#include "shardwright/partition/overlap/device_ring.h"
#include "shardwright/partition/overlap/op_cost.h"
#include "shardwright/partition/overlap/overlap.h"
#include "shardwright/partition/overlap/piece_chain.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/reducer.h"

#include <algorithm>

using namespace mlir;

namespace shardwright {
namespace {

/// Rings are unrolled, which limits the number of devices.
constexpr int64_t kMostPieces = 64;
/// A ring must take at most this fraction of the time without it.
constexpr double kWorthwhile = 0.98;

/// Role of an operand dimension in a dot.
struct DimRole {
  enum Kind { Free, Batch, Contracting } kind = Free;
  /// The corresponding dimension of the other operand (Batch, Contracting) and
  /// of the result (Free, Batch).
  int64_t otherDim = -1, resultDim = -1;
};

DimRole roleOf(stablehlo::DotGeneralOp dot, bool isLhs, int64_t dim) {
  auto dims = dot.getDotDimensionNumbers();
  auto batch = isLhs ? dims.getLhsBatchingDimensions()
                     : dims.getRhsBatchingDimensions(),
       otherBatch = isLhs ? dims.getRhsBatchingDimensions()
                          : dims.getLhsBatchingDimensions(),
       contracting = isLhs ? dims.getLhsContractingDimensions()
                           : dims.getRhsContractingDimensions(),
       otherContracting = isLhs ? dims.getRhsContractingDimensions()
                                : dims.getLhsContractingDimensions();
  for (auto [i, d] : llvm::enumerate(batch))
    if (d == dim)
      return {DimRole::Batch, otherBatch[i], int64_t(i)};
  for (auto [i, d] : llvm::enumerate(contracting))
    if (d == dim)
      return {DimRole::Contracting, otherContracting[i], -1};
  // Result dimensions: batch, then free of lhs, then free of rhs.
  int64_t at = batch.size();
  if (!isLhs)
    at += int64_t(dimsOf(dot.getLhs().getType()).size()) -
          int64_t(otherBatch.size() + otherContracting.size());
  for (int64_t d = 0; d < dim; ++d)
    at += !llvm::is_contained(batch, d) && !llvm::is_contained(contracting, d);
  return {DimRole::Free, -1, at};
}

bool isPlain(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && !tensor.getEncoding() &&
         isa<IntegerType, FloatType, ComplexType>(tensor.getElementType()) &&
         !tensor.getElementType().isInteger(1);
}

DenseElementsAttr zeroOf(RankedTensorType type) {
  Type element = type.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element)) {
    auto zero = APFloat::getZero(
        cast<FloatType>(complex.getElementType()).getFloatSemantics());
    return DenseElementsAttr::get(type, std::complex<APFloat>(zero, zero));
  }
  return DenseElementsAttr::get(
      type, Builder(type.getContext()).getZeroAttr(element));
}

/// Time of a ring of `n` steps; `both`: it sends in both directions.
double ringSeconds(int64_t n, double piece, double pass, bool both,
                   bool sendsBothAtOnce) {
  if (!both)
    return double(n - 1) * std::max(piece, pass) + piece;
  int64_t forward = n / 2, backward = n - 1 - forward;
  double pair = sendsBothAtOnce ? pass : 2 * pass, seconds = 0;
  for (int64_t i = 1; i <= forward; ++i)
    seconds += std::max((i == 1 ? 1 : 2) * piece, i <= backward ? pair : pass);
  return seconds + (forward > backward ? 1 : 2) * piece;
}

class RingDots {
public:
  RingDots(func::FuncOp func, const OverlapOptions &options,
           int64_t numReplicas, int64_t &nextChannel)
      : func(func), options(options), numReplicas(numReplicas),
        costs(options.machine, options.mesh), rings(func, nextChannel) {}

  int64_t run();

private:
  /// Number of directions of the ring; 0: no ring.
  int32_t choose(const DeviceRing &ring, Operation *collective, double compute,
                 double piece, Value passed, bool mayHide);
  bool gather(stablehlo::AllGatherOp op);
  /// A dot of the gathered value, possibly through a chain of elementwise ops.
  struct Product {
    PieceChain chain;
    stablehlo::DotGeneralOp dot;
    bool isLhs;
    DimRole role;
    RankedTensorType piece, sum; ///< types in the result
    Value result;
  };
  /// Compute time of all products: at once, and for one piece.
  struct Seconds {
    double compute = 0, piece = 0;
  };
  /// None unless the gather is over equal shards.
  std::optional<DeviceRing> ringOf(stablehlo::AllGatherOp op);
  /// All users of the gathered value, in order; none if one of them is no dot.
  SmallVector<Product, 2> matchProducts(stablehlo::AllGatherOp op);
  /// Sets the types of pieces; none if the products cannot be computed piece by
  /// piece.
  std::optional<Seconds> priceProducts(stablehlo::AllGatherOp op,
                                       const DeviceRing &ring,
                                       MutableArrayRef<Product> products);
  /// Adds the products with the piece of the device `shift` places ahead.
  void multiplyPiece(OpBuilder &builder, const DeviceRing &ring,
                     MutableArrayRef<Product> products, Value piece,
                     int64_t shift, int64_t size);
  void multiplyInRing(OpBuilder &builder, stablehlo::AllGatherOp op,
                      const DeviceRing &ring, MutableArrayRef<Product> products,
                      int32_t directions);
  bool scatter(stablehlo::ReduceScatterOp op);
  /// Compute time from the definition of `value` to `until`.
  double secondsBetween(Value value, Operation *until);
  /// Clones `dot` with other operands, whose shapes determine the result type.
  Value dotOf(OpBuilder &builder, stablehlo::DotGeneralOp dot, Value lhs,
              Value rhs, RankedTensorType type);

  func::FuncOp func;
  const OverlapOptions &options;
  int64_t numReplicas;
  OpCosts costs;
  RingBuilder rings;
};

double RingDots::secondsBetween(Value value, Operation *until) {
  Operation *from = value.getDefiningOp();
  bool isHere = from && from->getBlock() == until->getBlock();
  Operation *at = isHere ? from->getNextNode() : &until->getBlock()->front();
  double seconds = 0;
  for (; at && at != until; at = at->getNextNode())
    seconds += costs.seconds(at);
  return seconds;
}

Value RingDots::dotOf(OpBuilder &builder, stablehlo::DotGeneralOp dot,
                      Value lhs, Value rhs, RankedTensorType type) {
  return stablehlo::DotGeneralOp::create(
      builder, dot.getLoc(), type, lhs, rhs, dot.getDotDimensionNumbersAttr(),
      dot.getPrecisionConfigAttr(), dot.getAlgorithmAttr());
}

int32_t RingDots::choose(const DeviceRing &ring, Operation *collective,
                         double compute, double piece, Value passed,
                         bool mayHide) {
  std::optional<Transfer> whole = costs.transfer(collective);
  if (!whole || ring.size > kMostPieces)
    return 0;
  bool atOnce = (whole->lanes & ~Transfer::evenLanes) != 0;
  // A pass uses one direction of these lanes.
  double pass =
      costs.passSeconds(ring.groups, ring.size, bytesOf(passed.getType()));
  double one = ringSeconds(ring.size, piece, pass, false, atOnce),
         both = ringSeconds(ring.size, piece, pass, true, atOnce);
  int32_t directions = ring.size > 2 && both < one * kWorthwhile ? 2 : 1;
  if (options.directions != 0)
    directions = options.directions;
  if (options.force)
    return directions;
  if (mayHide || (directions == 2 ? both : one) >=
                     (compute + whole->seconds) * kWorthwhile)
    return 0;
  return directions;
}

std::optional<DeviceRing> RingDots::ringOf(stablehlo::AllGatherOp op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1 || op->use_empty())
    return std::nullopt;
  Type shard = op->getOperand(0).getType(), whole = op->getResult(0).getType();
  int64_t dim = op.getAllGatherDim();
  std::optional<DeviceRing> ring = DeviceRing::of(op, numReplicas);
  if (!ring || !isPlain(shard) || !isPlain(whole) ||
      dim >= int64_t(dimsOf(shard).size()))
    return std::nullopt;
  int64_t size = dimsOf(shard)[dim];
  if (dimsOf(whole)[dim] != size * ring->size || size == 0)
    return std::nullopt;
  return ring;
}

SmallVector<RingDots::Product, 2>
RingDots::matchProducts(stablehlo::AllGatherOp op) {
  SmallVector<Product, 2> products;
  for (OpOperand &use : op->getResult(0).getUses()) {
    if (use.getOwner()->getBlock() != op->getBlock())
      return {};
    PieceChain chain = PieceChain::from(use, op.getAllGatherDim());
    unsigned operand = chain.getEnd()->getOperandNumber();
    auto dot = dyn_cast<stablehlo::DotGeneralOp>(chain.getEnd()->getOwner());
    if (!dot || dot.getLhs() == dot.getRhs() || !isPlain(dot.getType()) ||
        !isPlain(dot->getOperand(operand).getType()) ||
        !isPlain(dot->getOperand(1 - operand).getType()) ||
        llvm::any_of(products,
                     [&](const Product &other) { return other.dot == dot; }))
      return {};
    DimRole role = roleOf(dot, operand == 0, chain.endDim());
    products.push_back({std::move(chain), dot, operand == 0, role, {}, {}, {}});
  }
  llvm::sort(products, [](const Product &a, const Product &b) {
    return a.dot->isBeforeInBlock(b.dot);
  });
  return products;
}

std::optional<RingDots::Seconds>
RingDots::priceProducts(stablehlo::AllGatherOp op, const DeviceRing &ring,
                        MutableArrayRef<Product> products) {
  Value shard = op->getOperand(0);
  int64_t size = dimsOf(shard.getType())[op.getAllGatherDim()];
  Operation *first = products.front().dot;
  Seconds seconds;
  double n = double(ring.size);
  for (Product &product : products) {
    stablehlo::DotGeneralOp dot = product.dot;
    Value other = product.isLhs ? dot.getRhs() : dot.getLhs();
    Operation *from = other.getDefiningOp();
    if (from && from->getBlock() == op->getBlock() &&
        !from->isBeforeInBlock(first))
      return std::nullopt;
    if (!product.chain.isKnownBefore(first))
      return std::nullopt;
    auto type = cast<RankedTensorType>(dot.getType());
    // Each device would add its pieces in another order, so that replicas of
    // one value would differ.
    if (product.role.kind == DimRole::Contracting && !options.force &&
        !isa<IntegerType>(type.getElementType()))
      return std::nullopt;
    SmallVector<int64_t> shape(type.getShape());
    if (product.role.kind != DimRole::Contracting)
      shape[product.role.resultDim] = size;
    product.piece = product.sum = type.clone(ArrayRef<int64_t>(shape));
    // Accumulate in f32: narrow floats would round after each piece.
    if (auto narrow = dyn_cast<FloatType>(type.getElementType());
        narrow && narrow.getWidth() < 32 && !dot.getAlgorithmAttr() &&
        product.role.kind == DimRole::Contracting)
      product.sum = type.clone(Float32Type::get(op.getContext()));
    double chained = product.chain.seconds(costs);
    seconds.compute += costs.seconds(dot) + chained;
    // Each step reads the other operand or a part of it, writes its piece of
    // the result, and copies or adds the piece.
    bool readsPart = product.role.kind != DimRole::Free;
    double bytes = bytesOf(shard.getType()) +
                   bytesOf(other.getType()) * (readsPart ? 3 / n : 1) +
                   bytesOf(product.sum) * 3;
    seconds.piece += costs.contractionSeconds(dot, n, bytes) + chained / n;
  }
  return seconds;
}

void RingDots::multiplyPiece(OpBuilder &builder, const DeviceRing &ring,
                             MutableArrayRef<Product> products, Value piece,
                             int64_t shift, int64_t size) {
  Value start = rings.place(ring, shift, size);
  for (Product &product : products) {
    stablehlo::DotGeneralOp dot = product.dot;
    Location loc = dot.getLoc();
    Value other = product.isLhs ? dot.getRhs() : dot.getLhs();
    if (product.role.kind != DimRole::Free)
      other =
          rings.piece(builder, loc, other, product.role.otherDim, start, size);
    bool isSum = product.role.kind == DimRole::Contracting;
    Value own = product.chain.onPiece(builder, rings, piece, start, size);
    Value part =
        dotOf(builder, dot, product.isLhs ? own : other,
              product.isLhs ? other : own, isSum ? product.sum : product.piece);
    if (isSum) {
      product.result = product.result
                           ? stablehlo::AddOp::create(builder, loc, product.sum,
                                                      product.result, part)
                                 .getResult()
                           : part;
      continue;
    }
    SmallVector<Value> starts(product.piece.getRank(), rings.constant(0));
    starts[product.role.resultDim] = start;
    product.result = stablehlo::DynamicUpdateSliceOp::create(
        builder, loc, dot.getType(), product.result, part, starts);
  }
}

void RingDots::multiplyInRing(OpBuilder &builder, stablehlo::AllGatherOp op,
                              const DeviceRing &ring,
                              MutableArrayRef<Product> products,
                              int32_t directions) {
  Value shard = op->getOperand(0);
  int64_t size = dimsOf(shard.getType())[op.getAllGatherDim()];
  for (Product &product : products)
    if (product.role.kind != DimRole::Contracting) {
      auto type = cast<RankedTensorType>(product.dot.getType());
      product.result = stablehlo::ConstantOp::create(
          builder, product.dot.getLoc(), type, zeroOf(type));
    }
  int64_t forward = directions == 2 ? ring.size / 2 : ring.size - 1;
  int64_t backward = ring.size - 1 - forward;
  Value ahead = shard, behind = shard;
  for (int64_t i = 0; i <= forward; ++i) {
    Value nextAhead, nextBehind;
    if (i < forward)
      nextAhead = rings.pass(builder, op.getLoc(), ahead, ring, 1);
    if (i < backward)
      nextBehind = rings.pass(builder, op.getLoc(), behind, ring, -1);
    multiplyPiece(builder, ring, products, ahead, -i, size);
    if (i > 0 && i <= backward)
      multiplyPiece(builder, ring, products, behind, i, size);
    ahead = nextAhead;
    behind = nextBehind;
  }
}

bool RingDots::gather(stablehlo::AllGatherOp op) {
  std::optional<DeviceRing> ring = ringOf(op);
  if (!ring)
    return false;
  SmallVector<Product, 2> products = matchProducts(op);
  if (products.empty())
    return false;
  std::optional<Seconds> seconds = priceProducts(op, *ring, products);
  if (!seconds)
    return false;
  Value shard = op->getOperand(0);
  Operation *first = products.front().dot;
  // If the shard is available early enough, a plain gather can overlap with ops
  // before the dot.
  std::optional<Transfer> transfer = costs.transfer(op);
  bool mayHide = !options.force && transfer &&
                 secondsBetween(shard, first) >= transfer->seconds;
  int32_t directions =
      choose(*ring, op, seconds->compute, seconds->piece, shard, mayHide);
  if (directions == 0)
    return false;

  OpBuilder builder(first);
  multiplyInRing(builder, op, *ring, products, directions);
  for (Product &product : products)
    if (product.result.getType() != product.dot.getType())
      product.result = stablehlo::ConvertOp::create(
          builder, product.dot.getLoc(), product.dot.getType(), product.result);
  for (Product &product : products) {
    product.dot->replaceAllUsesWith(ValueRange(product.result));
    product.dot->erase();
    product.chain.eraseUnused();
  }
  op->erase();
  return true;
}

bool RingDots::scatter(stablehlo::ReduceScatterOp op) {
  std::optional<DeviceRing> ring = DeviceRing::of(op, numReplicas);
  if (op->getNumOperands() != 1 || !ring ||
      uniformReducer(op.getComputation()) != ReducerKind::Add)
    return false;
  // Apply the elementwise ops to each piece before it is added.
  auto chain = PieceChain::backTo<stablehlo::DotGeneralOp>(
      op->getOperand(0), op.getScatterDimension());
  if (!chain)
    return false;
  auto dot = chain->getStart().getDefiningOp<stablehlo::DotGeneralOp>();
  auto type = dyn_cast<RankedTensorType>(op.getType());
  int64_t dim = op.getScatterDimension();
  if (!type || !isPlain(type) || !isPlain(dot.getType()) ||
      !isPlain(dot.getLhs().getType()) || !isPlain(dot.getRhs().getType()) ||
      type.getElementType() !=
          getElementTypeOrSelf(op->getOperand(0).getType()) ||
      dim >= type.getRank())
    return false;
  int64_t size = type.getDimSize(dim);
  if (size == 0 ||
      dimsOf(op->getOperand(0).getType())[dim] != size * ring->size)
    return false;
  dim = chain->startDim();
  SmallVector<int64_t> shape(dimsOf(dot.getType()));
  shape[dim] = size;
  auto pieceType =
      cast<RankedTensorType>(dot.getType()).clone(ArrayRef<int64_t>(shape));
  // The dimensions of the operands that correspond to the scattered dimension.
  int64_t lhsDim = -1, rhsDim = -1;
  for (bool isLhs : {true, false}) {
    Value operand = isLhs ? dot.getLhs() : dot.getRhs();
    for (int64_t d = 0; d < int64_t(dimsOf(operand.getType()).size()); ++d) {
      DimRole role = roleOf(dot, isLhs, d);
      if (role.kind != DimRole::Contracting && role.resultDim == dim)
        (isLhs ? lhsDim : rhsDim) = d;
    }
  }
  double n = double(ring->size);
  double bytes = bytesOf(dot.getLhs().getType()) * (lhsDim >= 0 ? 3 / n : 1) +
                 bytesOf(dot.getRhs().getType()) * (rhsDim >= 0 ? 3 / n : 1) +
                 bytesOf(type) * 4;
  double piece = costs.contractionSeconds(dot, n, bytes);
  double chained = chain->seconds(costs);
  int32_t directions =
      choose(*ring, op, costs.seconds(dot) + chained, piece + chained / n,
             op->getResult(0), /*mayHide=*/false);
  if (directions == 0)
    return false;

  OpBuilder builder(op);
  Location loc = dot.getLoc();
  auto partial = [&](int64_t shift) -> Value {
    Value start = rings.place(*ring, shift, size);
    Value lhs = dot.getLhs(), rhs = dot.getRhs();
    if (lhsDim >= 0)
      lhs = rings.piece(builder, loc, lhs, lhsDim, start, size);
    if (rhsDim >= 0)
      rhs = rings.piece(builder, loc, rhs, rhsDim, start, size);
    return chain->onPiece(
        builder, rings, dotOf(builder, dot, lhs, rhs, pieceType), start, size);
  };
  auto add = [&](Value a, Value b) -> Value {
    return stablehlo::AddOp::create(builder, op.getLoc(), type, a, b);
  };
  // Two accumulators travel ahead and behind; each device adds its piece to
  // both on their way to their owners.
  int64_t forward = directions == 2 ? ring->size / 2 : ring->size - 1;
  int64_t backward = ring->size - 1 - forward;
  Value ahead = partial(forward), behind;
  if (backward > 0)
    behind = partial(-backward);
  for (int64_t i = 1; i <= forward; ++i) {
    Value came = rings.pass(builder, op.getLoc(), ahead, *ring, 1);
    Value cameBack;
    if (i <= backward)
      cameBack = rings.pass(builder, op.getLoc(), behind, *ring, -1);
    Value own = partial(forward - i);
    if (i < backward)
      behind = add(cameBack, partial(i - backward));
    else if (i == backward)
      behind = cameBack;
    ahead = add(came, own);
  }
  if (backward > 0)
    ahead = add(ahead, behind);
  op->replaceAllUsesWith(ValueRange(ahead));
  op->erase();
  chain->eraseUnused();
  dot->erase();
  return true;
}

int64_t RingDots::run() {
  SmallVector<Operation *> collectives;
  func.walk([&](Operation *op) {
    if (isa<stablehlo::AllGatherOp, stablehlo::ReduceScatterOp>(op) &&
        !isa<stablehlo::AsyncStartOp>(op->getParentOp()))
      collectives.push_back(op);
  });
  int64_t made = 0;
  for (Operation *op : collectives) {
    if (auto all = dyn_cast<stablehlo::AllGatherOp>(op))
      made += gather(all);
    else
      made += scatter(cast<stablehlo::ReduceScatterOp>(op));
  }
  return made;
}

} // namespace

int64_t makeRingDots(ModuleOp local, const OverlapOptions &options) {
  int64_t replicas = 1, made = 0;
  if (auto attr = local->getAttrOfType<IntegerAttr>("mhlo.num_replicas"))
    replicas = attr.getInt();
  int64_t nextChannel = stablehlo::UsedChannels(local).firstUnused();
  for (auto func : local.getOps<func::FuncOp>())
    if (llvm::hasSingleElement(func.getBody()))
      made += RingDots(func, options, replicas, nextChannel).run();
  return made;
}

} // namespace shardwright
