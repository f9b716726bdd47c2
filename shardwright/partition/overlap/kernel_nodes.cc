//===- kernel_nodes.cc - the ops of a block as nodes ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/kernel_nodes.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/overlap/op_cost.h"
#include "shardwright/partition/overlap/scratch_memory.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/rule_interface.h"
#include "shardwright/support/dot_strides.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardwright {
namespace {

using Kind = KernelNode::Kind;

/// A concatenation of more operands is written piece by piece.
constexpr unsigned kMostConcatenated = 3;

int64_t countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(count, size, count))
      return INT64_MAX;
  return count;
}

/// True if elements depend on the same elements of the operands, or on scalars.
bool isPointwise(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         isElementwise(op) &&
         getPartitionTraits(op).fusion == Fusion::WithUsers;
}

/// Additions that take about as long as one element of the result.
int32_t costOf(Operation *op) {
  if (isa<stablehlo::GatherOp>(op))
    return 4;
  if (!isPointwise(op))
    return 0;
  Type element = elementTypeOf(op->getResult(0).getType());
  if (isa<stablehlo::DivOp, stablehlo::RemOp>(op) && element.isInteger())
    return 30;
  int32_t operations = getPartitionTraits(op).operations;
  // Complex functions are calls.
  if (isa<ComplexType>(element) && operations > 1)
    return 300;
  return operations < 4 ? operations : operations * 8 / 5;
}

bool isRunningSum(stablehlo::ReduceWindowOp op) {
  ArrayRef<int64_t> in = dimsOf(op->getOperand(0).getType()),
                    out = dimsOf(op->getResult(0).getType());
  if (in != out)
    return false;
  bool isLong = false;
  for (auto [window, size] : llvm::zip_equal(op.getWindowDimensions(), in))
    isLong |= window > 1 && window >= size;
  return isLong;
}

/// True for an array of constants with different elements.
bool isConstantArray(Operation *op) {
  if (!op->hasTrait<OpTrait::ConstantLike>())
    return false;
  auto elements = op->getAttrOfType<ElementsAttr>("value");
  return elements && !elements.isSplat();
}

Kind kindOf(Operation *op) {
  if (op->getNumOperands() == 0 && op->hasTrait<OpTrait::ConstantLike>())
    return isConstantArray(op) ? Kind::External : Kind::Leaf;
  if (isPointwise(op))
    return Kind::Pointwise;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case([](stablehlo::IotaOp) { return Kind::Leaf; })
      .Case([](stablehlo::BroadcastInDimOp op) {
        // One that only adds dimensions of size 1 is a reshape.
        bool isReshape = countElements(dimsOf(op.getOperand().getType())) ==
                             countElements(dimsOf(op.getType())) &&
                         llvm::is_sorted(op.getBroadcastDimensions());
        return isReshape ? Kind::Reshape : Kind::Broadcast;
      })
      .Case([](stablehlo::ReshapeOp) { return Kind::Reshape; })
      .Case([](stablehlo::TransposeOp) { return Kind::Transpose; })
      .Case([](stablehlo::SliceOp) { return Kind::Slice; })
      .Case([](stablehlo::ReverseOp) { return Kind::Reverse; })
      .Case([](stablehlo::PadOp) { return Kind::Pad; })
      .Case([](stablehlo::ConcatenateOp op) {
        return op->getNumOperands() > kMostConcatenated ? Kind::Piece
                                                        : Kind::Concat;
      })
      .Case([](stablehlo::BitcastConvertOp op) {
        return dimsOf(op->getOperand(0).getType()) == dimsOf(op.getType())
                   ? Kind::Reshape
                   : Kind::Bitcast;
      })
      .Case([](stablehlo::DynamicSliceOp) { return Kind::DynamicSlice; })
      .Case([](stablehlo::GatherOp) { return Kind::Gather; })
      .Case([](stablehlo::ReduceOp) { return Kind::Reduce; })
      .Case([](stablehlo::ReduceWindowOp op) {
        return isRunningSum(op) ? Kind::RunningSum : Kind::Window;
      })
      .Case([](stablehlo::DynamicUpdateSliceOp) { return Kind::Update; })
      .Case([](stablehlo::ScatterOp) { return Kind::Scatter; })
      .Case([](stablehlo::SortOp) { return Kind::Sort; })
      .Case([](stablehlo::AsyncDoneOp) { return Kind::View; })
      .Default([](Operation *) { return Kind::Alone; });
}

class Reader {
public:
  explicit Reader(Block &block) : block(block) {}
  KernelNodes run();

private:
  int32_t operand(Value value);
  int32_t add(Kind kind, Operation *op, Value value);
  void read(Operation &op);
  void readCaptured(Operation &op, KernelNode &node);
  void readDot(stablehlo::DotGeneralOp op, KernelNode &node);
  void readPieces(Operation &op);
  bool isCheap(const KernelNode &node) const;

  Block &block;
  KernelNodes result;
  llvm::DenseMap<Value, int32_t> ids;
  /// Transposes that a matrix product has stored directly.
  llvm::DenseSet<Operation *> done;
};

