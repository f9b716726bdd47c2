//===- block_graph.cc - the operations of one block as a graph ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/block_graph.h"

#include "shardwright/cpu/dot_layout.h"
#include "shardwright/cpu/op_emitter.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwright::cpu {

namespace hlo = shardwright::stablehlo;

/// With more, testing at every element which operand it comes from is dear.
static constexpr size_t maxConcatOperands = 3;

//===----------------------------------------------------------------------===//
// Locations and types
//===----------------------------------------------------------------------===//

static FileLineColLoc sourceLocation(Location location) {
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return file;
  if (auto named = dyn_cast<NameLoc>(location))
    return sourceLocation(named.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return sourceLocation(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (FileLineColLoc found = sourceLocation(part))
        return found;
  return nullptr;
}

int32_t LocationTable::add(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  if (FileLineColLoc at = sourceLocation(op->getLoc()))
    text += " at " + at.getFilename().str() + ":" + std::to_string(at.getLine()) +
            ":" + std::to_string(at.getColumn());
  auto [it, inserted] = ids.try_emplace(text, static_cast<int32_t>(texts.size()));
  if (inserted)
    texts.push_back(text);
  return it->second;
}

LogicalResult readType(Operation *op, Type type, ElementType &element,
                       Shape &shape) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return op->emitError() << "type " << type
                           << " is not supported by the cpu backend yet";
  if (!tensor.hasStaticShape())
    return op->emitError() << "shape of " << type
                           << " is not static, which the cpu backend needs";
  std::optional<ElementType> known = elementTypeFromMLIR(tensor.getElementType());
  if (!known)
    return op->emitError() << "element type " << tensor.getElementType()
                           << " is not supported by the cpu backend yet";
  element = *known;
  shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  // Offsets are 64-bit, and so must sizes in bytes be.
  int64_t bytes = byteWidth(element);
  for (int64_t s : shape)
    if (llvm::MulOverflow(bytes, s, bytes))
      return op->emitError() << "array " << type << " is too large";
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static void putElement(std::vector<char> &bytes, const APInt &bits, int64_t width) {
  uint64_t v = bits.getZExtValue();
  const char *p = reinterpret_cast<const char *>(&v);
  bytes.insert(bytes.end(), p, p + width);
}

FailureOr<std::vector<char>> constantBytes(Attribute value, ElementType type,
                                           int64_t elements) {
  std::vector<char> bytes;
  int64_t width = byteWidth(type);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || static_cast<int64_t>(blob->getData().size()) != elements * width)
      return failure();
    bytes.assign(blob->getData().begin(), blob->getData().end());
    return bytes;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || dense.getNumElements() != elements)
    return failure();
  bytes.reserve(elements * width);
  Type element = dense.getElementType();
  if (isComplex(type)) {
    for (std::complex<APFloat> c : dense.getValues<std::complex<APFloat>>()) {
      putElement(bytes, c.real().bitcastToAPInt(), width / 2);
      putElement(bytes, c.imag().bitcastToAPInt(), width / 2);
    }
  } else if (isa<FloatType>(element)) {
    for (APFloat f : dense.getValues<APFloat>())
      putElement(bytes, f.bitcastToAPInt(), width);
  } else if (isa<IntegerType>(element)) {
    bool isSigned = isSignedInteger(type);
    for (APInt i : dense.getValues<APInt>())
      putElement(bytes, isSigned ? i.sextOrTrunc(64) : i.zextOrTrunc(64), width);
  } else {
    return failure();
  }
  return bytes;
}

