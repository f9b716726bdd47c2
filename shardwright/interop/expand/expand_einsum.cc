//===- expand_einsum.cc - einsum to dot_general ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/expand/op_builder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace shardwright::op_expansion {

namespace {

/// An operand and the label of each of its dimensions.
struct Labelled {
  Value value;
  std::string labels;
};

struct Config {
  std::vector<std::string> operands;
  std::string result;
};

} // namespace

// Letters only; an ellipsis would need the ranks.
static std::optional<Config> parse(StringRef text) {
  auto [left, right] = text.split("->");
  if (!text.contains("->"))
    return std::nullopt;
  Config config;
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  for (StringRef part : parts)
    config.operands.push_back(part.str());
  config.result = right.str();
  auto strip = [](std::string &s) { llvm::erase(s, ' '); };
  for (std::string &s : config.operands)
    strip(s);
  strip(config.result);
  auto letters = [](const std::string &s) {
    return llvm::all_of(s, [](char c) { return llvm::isAlpha(c); });
  };
  if (!llvm::all_of(config.operands, letters) || !letters(config.result))
    return std::nullopt;
  return config;
}

/// Takes the diagonal for labels that occur twice in one operand.
static void takeDiagonals(StaticBuilder &m, Labelled &x) {
  for (size_t i = 0; i < x.labels.size(); ++i)
    for (size_t j = i + 1; j < x.labels.size();) {
      if (x.labels[i] != x.labels[j]) {
        ++j;
        continue;
      }
      RankedTensorType type = StaticBuilder::typeOf(x.value);
      RankedTensorType numbers = type.clone(m.b.getI32Type());
      Value same = stablehlo::CompareOp::create(
          m.b, m.loc, m.iota(numbers, i), m.iota(numbers, j),
          stablehlo::ComparisonDirection::EQ);
      Value none = m.zeros(type);
      x.value = m.sum(
          stablehlo::SelectOp::create(m.b, m.loc, type, same, x.value, none),
          {static_cast<int64_t>(j)});
      x.labels.erase(j, 1);
    }
}

/// Sums over the labels that occur nowhere else.
static void sumOut(StaticBuilder &m, Labelled &x, StringRef others) {
  SmallVector<int64_t> dims;
  std::string kept;
  for (auto [d, label] : llvm::enumerate(x.labels))
    if (others.contains(label))
      kept += label;
    else
      dims.push_back(d);
  x.value = m.sum(x.value, dims);
  x.labels = kept;
}

static FailureOr<Values> arrange(StaticBuilder &m, const Labelled &x,
                                 const std::string &result, Type type) {
  SmallVector<int64_t> permutation;
  for (char label : result) {
    size_t at = x.labels.find(label);
    if (at == std::string::npos)
      return failure();
    permutation.push_back(at);
  }
  if (permutation.size() != x.labels.size())
    return failure();
  Value value = m.transpose(x.value, permutation);
  value = m.convert(value, cast<RankedTensorType>(type).getElementType());
  if (value.getType() != type)
    return failure();
  return Values{value};
}

static FailureOr<Values> expand(Operation *op, StringRef text) {
  std::optional<Config> config = parse(text);
  if (!config || config->operands.size() != op->getNumOperands())
    return failure();
  for (auto [value, labels] : llvm::zip(op->getOperands(), config->operands))
    if (StaticBuilder::typeOf(value).getRank() !=
        static_cast<int64_t>(labels.size()))
      return failure();
  StaticBuilder m(op);
  Labelled x{op->getOperand(0), config->operands[0]};
  takeDiagonals(m, x);
  if (op->getNumOperands() == 1) {
    sumOut(m, x, config->result);
    return arrange(m, x, config->result, op->getResult(0).getType());
  }
  Labelled y{op->getOperand(1), config->operands[1]};
  takeDiagonals(m, y);
  sumOut(m, x, y.labels + config->result);
  sumOut(m, y, x.labels + config->result);
  SmallVector<int64_t> xBatch, yBatch, xContract, yContract;
  SmallVector<int64_t> shape;
  Labelled out;
  RankedTensorType xType = StaticBuilder::typeOf(x.value),
                   yType = StaticBuilder::typeOf(y.value);
  for (auto [d, label] : llvm::enumerate(x.labels)) {
    size_t other = y.labels.find(label);
    if (other == std::string::npos)
      continue;
    if (xType.getDimSize(d) != yType.getDimSize(other))
      return failure();
    bool batch = StringRef(config->result).contains(label);
    (batch ? xBatch : xContract).push_back(d);
    (batch ? yBatch : yContract).push_back(other);
    if (batch) {
      out.labels += label;
      shape.push_back(xType.getDimSize(d));
    }
  }
  auto addFree = [&](const Labelled &z, const Labelled &other,
                     RankedTensorType type) {
    for (auto [d, label] : llvm::enumerate(z.labels))
      if (!StringRef(other.labels).contains(label)) {
        out.labels += label;
        shape.push_back(type.getDimSize(d));
      }
  };
  addFree(x, y, xType);
  addFree(y, x, yType);
  auto dims = stablehlo::DotDimensionNumbersAttr::get(
      op->getContext(), xBatch, yBatch, xContract, yContract);
  Type element =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  out.value = stablehlo::DotGeneralOp::create(
      m.b, m.loc, RankedTensorType::get(shape, element), x.value, y.value, dims,
      /*precision_config=*/nullptr, /*algorithm=*/nullptr);
  return arrange(m, out, config->result, op->getResult(0).getType());
}

FailureOr<Values> expandEinsum(Operation *op) {
  if (auto einsum = dyn_cast<stablehlo::EinsumOp>(op))
    return expand(op, einsum.getEinsumConfig());
  return expand(op, cast<stablehlo::UnaryEinsumOp>(op).getEinsumConfig());
}

} // namespace shardwright::op_expansion