int32_t Reader::add(Kind kind, Operation *op, Value value) {
  KernelNode node;
  node.kind = kind;
  node.op = op;
  node.value = value;
  if (value) {
    node.shape = dimsOf(value.getType());
    node.elements = countElements(node.shape);
    ids[value] = int32_t(result.nodes.size());
  }
  result.nodes.push_back(std::move(node));
  return int32_t(result.nodes.size()) - 1;
}

int32_t Reader::operand(Value value) {
  auto it = ids.find(value);
  if (it != ids.end())
    return it->second;
  // From outside. Splats and iotas are made again.
  Operation *def = value.getDefiningOp();
  bool isLeaf = def && kindOf(def) == Kind::Leaf;
  int32_t id = add(isLeaf ? Kind::Leaf : Kind::External, nullptr, value);
  result.nodes[id].isCheap = isLeaf;
  return id;
}

/// A few cheap operations on splats and iotas, such as masks, and movement.
bool Reader::isCheap(const KernelNode &node) const {
  switch (node.kind) {
  case Kind::Leaf:
  case Kind::Broadcast:
  case Kind::Reshape:
  case Kind::Slice:
  case Kind::Transpose:
  case Kind::Reverse:
    return true;
  case Kind::Pointwise:
    break;
  default:
    return false;
  }
  constexpr int32_t mostCost = 6;
  constexpr size_t mostNodes = 12;
  SmallVector<const KernelNode *, 12> stack{&node};
  llvm::SmallPtrSet<const KernelNode *, 12> seen;
  int32_t cost = 0;
  while (!stack.empty()) {
    const KernelNode *at = stack.pop_back_val();
    if (!seen.insert(at).second)
      continue;
    cost += at->cost;
    if (cost > mostCost || seen.size() > mostNodes)
      return false;
    if (at->kind == Kind::Leaf)
      continue;
    if (at->kind != Kind::Broadcast && at->kind != Kind::Reshape &&
        at->kind != Kind::Pointwise)
      return false;
    for (int32_t o : at->operands)
      stack.push_back(&result.nodes[o]);
  }
  return true;
}

void Reader::readCaptured(Operation &op, KernelNode &node) {
  llvm::SetVector<Value> captured;
  op.walk([&](Operation *inner) {
    if (inner == &op)
      return;
    for (Value value : inner->getOperands())
      if (!op.isAncestor(value.getParentRegion()->getParentOp()))
        captured.insert(value);
  });
  for (Value value : captured) {
    Operation *def = value.getDefiningOp();
    if (def &&
        (def->hasTrait<OpTrait::ConstantLike>() || isa<stablehlo::IotaOp>(def)))
      continue;
    node.operands.push_back(operand(value));
  }
}

/// Transposes of operands and of the result that strides can express take no
/// memory; operands whose order no strides can express are copied.
void Reader::readDot(stablehlo::DotGeneralOp op, KernelNode &node) {
  stablehlo::DotDimensionNumbersAttr d = op.getDotDimensionNumbers();
  DotDims dims{DotList(d.getLhsBatchingDimensions()),
               DotList(d.getRhsBatchingDimensions()),
               DotList(d.getLhsContractingDimensions()),
               DotList(d.getRhsContractingDimensions())};
  bool isComplex = isa<ComplexType>(op.getType().getElementType());
  for (int side : {0, 1}) {
    int32_t &id = node.operands[side];
    const KernelNode &from = result.nodes[id];
    if (from.elements == INT64_MAX)
      return;
    Type type = op->getOperand(side).getType();
    if (isComplex && !isa<ComplexType>(getElementTypeOrSelf(type)))
      node.scratchBytes += int64_t(bytesOf(op.getType()) /
                                   double(countElements(dimsOf(op.getType()))) *
                                   double(from.elements));
    auto transpose =
        from.op ? dyn_cast<stablehlo::TransposeOp>(from.op) : nullptr;
    if (transpose &&
        dotOperandFits(from.shape, transpose.getPermutation(), dims, side == 0))
      id = from.operands[0];
    else if (!dotOperandFits(from.shape, {}, dims, side == 0))
      node.scratchBytes += int64_t(bytesOf(type));
  }
  if (!op->hasOneUse())
    return;
  auto transpose = dyn_cast<stablehlo::TransposeOp>(*op->user_begin());
  if (!transpose || transpose->getBlock() != &block ||
      !dotResultFits(dimsOf(op.getType()), transpose.getPermutation(),
                     dimsOf(op.getLhs().getType()),
                     dimsOf(op.getRhs().getType()), dims))
    return;
  done.insert(transpose);
  node.value = transpose.getResult();
}

/// Each piece is written into the result by a step of its own.
void Reader::readPieces(Operation &op) {
  int32_t before = -1;
  SmallVector<int32_t> operands;
  for (Value value : op.getOperands())
    operands.push_back(operand(value));
  for (int32_t from : operands) {
    if (result.nodes[from].elements == 0)
      continue;
    int32_t id = add(Kind::Piece, &op, op.getResult(0));
    KernelNode &node = result.nodes[id];
    node.operands = {before, from};
    node.shape = result.nodes[from].shape;
    node.elements = result.nodes[from].elements;
    before = id;
  }
}