/// The bits of a splat constant of a type that kernels hold.
static std::optional<uint64_t> splatBits(Attribute value, ElementType type,
                                         int64_t elements) {
  if (!isKernelType(type))
    return std::nullopt;
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (!dense.isSplat() && elements != 1)
      return std::nullopt;
    if (isFloat(type))
      return (*dense.getValues<APFloat>().begin()).bitcastToAPInt().getZExtValue();
    APInt i = *dense.getValues<APInt>().begin();
    return isSignedInteger(type) ? i.sextOrTrunc(64).getZExtValue()
                                 : i.getZExtValue();
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

static std::optional<Op> elementwiseOp(StringRef name) {
  return llvm::StringSwitch<std::optional<Op>>(name)
      .Case("stablehlo.abs", Op::Abs)
      .Case("stablehlo.negate", Op::Negate)
      .Case("stablehlo.not", Op::Not)
      .Case("stablehlo.sign", Op::Sign)
      .Case("stablehlo.ceil", Op::Ceil)
      .Case("stablehlo.floor", Op::Floor)
      .Case("stablehlo.round_nearest_afz", Op::RoundAfz)
      .Case("stablehlo.round_nearest_even", Op::RoundEven)
      .Case("stablehlo.count_leading_zeros", Op::Clz)
      .Case("stablehlo.popcnt", Op::Popcnt)
      .Case("stablehlo.cbrt", Op::Cbrt)
      .Case("stablehlo.cosine", Op::Cosine)
      .Case("stablehlo.exponential", Op::Exp)
      .Case("stablehlo.exponential_minus_one", Op::Expm1)
      .Case("stablehlo.log", Op::Log)
      .Case("stablehlo.log_plus_one", Op::Log1p)
      .Case("stablehlo.logistic", Op::Logistic)
      .Case("stablehlo.rsqrt", Op::Rsqrt)
      .Case("stablehlo.sine", Op::Sine)
      .Case("stablehlo.sqrt", Op::Sqrt)
      .Case("stablehlo.tan", Op::Tan)
      .Case("stablehlo.tanh", Op::Tanh)
      .Case("stablehlo.is_finite", Op::IsFinite)
      .Case("stablehlo.convert", Op::Convert)
      .Case("stablehlo.reduce_precision", Op::ReducePrecision)
      .Case("stablehlo.add", Op::Add)
      .Case("stablehlo.multiply", Op::Multiply)
      .Case("stablehlo.subtract", Op::Subtract)
      .Case("stablehlo.divide", Op::Divide)
      .Case("stablehlo.remainder", Op::Remainder)
      .Case("stablehlo.power", Op::Power)
      .Case("stablehlo.maximum", Op::Maximum)
      .Case("stablehlo.minimum", Op::Minimum)
      .Case("stablehlo.and", Op::And)
      .Case("stablehlo.or", Op::Or)
      .Case("stablehlo.xor", Op::Xor)
      .Case("stablehlo.shift_left", Op::ShiftLeft)
      .Case("stablehlo.shift_right_arithmetic", Op::ShiftRightArithmetic)
      .Case("stablehlo.shift_right_logical", Op::ShiftRightLogical)
      .Case("stablehlo.atan2", Op::Atan2)
      .Case("stablehlo.compare", Op::Compare)
      .Case("stablehlo.select", Op::Select)
      .Case("stablehlo.clamp", Op::Clamp)
      .Default(std::nullopt);
}

static InFlightDiagnostic unsupported(Operation *op) {
  return op->emitError() << "op '" << op->getName().getStringRef()
                         << "' is not supported by the cpu backend yet";
}

/// Attributes of an elementwise operation.
static void readElementwise(Operation *op, Node &node) {
  if (auto compare = dyn_cast<hlo::CompareOp>(op)) {
    Direction direction = Direction::EQ;
    switch (compare.getComparisonDirection()) {
    case hlo::ComparisonDirection::EQ:
      direction = Direction::EQ;
      break;
    case hlo::ComparisonDirection::NE:
      direction = Direction::NE;
      break;
    case hlo::ComparisonDirection::GE:
      direction = Direction::GE;
      break;
    case hlo::ComparisonDirection::GT:
      direction = Direction::GT;
      break;
    case hlo::ComparisonDirection::LE:
      direction = Direction::LE;
      break;
    case hlo::ComparisonDirection::LT:
      direction = Direction::LT;
      break;
    }
    bool total = compare.getCompareType() == hlo::ComparisonType::TOTALORDER;
    node.attrs.push_back({static_cast<int64_t>(direction), total});
  } else if (auto reduced = dyn_cast<hlo::ReducePrecisionOp>(op)) {
    node.attrs.push_back({reduced.getExponentBits(), reduced.getMantissaBits()});
  }
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

FailureOr<std::shared_ptr<const Body>> readBody(Region &region) {
  Block &block = region.front();
  auto body = std::make_shared<Body>();
  llvm::DenseMap<Value, int32_t> ids;
  auto makeNode = [&](Operation *at, Type type, Op op) -> FailureOr<Node> {
    Node node;
    node.op = op;
    if (failed(readType(at, type, node.type, node.shape)))
      return failure();
    if (!node.shape.empty() || !isKernelType(node.type))
      return at->emitError() << "type " << type
                             << " in a scalar region is not supported by the cpu "
                                "backend yet";
    return node;
  };
  auto append = [&](Node node) {
    body->nodes.push_back(std::move(node));
    return static_cast<int32_t>(body->nodes.size()) - 1;
  };
  for (auto [i, arg] : llvm::enumerate(block.getArguments())) {
    FailureOr<Node> node = makeNode(region.getParentOp(), arg.getType(), Op::Param);
    if (failed(node))
      return failure();
    node->bits = i;
    ids[arg] = append(*node);
  }
  auto readConstant = [&](Operation *op) -> LogicalResult {
    auto constant = cast<hlo::ConstantOp>(op);
    FailureOr<Node> node = makeNode(op, constant.getType(), Op::Constant);
    if (failed(node))
      return failure();
    std::optional<uint64_t> bits = splatBits(constant.getValue(), node->type, 1);
    if (!bits)
      return op->emitError("this constant cannot be read");
    node->bits = *bits;
    ids[constant.getResult()] = append(*node);
    return success();
  };
  auto operandId = [&](Operation *user, Value value) -> FailureOr<int32_t> {
    auto it = ids.find(value);
    if (it != ids.end())
      return it->second;
    if (auto constant = value.getDefiningOp<hlo::ConstantOp>()) {
      if (failed(readConstant(constant)))
        return failure();
      return ids[value];
    }
    return user->emitError("values from outside a scalar region are not "
                           "supported by the cpu backend yet");
  };
  for (Operation &op : block) {
    if (isa<hlo::ReturnOp>(op)) {
      for (Value v : op.getOperands()) {
        FailureOr<int32_t> id = operandId(&op, v);
        if (failed(id))
          return failure();
        body->results.push_back(*id);
      }
      continue;
    }
    if (isa<hlo::ConstantOp>(op)) {
      if (failed(readConstant(&op)))
        return failure();
      continue;
    }
    if (isa<hlo::ReshapeOp, hlo::BroadcastInDimOp>(op)) {
      FailureOr<int32_t> id = operandId(&op, op.getOperand(0));
      if (failed(id))
        return failure();
      ids[op.getResult(0)] = *id;
      continue;
    }
    std::optional<Op> kind = elementwiseOp(op.getName().getStringRef());
    if (!kind || op.getNumResults() != 1)
      return unsupported(&op);
    FailureOr<Node> node = makeNode(&op, op.getResult(0).getType(), *kind);
    if (failed(node))
      return failure();
    for (Value v : op.getOperands()) {
      FailureOr<int32_t> id = operandId(&op, v);
      if (failed(id))
        return failure();
      node->operands.push_back(*id);
    }
    readElementwise(&op, *node);
    ids[op.getResult(0)] = append(*node);
  }
  if (body->results.empty())
    return region.getParentOp()->emitError("a region returns nothing");
  return std::shared_ptr<const Body>(body);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

namespace {

class Reader {
public:
  Reader(Block &block, LocationTable &locations)
      : block(block), locations(locations) {}
  FailureOr<BlockGraph> run();

private:
  LogicalResult read(Operation &op);
  LogicalResult readMovement(Operation &op);
  LogicalResult readPieces(Operation &op, const Node &concat, int64_t dim);
  LogicalResult readReduce(hlo::ReduceOp op);
  LogicalResult readWindow(hlo::ReduceWindowOp op);
  LogicalResult readScatter(hlo::ScatterOp op);
  LogicalResult readSort(hlo::SortOp op);
  LogicalResult readDot(hlo::DotGeneralOp op);
  LogicalResult readOpaque(Operation &op, bool ordered);
  FailureOr<int32_t> operand(Operation *user, Value value);
  FailureOr<int32_t> external(Operation *user, Value value);
  LogicalResult operands(Operation &op, Node &node);
  FailureOr<Node> start(Operation *op, Type type, Op kind);
  int32_t add(Node node);
  int32_t addUnique(Node node, int32_t producer);
  void results(Operation &op, int32_t first);

  Block &block;
  LocationTable &locations;
  BlockGraph result;
  llvm::DenseMap<Value, int32_t> ids;
  std::map<std::string, int32_t> known;
  llvm::DenseSet<Operation *> done;
};

Shape list(ArrayRef<int64_t> values) { return Shape(values); }

/// What the code below relies on, for gather (`windows` is the result) and for
/// scatter (the updates). Verifiers check more, with better messages.
bool windowDimsFit(const Node &operand, const Node &starts, const Node &windows,
                   ArrayRef<int64_t> windowDims, ArrayRef<int64_t> collapsed,
                   ArrayRef<int64_t> batching, ArrayRef<int64_t> startsBatching,
                   ArrayRef<int64_t> startMap, int64_t vectorDim) {
  auto within = [](ArrayRef<int64_t> dims, size_t rank) {
    return llvm::all_of(dims, [&](int64_t d) {
      return d >= 0 && d < static_cast<int64_t>(rank);
    });
  };
  size_t rank = operand.shape.size(), startsRank = starts.shape.size();
  if (vectorDim < 0 || vectorDim > static_cast<int64_t>(startsRank))
    return false;
  bool implicit = vectorDim == static_cast<int64_t>(startsRank);
  int64_t components = implicit ? 1 : starts.shape[vectorDim];
  return within(windowDims, windows.shape.size()) && within(collapsed, rank) &&
         within(batching, rank) && within(startsBatching, startsRank) &&
         within(startMap, rank) && batching.size() == startsBatching.size() &&
         windowDims.size() + collapsed.size() + batching.size() == rank &&
         static_cast<int64_t>(startMap.size()) == components &&
         windows.shape.size() - windowDims.size() == startsRank - (implicit ? 0 : 1);
}

} // namespace

/// What tells nodes apart.
static std::string nodeKey(const Node &node) {
  Cluster one;
  one.graph.add(node);
  return serialize(one);
}

int32_t Reader::addUnique(Node node, int32_t producer) {
  result.producer.push_back(producer);
  return result.graph.add(std::move(node));
}

int32_t Reader::add(Node node) {
  auto [it, inserted] = known.try_emplace(nodeKey(node), 0);
  if (inserted)
    it->second = addUnique(std::move(node), -1);
  return it->second;
}

FailureOr<Node> Reader::start(Operation *op, Type type, Op kind) {
  Node node;
  node.op = kind;
  if (failed(readType(op, type, node.type, node.shape)))
    return failure();
  if (kind != Op::Extern && !isKernelType(node.type))
    return op->emitError() << "element type '" << str(node.type) << "' of '"
                           << op->getName().getStringRef()
                           << "' is not supported by the cpu backend yet";
  node.location = locations.add(op);
  return node;
}

FailureOr<int32_t> Reader::external(Operation *user, Value value) {
  FailureOr<Node> node = start(user, value.getType(), Op::Extern);
  if (failed(node))
    return failure();
  int32_t id = addUnique(*node, -1);
  result.external[id] = value;
  ids[value] = id;
  return id;
}

FailureOr<int32_t> Reader::operand(Operation *user, Value value) {
  auto it = ids.find(value);
  if (it != ids.end())
    return it->second;
  // From outside the block. What is constant everywhere is repeated here.
  if (Operation *def = value.getDefiningOp())
    if (isa<hlo::ConstantOp, hlo::IotaOp>(def) && def->getBlock() != &block) {
      if (failed(read(*def)))
        return failure();
      return ids[value];
    }
  return external(user, value);
}

LogicalResult Reader::operands(Operation &op, Node &node) {
  for (Value v : op.getOperands()) {
    FailureOr<int32_t> id = operand(&op, v);
    if (failed(id))
      return failure();
    if (*id < 0 || (!isKernelType(result.graph[*id].type)))
      return op.emitError() << "operand type " << v.getType() << " of '"
                            << op.getName().getStringRef()
                            << "' is not supported by the cpu backend yet";
    node.operands.push_back(*id);
  }
  return success();
}

/// Results after the first are projections.
void Reader::results(Operation &op, int32_t first) {
  ids[op.getResult(0)] = first;
  for (unsigned i = 1; i < op.getNumResults(); ++i) {
    Node proj;
    proj.op = Op::Proj;
    (void)readType(&op, op.getResult(i).getType(), proj.type, proj.shape);
    proj.operands = {first};
    proj.attrs.push_back({static_cast<int64_t>(i)});
    proj.location = result.graph[first].location;
    ids[op.getResult(i)] = add(proj);
  }
}

LogicalResult Reader::readPieces(Operation &op, const Node &concat, int64_t dim) {
  Node buffer = concat;
  buffer.op = Op::Undef;
  buffer.operands.clear();
  buffer.attrs.clear();
  int32_t at = addUnique(buffer, -1);
  auto start = [&](int64_t value) {
    Node node;
    node.op = Op::Constant;
    node.type = ElementType::S64;
    node.bits = static_cast<uint64_t>(value);
    node.location = concat.location;
    return add(node);
  };
  int64_t begin = 0;
  for (int32_t piece : concat.operands) {
    int64_t size = result.graph[piece].shape[dim];
    Node update = concat;
    update.op = Op::UpdateSlice;
    update.attrs.clear();
    update.operands = {at, piece};
    for (size_t d = 0; d < concat.shape.size(); ++d)
      update.operands.push_back(start(static_cast<int64_t>(d) == dim ? begin : 0));
    begin += size;
    if (result.graph[piece].elements() != 0)
      at = addUnique(update, -1);
  }
  ids[op.getResult(0)] = at;
  return success();
}

LogicalResult Reader::readMovement(Operation &op) {
  FailureOr<Node> made = start(&op, op.getResult(0).getType(), Op::Broadcast);
  if (failed(made))
    return failure();
  Node &node = *made;
  if (failed(operands(op, node)))
    return failure();
  if (auto x = dyn_cast<hlo::BroadcastInDimOp>(op)) {
    node.attrs = {list(x.getBroadcastDimensions())};
    // A broadcast that only adds dimensions of size 1 in order is a reshape.
    const Node &from = result.graph[node.operands[0]];
    if (from.elements() == node.elements() &&
        llvm::is_sorted(x.getBroadcastDimensions())) {
      node.op = Op::Reshape;
      node.attrs.clear();
    }
  } else if (isa<hlo::ReshapeOp>(op)) {
    node.op = Op::Reshape;
  } else if (auto x = dyn_cast<hlo::TransposeOp>(op)) {
    node.op = Op::Transpose;
    node.attrs = {list(x.getPermutation())};
  } else if (auto x = dyn_cast<hlo::SliceOp>(op)) {
    node.op = Op::Slice;
    node.attrs = {list(x.getStartIndices()), list(x.getStrides())};
  } else if (auto x = dyn_cast<hlo::ReverseOp>(op)) {
    node.op = Op::Reverse;
    node.attrs = {list(x.getDimensions())};
  } else if (auto x = dyn_cast<hlo::PadOp>(op)) {
    node.op = Op::Pad;
    node.attrs = {list(x.getEdgePaddingLow()), list(x.getInteriorPadding())};
  } else if (auto x = dyn_cast<hlo::ConcatenateOp>(op)) {
    node.op = Op::Concat;
    node.attrs = {{static_cast<int64_t>(x.getDimension())}};
    // Of many operands: piece by piece into one buffer.
    if (node.operands.size() > maxConcatOperands)
      return readPieces(op, node, x.getDimension());
  } else if (isa<hlo::BitcastConvertOp>(op)) {
    node.op = Op::Bitcast;
    const Node &from = result.graph[node.operands[0]];
    if (from.type == ElementType::Pred || node.type == ElementType::Pred) {
      if (from.type != node.type)
        return op.emitError("bitcast_convert of i1 is not supported by the cpu "
                            "backend yet");
      node.op = Op::Reshape;
    }
  } else if (isa<hlo::DynamicSliceOp>(op)) {
    node.op = Op::DynamicSlice;
  } else if (isa<hlo::DynamicUpdateSliceOp>(op)) {
    node.op = Op::UpdateSlice;
  } else if (auto x = dyn_cast<hlo::GatherOp>(op)) {
    node.op = Op::Gather;
    hlo::GatherDimensionNumbersAttr d = x.getDimensionNumbers();
    node.attrs = {list(d.getOffsetDims()),
                  list(d.getCollapsedSliceDims()),
                  list(d.getOperandBatchingDims()),
                  list(d.getStartIndicesBatchingDims()),
                  list(d.getStartIndexMap()),
                  {d.getIndexVectorDim()},
                  list(x.getSliceSizes())};
    if (!windowDimsFit(result.graph[node.operands[0]], result.graph[node.operands[1]],
                       node, node.attrs[0], node.attrs[1], node.attrs[2],
                       node.attrs[3], node.attrs[4], d.getIndexVectorDim()) ||
        node.attrs[6].size() != result.graph[node.operands[0]].shape.size())
      return op.emitError("the dimension numbers do not fit the operands");
  } else {
    return unsupported(&op);
  }
  if (node.op == Op::Reshape &&
      result.graph[node.operands[0]].shape == node.shape) {
    ids[op.getResult(0)] = node.operands[0];
    return success();
  }
  ids[op.getResult(0)] = add(node);
  return success();
}

LogicalResult Reader::readReduce(hlo::ReduceOp op) {
  FailureOr<Node> node = start(op, op->getResult(0).getType(), Op::Reduce);
  if (failed(node) || failed(operands(*op, *node)))
    return failure();
  FailureOr<std::shared_ptr<const Body>> body = readBody(op.getBody());
  if (failed(body))
    return failure();
  node->body = *body;
  size_t n = op->getNumResults();
  if ((*body)->results.size() != n || node->operands.size() != 2 * n)
    return op.emitError("the region's arguments do not match the operands");
  for (size_t i = 0; i < n; ++i)
    if ((*body)->nodes[(*body)->results[i]].type != (*body)->nodes[i].type)
      return op.emitError("a reduction whose region changes the element type is "
                          "not supported by the cpu backend yet");
  Shape dims = list(op.getDimensions());
  llvm::sort(dims);
  node->attrs = {dims};
  results(*op, add(*node));
  return success();
}

static Shape orOnes(std::optional<ArrayRef<int64_t>> values, size_t rank) {
  return values ? Shape(*values) : Shape(rank, 1);
}

LogicalResult Reader::readWindow(hlo::ReduceWindowOp op) {
  if (op->getNumResults() != 1)
    return op.emitError("op 'stablehlo.reduce_window' with several operands is "
                        "not supported by the cpu backend yet");
  FailureOr<Node> node = start(op, op->getResult(0).getType(), Op::ReduceWindow);
  if (failed(node) || failed(operands(*op, *node)))
    return failure();
  FailureOr<std::shared_ptr<const Body>> body = readBody(op.getBody());
  if (failed(body))
    return failure();
  node->body = *body;
  if ((*body)->nodes[0].type != node->type)
    return op.emitError("a reduction whose region changes the element type is not "
                        "supported by the cpu backend yet");
  size_t rank = node->shape.size();
  Shape low(rank, 0);
  if (auto padding = op.getPadding()) {
    auto values = llvm::to_vector(padding->getValues<int64_t>());
    if (values.size() == 2 * rank)
      for (size_t d = 0; d < rank; ++d)
        low[d] = values[2 * d];
    else if (values.size() == 1)
      low.assign(rank, values[0]);
  }
  node->attrs = {list(op.getWindowDimensions()),
                 orOnes(op.getWindowStrides(), rank),
                 orOnes(op.getBaseDilations(), rank),
                 orOnes(op.getWindowDilations(), rank), low};
  ids[op->getResult(0)] = add(*node);
  return success();
}

LogicalResult Reader::readScatter(hlo::ScatterOp op) {
  FailureOr<Node> node = start(op, op->getResult(0).getType(), Op::Scatter);
  if (failed(node) || failed(operands(*op, *node)))
    return failure();
  FailureOr<std::shared_ptr<const Body>> body = readBody(op.getUpdateComputation());
  if (failed(body))
    return failure();
  size_t n = op->getNumResults();
  if ((*body)->results.size() != n || node->operands.size() != 2 * n + 1)
    return op.emitError("the region's arguments do not match the operands");
  node->body = *body;
  hlo::ScatterDimensionNumbersAttr d = op.getScatterDimensionNumbers();
  node->attrs = {list(d.getUpdateWindowDims()),
                 list(d.getInsertedWindowDims()),
                 list(d.getInputBatchingDims()),
                 list(d.getScatterIndicesBatchingDims()),
                 list(d.getScatterDimsToOperandDims()),
                 {d.getIndexVectorDim()}};
  for (size_t i = 0; i < n; ++i)
    if (!windowDimsFit(result.graph[node->operands[i]],
                       result.graph[node->operands[n]],
                       result.graph[node->operands[n + 1 + i]], node->attrs[0],
                       node->attrs[1], node->attrs[2], node->attrs[3],
                       node->attrs[4], d.getIndexVectorDim()))
      return op.emitError("the dimension numbers do not fit the operands");
  results(*op, add(*node));
  return success();
}

LogicalResult Reader::readSort(hlo::SortOp op) {
  FailureOr<Node> node = start(op, op->getResult(0).getType(), Op::Sort);
  if (failed(node) || failed(operands(*op, *node)))
    return failure();
  FailureOr<std::shared_ptr<const Body>> body = readBody(op.getComparator());
  if (failed(body))
    return failure();
  node->body = *body;
  auto rank = static_cast<int64_t>(node->shape.size());
  int64_t dim = op.getDimension();
  if (dim < 0)
    dim += rank;
  if (dim < 0 || dim >= rank)
    return op.emitError("the sorted dimension is not one of the operands'");
  node->attrs.push_back({dim, op.getIsStable()});
  results(*op, add(*node));
  return success();
}

/// Operations whose operands and results are buffers of their own.
LogicalResult Reader::readOpaque(Operation &op, bool ordered) {
  BlockGraph::Opaque opaque;
  opaque.op = &op;
  opaque.ordered = ordered;
  auto use = [&](Operation *user, Value v) -> LogicalResult {
    if (isa<hlo::TokenType>(v.getType())) {
      opaque.inputs.push_back(-1);
      return success();
    }
    FailureOr<int32_t> id = operand(user, v);
    if (failed(id))
      return failure();
    opaque.inputs.push_back(*id);
    return success();
  };
  for (Value v : op.getOperands())
    if (failed(use(&op, v)))
      return failure();
  // What the regions read from outside.
  llvm::SetVector<Value> captured;
  op.walk([&](Operation *inner) {
    if (inner == &op)
      return;
    for (Value v : inner->getOperands()) {
      Region *home = v.getParentRegion();
      if (op.isAncestor(home->getParentOp()) || isa<hlo::TokenType>(v.getType()))
        continue;
      if (Operation *def = v.getDefiningOp())
        if (isa<hlo::ConstantOp, hlo::IotaOp>(def))
          continue;
      captured.insert(v);
    }
  });
  // Scalar regions (of collectives) are read elsewhere.
  if (isa<hlo::WhileOp, hlo::CaseOp, hlo::IfOp>(op))
    for (Value v : captured) {
      if (failed(use(&op, v)))
        return failure();
      opaque.captured.push_back(v);
    }
  auto number = static_cast<int32_t>(result.opaque.size());
  for (Value v : op.getResults()) {
    if (isa<hlo::TokenType>(v.getType())) {
      opaque.results.push_back(-1);
      ids[v] = -1;
      continue;
    }
    FailureOr<Node> node = start(&op, v.getType(), Op::Extern);
    if (failed(node))
      return failure();
    ids[v] = addUnique(*node, number);
    opaque.results.push_back(ids[v]);
  }
  result.opaque.push_back(std::move(opaque));
  return success();
}

LogicalResult Reader::readDot(hlo::DotGeneralOp op) {
  FailureOr<Node> out = start(op, op.getType(), Op::Extern);
  if (failed(out))
    return failure();
  FailureOr<int32_t> lhs = operand(op, op.getLhs()), rhs = operand(op, op.getRhs());
  if (failed(lhs) || failed(rhs))
    return failure();
  hlo::DotDimensionNumbersAttr d = op.getDotDimensionNumbers();
  DotDims dims{list(d.getLhsBatchingDimensions()), list(d.getRhsBatchingDimensions()),
               list(d.getLhsContractingDimensions()),
               list(d.getRhsContractingDimensions())};
  BlockGraph::Opaque opaque;
  opaque.op = op;
  // Transposes become strides, where these can say it.
  Shape lhsShape = result.graph[*lhs].shape, rhsShape = result.graph[*rhs].shape;
  auto absorb = [&](int32_t &id, Shape &order, bool isLhs) {
    const Node &node = result.graph[id];
    if (node.op != Op::Transpose)
      return;
    if (dotOperandFits(node.shape, node.attrs[0], dims, isLhs)) {
      order = node.attrs[0];
      id = node.operands[0];
    }
  };
  auto settle = [&](int32_t &id, Shape &order, bool isLhs) {
    absorb(id, order, isLhs);
    if (!order.empty() ||
        dotOperandFits(result.graph[id].shape, {}, dims, isLhs))
      return;
    // No strides say it: one transpose in front of the dot.
    Node node = result.graph[id];
    Node moved;
    moved.op = Op::Transpose;
    moved.type = node.type;
    moved.location = locations.add(op);
    Shape permutation = dotOperandOrder(node.shape.size(), dims, isLhs);
    for (int64_t p : permutation)
      moved.shape.push_back(node.shape[p]);
    moved.attrs = {permutation};
    moved.operands = {id};
    id = add(moved);
    // Seen through the inverse the shape is what the op says.
    Shape inverse(permutation.size());
    for (auto [i, p] : llvm::enumerate(permutation))
      inverse[p] = i;
    order = inverse;
  };
  settle(*lhs, opaque.lhsOrder, true);
  settle(*rhs, opaque.rhsOrder, false);
  opaque.inputs = {*lhs, *rhs};
  // A transpose that is the only user of the result is stored directly.
  Value stored = op.getResult();
  if (op->hasOneUse())
    if (auto transpose = dyn_cast<hlo::TransposeOp>(*op->user_begin()))
      if (transpose->getBlock() == &block &&
          dotResultFits(out->shape, transpose.getPermutation(), lhsShape, rhsShape,
                        dims)) {
        opaque.outOrder = list(transpose.getPermutation());
        stored = transpose.getResult();
        done.insert(transpose);
        FailureOr<Node> moved = start(op, transpose.getType(), Op::Extern);
        if (failed(moved))
          return failure();
        out = moved;
      }
  auto number = static_cast<int32_t>(result.opaque.size());
  int32_t id = addUnique(*out, number);
  ids[stored] = id;
  opaque.results = {id};
  result.opaque.push_back(std::move(opaque));
  return success();
}

LogicalResult Reader::read(Operation &op) {
  if (done.contains(&op))
    return success();
  if (auto constant = dyn_cast<hlo::ConstantOp>(op)) {
    FailureOr<Node> node = start(&op, constant.getType(), Op::Extern);
    if (failed(node))
      return failure();
    if (auto bits = splatBits(constant.getValue(), node->type, node->elements())) {
      node->op = Op::Constant;
      node->bits = *bits;
      ids[constant.getResult()] = add(*node);
      return success();
    }
    return external(&op, constant.getResult());
  }
  if (auto iota = dyn_cast<hlo::IotaOp>(op)) {
    FailureOr<Node> node = start(&op, iota.getType(), Op::Iota);
    if (failed(node))
      return failure();
    node->attrs = {{static_cast<int64_t>(iota.getIotaDimension())}};
    ids[iota.getResult()] = add(*node);
    return success();
  }
  if (auto reduce = dyn_cast<hlo::ReduceOp>(op))
    return readReduce(reduce);
  if (auto window = dyn_cast<hlo::ReduceWindowOp>(op))
    return readWindow(window);
  if (auto scatter = dyn_cast<hlo::ScatterOp>(op))
    return readScatter(scatter);
  if (auto sort = dyn_cast<hlo::SortOp>(op))
    return readSort(sort);
  if (auto dot = dyn_cast<hlo::DotGeneralOp>(op))
    return readDot(dot);
  if (isa<hlo::CreateTokenOp, hlo::AfterAllOp>(op)) {
    ids[op.getResult(0)] = -1;
    return success();
  }
  if (isa<hlo::WhileOp, hlo::CaseOp, hlo::IfOp, hlo::AllReduceOp, hlo::AllGatherOp,
          hlo::ReduceScatterOp, hlo::AllToAllOp, hlo::CollectivePermuteOp,
          hlo::CollectiveBroadcastOp>(op))
    return readOpaque(op, /*ordered=*/true);
  if (isa<hlo::PartitionIdOp, hlo::ReplicaIdOp, hlo::OptimizationBarrierOp>(op))
    return readOpaque(op, /*ordered=*/false);
  if (isa<hlo::BroadcastInDimOp, hlo::ReshapeOp, hlo::TransposeOp, hlo::SliceOp,
          hlo::ReverseOp, hlo::PadOp, hlo::ConcatenateOp, hlo::BitcastConvertOp,
          hlo::DynamicSliceOp, hlo::DynamicUpdateSliceOp, hlo::GatherOp>(op))
    return readMovement(op);
  if (std::optional<Op> kind = elementwiseOp(op.getName().getStringRef())) {
    FailureOr<Node> node = start(&op, op.getResult(0).getType(), *kind);
    if (failed(node) || failed(operands(op, *node)))
      return failure();
    readElementwise(&op, *node);
    if (*kind == Op::Convert &&
        result.graph[node->operands[0]].type == node->type) {
      ids[op.getResult(0)] = node->operands[0];
      return success();
    }
    ids[op.getResult(0)] = add(*node);
    return success();
  }
  return unsupported(&op);
}

FailureOr<BlockGraph> Reader::run() {
  for (BlockArgument arg : block.getArguments())
    if (!isa<hlo::TokenType>(arg.getType()) &&
        failed(external(block.getParentOp(), arg)))
      return failure();
  for (Operation &op : block.without_terminator())
    if (failed(read(op)))
      return failure();
  Operation *terminator = block.getTerminator();
  for (Value v : terminator->getOperands()) {
    if (isa<hlo::TokenType>(v.getType())) {
      result.terminator.push_back(-1);
      continue;
    }
    FailureOr<int32_t> id = operand(terminator, v);
    if (failed(id))
      return failure();
    result.terminator.push_back(*id);
  }
  return std::move(result);
}

FailureOr<BlockGraph> readBlock(Block &block, LocationTable &locations) {
  return Reader(block, locations).run();
}

} // namespace shardwright::cpu
