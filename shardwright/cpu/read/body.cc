//===- body.cc - elementwise operations and scalar regions ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/read/block_reader.h"
#include "shardwright/cpu/read/constant_data.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace shardwright::cpu {

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

std::optional<Op> elementwiseOp(StringRef name) {
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
      .Case("stablehlo.real", Op::Real)
      .Case("stablehlo.imag", Op::Imag)
      .Case("stablehlo.complex", Op::Complex)
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

InFlightDiagnostic unsupported(Operation *op) {
  return op->emitError() << "op '" << op->getName().getStringRef()
                         << "' is not supported by the cpu backend yet";
}

LogicalResult readElementwise(Operation *op, Node &node) {
  if (isComplex(node.type) && node.op == Op::Remainder)
    return op->emitError() << "op '" << op->getName().getStringRef() << "' on "
                           << str(node.type)
                           << " is not supported by the cpu backend";
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
    node.attrs = CompareAttrs{direction, total};
  } else if (auto reduced = dyn_cast<hlo::ReducePrecisionOp>(op)) {
    node.attrs = ReducePrecisionAttrs{reduced.getExponentBits(),
                                      reduced.getMantissaBits()};
  }
  return success();
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
    if (!node.shape.empty())
      return at->emitError()
             << "type " << type
             << " in a scalar region is not supported by the cpu "
                "backend yet";
    return node;
  };
  auto append = [&](Node node) {
    body->nodes.push_back(std::move(node));
    return static_cast<int32_t>(body->nodes.size()) - 1;
  };
  for (auto [i, arg] : llvm::enumerate(block.getArguments())) {
    FailureOr<Node> node =
        makeNode(region.getParentOp(), arg.getType(), Op::Param);
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
    if (failed(readSplat(constant.getValue(), *node)))
      return op->emitError("this constant cannot be read");
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
    if (failed(readElementwise(&op, *node)))
      return failure();
    ids[op.getResult(0)] = append(*node);
  }
  if (body->results.empty())
    return region.getParentOp()->emitError("a region returns nothing");
  return std::shared_ptr<const Body>(body);
}

} // namespace shardwright::cpu