void Reader::read(Operation &op) {
  if (done.contains(&op))
    return;
  Kind kind = kindOf(&op);
  if (kind == Kind::Piece)
    return readPieces(op);
  SmallVector<int32_t, 3> operands;
  for (Value value : op.getOperands())
    operands.push_back(operand(value));
  KernelNode node;
  node.kind = kind;
  node.op = &op;
  node.operands = std::move(operands);
  if (op.getNumResults() > 0)
    node.value = op.getResult(0);
  node.cost = costOf(&op);
  if (isControlFlow(&op))
    readCaptured(op, node);
  node.isOrdered =
      kind == Kind::Alone &&
      (isControlFlow(&op) || isCollective(&op) || !isMemoryEffectFree(&op));
  if (kind == Kind::Alone)
    node.scratchBytes = scratchBytes(&op);
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op))
    readDot(dot, node);
  if (node.value) {
    node.shape = dimsOf(node.value.getType());
    node.elements = countElements(node.shape);
  }
  node.isCheap = isCheap(node);
  int32_t id = int32_t(result.nodes.size());
  if (node.value)
    ids[node.value] = id;
  if (op.getNumResults() > 0)
    ids[op.getResult(0)] = id;
  result.nodes.push_back(std::move(node));
  for (Value other : op.getResults().drop_front(op.getNumResults() > 0)) {
    int32_t further = add(Kind::Result, &op, other);
    result.nodes[further].operands = {id};
  }
}

KernelNodes Reader::run() {
  size_t most = block.getNumArguments() + block.getOperations().size();
  result.nodes.reserve(most);
  ids.reserve(unsigned(most));
  for (BlockArgument argument : block.getArguments())
    add(Kind::External, nullptr, argument);
  for (Operation &op : block.without_terminator())
    read(op);
  for (Value value : block.getTerminator()->getOperands())
    result.returned.push_back(operand(value));
  return std::move(result);
}

} // namespace

KernelNodes readKernelNodes(Block &block) { return Reader(block).run(); }

bool isViewNode(const KernelNodes &graph, int32_t id) {
  const KernelNode &node = graph.nodes[id];
  if (node.kind == Kind::Reshape || node.kind == Kind::View)
    return true;
  if (node.kind != Kind::Slice)
    return false;
  auto slice = cast<stablehlo::SliceOp>(node.op);
  ArrayRef<int64_t> from = dimsOf(slice.getOperand().getType());
  // Contiguous: whole inner dimensions, and outer ones of size 1.
  bool isWhole = true;
  for (size_t d = node.shape.size(); d-- > 0;) {
    if (node.shape[d] != 1 && (!isWhole || slice.getStrides()[d] != 1))
      return false;
    isWhole &= node.shape[d] == from[d];
  }
  return true;
}

static size_t innermost(ArrayRef<int64_t> shape) {
  size_t d = shape.size() - 1;
  while (d > 0 && shape[d] == 1)
    --d;
  return d;
}

bool changesInnermost(const KernelNodes &graph, int32_t id) {
  const KernelNode &node = graph.nodes[id];
  if (node.shape.empty() || !node.op || node.op->getNumOperands() == 0)
    return false;
  size_t d = innermost(node.shape);
  if (auto transpose = dyn_cast<stablehlo::TransposeOp>(node.op))
    return size_t(transpose.getPermutation()[d]) !=
           innermost(dimsOf(transpose.getOperand().getType()));
  if (auto slice = dyn_cast<stablehlo::SliceOp>(node.op))
    return slice.getStrides()[d] != 1;
  if (auto gather = dyn_cast<stablehlo::GatherOp>(node.op)) {
    ArrayRef<int64_t> dims = gather.getDimensionNumbers().getOffsetDims();
    return dims.empty() || size_t(dims.back()) != d;
  }
  return false;
}

ArrayRef<int64_t> reducedDimensions(const KernelNode &reduce) {
  return cast<stablehlo::ReduceOp>(reduce.op).getDimensions();
}

bool reducesLast(const KernelNodes &graph, const KernelNode &reduce) {
  ArrayRef<int64_t> from = dimsOf(reduce.op->getOperand(0).getType());
  bool isSeen = false;
  for (auto [d, size] : llvm::enumerate(from)) {
    if (size == 1)
      continue;
    bool isReduced = llvm::is_contained(reducedDimensions(reduce), int64_t(d));
    if (isSeen && !isReduced)
      return false;
    isSeen |= isReduced;
  }
  return true;
}

bool reducesInnermost(const KernelNodes &graph, const KernelNode &reduce) {
  ArrayRef<int64_t> from = dimsOf(reduce.op->getOperand(0).getType());
  for (size_t d = from.size(); d-- > 0;)
    if (from[d] != 1)
      return llvm::is_contained(reducedDimensions(reduce), int64_t(d));
  return true;
}

} // namespace shardwright
