//===- attr_syntax.cc - text of the sdy attributes ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace shardwright::sdy {

namespace {

/// A nested attribute, in short form (`<@m, []>`) or full form
/// (`#sdy.sharding<...>`).
template <typename AttrT> ParseResult parseNested(AsmParser &p, AttrT &attr) {
  FailureOr<AttrT> parsed = FieldParser<AttrT>::parse(p);
  if (failed(parsed))
    return failure();
  attr = *parsed;
  return success();
}

/// A non-empty comma-separated list.
template <typename AttrT>
ParseResult parseElements(AsmParser &p, SmallVectorImpl<AttrT> &attrs) {
  return p.parseCommaSeparatedList(
      [&] { return parseNested(p, attrs.emplace_back()); });
}

template <typename AttrT>
ParseResult parseSquareList(AsmParser &p, SmallVectorImpl<AttrT> &attrs) {
  if (p.parseLSquare())
    return failure();
  if (succeeded(p.parseOptionalRSquare()))
    return success();
  return failure(parseElements(p, attrs) || p.parseRSquare());
}

/// `{a, b}`; may be empty only if `mayBeEmpty`.
template <typename AttrT>
ParseResult parseBraceList(AsmParser &p, SmallVectorImpl<AttrT> &attrs,
                           bool mayBeEmpty) {
  if (p.parseLBrace())
    return failure();
  if (mayBeEmpty && succeeded(p.parseOptionalRBrace()))
    return success();
  return failure(parseElements(p, attrs) || p.parseRBrace());
}

template <typename AttrT>
void printElements(AsmPrinter &p, ArrayRef<AttrT> attrs) {
  llvm::interleaveComma(attrs, p.getStream(),
                        [&](AttrT attr) { p.printStrippedAttrOrType(attr); });
}

template <typename AttrT>
void printSquareList(AsmPrinter &p, ArrayRef<AttrT> attrs) {
  p << '[';
  printElements(p, attrs);
  p << ']';
}

template <typename AttrT>
void printBraceList(AsmPrinter &p, ArrayRef<AttrT> attrs) {
  p << '{';
  printElements(p, attrs);
  p << '}';
}

} // namespace

//===----------------------------------------------------------------------===//
// Meshes and axes
//===----------------------------------------------------------------------===//

Attribute ManualAxesAttr::parse(AsmParser &p, Type) {
  SmallVector<StringAttr> axes;
  auto parseAxis = [&] { return p.parseAttribute(axes.emplace_back()); };
  if (p.parseLBrace())
    return {};
  if (failed(p.parseOptionalRBrace()) &&
      (p.parseCommaSeparatedList(parseAxis) || p.parseRBrace()))
    return {};
  return get(p.getContext(), axes);
}

void ManualAxesAttr::print(AsmPrinter &p) const {
  p << '{';
  llvm::interleaveComma(getValue(), p.getStream(),
                        [&](StringAttr axis) { p << axis; });
  p << '}';
}

Attribute MeshAxisAttr::parse(AsmParser &p, Type) {
  SMLoc loc = p.getCurrentLocation();
  std::string name;
  int64_t size = 0;
  if (p.parseString(&name) || p.parseEqual() || p.parseInteger(size))
    return {};
  return getChecked([&] { return p.emitError(loc); }, p.getContext(),
                    StringRef(name), size);
}

void MeshAxisAttr::print(AsmPrinter &p) const {
  p.printString(getName());
  p << '=' << getSize();
}

Attribute MeshAttr::parse(AsmParser &p, Type) {
  SMLoc loc = p.getCurrentLocation();
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> ids;
  if (p.parseLess() || parseSquareList(p, axes))
    return {};
  if (succeeded(p.parseOptionalComma())) {
    auto parseId = [&] { return p.parseInteger(ids.emplace_back()); };
    if (p.parseKeyword("device_ids") || p.parseEqual() || p.parseLSquare() ||
        p.parseCommaSeparatedList(parseId) || p.parseRSquare())
      return {};
  }
  if (p.parseGreater())
    return {};
  // Drop the device ids if they are the default order of these axes.
  if (!axes.empty() && llvm::equal(ids, llvm::seq<int64_t>(0, ids.size()))) {
    auto emitError = [&] { return p.emitError(loc); };
    if (failed(verify(emitError, axes, {})))
      return {};
    int64_t devices = 1;
    for (MeshAxisAttr axis : axes)
      devices *= axis.getSize();
    if (devices == static_cast<int64_t>(ids.size()))
      ids.clear();
  }
  return getChecked([&] { return p.emitError(loc); }, p.getContext(),
                    ArrayRef(axes), ArrayRef(ids));
}

void MeshAttr::print(AsmPrinter &p) const {
  p << '<';
  printSquareList(p, getAxes());
  if (!getDeviceIds().empty()) {
    p << ", device_ids=[";
    llvm::interleaveComma(getDeviceIds(), p.getStream());
    p << ']';
  }
  p << '>';
}

Attribute SubAxisInfoAttr::parse(AsmParser &p, Type) {
  int64_t preSize = 0, size = 0;
  if (p.parseLParen() || p.parseInteger(preSize) || p.parseRParen() ||
      p.parseInteger(size))
    return {};
  return get(p.getContext(), preSize, size);
}

void SubAxisInfoAttr::print(AsmPrinter &p) const {
  p << '(' << getPreSize() << ')' << getSize();
}

Attribute AxisRefAttr::parse(AsmParser &p, Type) {
  std::string name;
  SubAxisInfoAttr subAxis;
  if (p.parseString(&name) ||
      (succeeded(p.parseOptionalColon()) && parseNested(p, subAxis)))
    return {};
  return get(p.getContext(), name, subAxis);
}

void AxisRefAttr::print(AsmPrinter &p) const {
  p.printString(getName());
  if (getSubAxisInfo()) {
    p << ':';
    p.printStrippedAttrOrType(getSubAxisInfo());
  }
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

/// Parses an optional `p<digits>` after a dimension.
static ParseResult parsePriority(AsmParser &p,
                                 std::optional<int64_t> &priority) {
  StringRef word;
  SMLoc loc = p.getCurrentLocation();
  if (failed(p.parseOptionalKeyword(&word)))
    return success();
  StringRef digits = word;
  if (!digits.consume_front("p") || digits.empty() ||
      !digits.drop_while(llvm::isDigit).empty())
    return p.emitError(loc)
           << "expecting priority in format 'p<number>', got: " << word;
  if (digits.size() > 1 && digits.front() == '0')
    return p.emitError(loc)
           << "priorities with leading zeros are not allowed, got: " << word;
  int64_t value = 0;
  if (digits.getAsInteger(10, value))
    return p.emitError(loc) << "expecting integer priority, got: " << word;
  priority = value;
  return success();
}

Attribute DimensionShardingAttr::parse(AsmParser &p, Type) {
  SmallVector<AxisRefAttr> axes;
  bool isClosed = true;
  std::optional<int64_t> priority;
  if (p.parseLBrace())
    return {};
  while (failed(p.parseOptionalRBrace())) {
    if (!axes.empty() && p.parseComma())
      return {};
    if (succeeded(p.parseOptionalQuestion())) {
      isClosed = false;
      if (p.parseRBrace())
        return {};
      break;
    }
    if (parseNested(p, axes.emplace_back()))
      return {};
  }
  if (parsePriority(p, priority))
    return {};
  return get(p.getContext(), axes, isClosed, priority);
}

void DimensionShardingAttr::print(AsmPrinter &p) const {
  p << '{';
  printElements(p, getAxes());
  if (!getIsClosed())
    p << (getAxes().empty() ? "?" : ", ?");
  p << '}';
  if (getPriority())
    p << 'p' << *getPriority();
}

/// Parses `=`, the kind and the axes of `unreduced=max{"x"}`. The `=` and the
/// kind may be missing.
static ParseResult parseUnreduced(AsmParser &p, ReductionOp &kind,
                                  SmallVectorImpl<AxisRefAttr> &axes) {
  if (succeeded(p.parseOptionalEqual()))
    for (ReductionOp given :
         {ReductionOp::SUM, ReductionOp::MAX, ReductionOp::MIN})
      if (succeeded(p.parseOptionalKeyword(stringifyReductionOp(given)))) {
        kind = given;
        break;
      }
  if (succeeded(parseBraceList(p, axes, /*mayBeEmpty=*/false)))
    return success();
  return p.emitError(p.getCurrentLocation(),
                     "failed to parse Sdy_TensorSharding parameter "
                     "'unreduced_axes'");
}

Attribute TensorShardingAttr::parse(AsmParser &p, Type) {
  Attribute meshOrRef;
  ReductionOp kind = ReductionOp::SUM;
  SmallVector<DimensionShardingAttr> dims;
  SmallVector<AxisRefAttr> replicated, unreduced;
  if (p.parseLess())
    return {};
  if (succeeded(p.parseOptionalKeyword("mesh"))) {
    MeshAttr mesh;
    if (parseNested(p, mesh))
      return {};
    meshOrRef = mesh;
  } else {
    FlatSymbolRefAttr symbol;
    if (p.parseAttribute(symbol))
      return {};
    meshOrRef = symbol;
  }
  if (p.parseComma() || parseSquareList(p, dims))
    return {};
  while (succeeded(p.parseOptionalComma())) {
    SmallVectorImpl<AxisRefAttr> *list = nullptr;
    SMLoc loc = p.getCurrentLocation();
    if (replicated.empty() && succeeded(p.parseOptionalKeyword("replicated")))
      list = &replicated;
    else if (unreduced.empty() &&
             succeeded(p.parseOptionalKeyword("unreduced")))
      list = &unreduced;
    if (!list) {
      p.emitError(loc, "failed to parse Sdy_TensorSharding, expected valid "
                       "named axis list after comma");
      return {};
    }
    if (list == &unreduced
            ? parseUnreduced(p, kind, unreduced)
            : ParseResult(failure(p.parseEqual() ||
                                  parseBraceList(p, *list,
                                                 /*mayBeEmpty=*/false))))
      return {};
  }
  if (p.parseGreater())
    return {};
  return get(p.getContext(), meshOrRef, dims, replicated, unreduced, kind);
}

void TensorShardingAttr::print(AsmPrinter &p) const {
  p << '<';
  if (auto mesh = dyn_cast<MeshAttr>(getMeshOrRef())) {
    p << "mesh";
    p.printStrippedAttrOrType(mesh);
  } else {
    p << getMeshOrRef();
  }
  p << ", ";
  printSquareList(p, getDimShardings());
  if (!getReplicatedAxes().empty()) {
    p << ", replicated=";
    printBraceList(p, getReplicatedAxes());
  }
  if (!getUnreducedAxes().empty()) {
    p << ", unreduced=";
    if (getReductionOp() != ReductionOp::SUM)
      p << stringifyReductionOp(getReductionOp());
    printBraceList(p, getUnreducedAxes());
  }
  p << '>';
}

Attribute TensorShardingPerValueAttr::parse(AsmParser &p, Type) {
  SmallVector<TensorShardingAttr> shardings;
  if (p.parseLess() || parseSquareList(p, shardings) || p.parseGreater())
    return {};
  return get(p.getContext(), shardings);
}

void TensorShardingPerValueAttr::print(AsmPrinter &p) const {
  p << '<';
  printSquareList(p, getShardings());
  p << '>';
}

//===----------------------------------------------------------------------===//
// Parameters of collectives
//===----------------------------------------------------------------------===//

Attribute AxisRefListAttr::parse(AsmParser &p, Type) {
  SmallVector<AxisRefAttr> axes;
  if (parseBraceList(p, axes, /*mayBeEmpty=*/true))
    return {};
  return get(p.getContext(), axes);
}

void AxisRefListAttr::print(AsmPrinter &p) const {
  printBraceList(p, getValue());
}

Attribute ListOfAxisRefListsAttr::parse(AsmParser &p, Type) {
  SmallVector<AxisRefListAttr> lists;
  if (parseSquareList(p, lists))
    return {};
  return get(p.getContext(), lists);
}

void ListOfAxisRefListsAttr::print(AsmPrinter &p) const {
  printSquareList(p, getValue());
}

Attribute AllToAllParamAttr::parse(AsmParser &p, Type) {
  SmallVector<AxisRefAttr> axes;
  int64_t source = 0, target = 0;
  if (parseBraceList(p, axes, /*mayBeEmpty=*/false) || p.parseColon() ||
      p.parseInteger(source) || p.parseArrow() || p.parseInteger(target))
    return {};
  return get(p.getContext(), axes, source, target);
}

void AllToAllParamAttr::print(AsmPrinter &p) const {
  printBraceList(p, getAxes());
  p << ": " << getSrcDim() << "->" << getTgtDim();
}

Attribute AllToAllParamListAttr::parse(AsmParser &p, Type) {
  SmallVector<AllToAllParamAttr> params;
  if (parseSquareList(p, params))
    return {};
  return get(p.getContext(), params);
}

void AllToAllParamListAttr::print(AsmPrinter &p) const {
  printSquareList(p, getValue());
}

//===----------------------------------------------------------------------===//
// Debug record of propagation
//===----------------------------------------------------------------------===//

Attribute EdgeValueRefAttr::parse(AsmParser &p, Type) {
  SMLoc loc = p.getCurrentLocation();
  std::string word;
  int64_t index = 0;
  if (p.parseKeywordOrString(&word))
    return {};
  std::optional<EdgeNodeType> type = symbolizeEdgeNodeType(word);
  if (!type) {
    p.emitError(loc, "expected ::mlir::sdy::EdgeNodeType to be one of: "
                     "operand, result");
    return {};
  }
  if (p.parseMinus() || p.parseInteger(index))
    return {};
  return get(p.getContext(), *type, index);
}

void EdgeValueRefAttr::print(AsmPrinter &p) const {
  p << stringifyEdgeNodeType(getType()) << '-' << getIndex();
}

Attribute AxisToPropagationDetailsAttr::parse(AsmParser &p, Type) {
  AxisRefAttr axis;
  EdgeValueRefAttr source;
  SmallVector<EdgeValueRefAttr> targets;
  if (p.parseLBrace() || parseNested(p, axis) || p.parseEqual() ||
      parseNested(p, source) || p.parseArrow() || p.parseLSquare() ||
      parseElements(p, targets) || p.parseRSquare() || p.parseRBrace())
    return {};
  return get(p.getContext(), axis, source, targets);
}

void AxisToPropagationDetailsAttr::print(AsmPrinter &p) const {
  p << '{';
  p.printStrippedAttrOrType(getAxisName());
  p << " = ";
  p.printStrippedAttrOrType(getSource());
  p << " -> ";
  printSquareList(p, getTargets());
  p << '}';
}

Attribute PropagationOneStepAttr::parse(AsmParser &p, Type) {
  int64_t step = 0;
  SmallVector<AxisToPropagationDetailsAttr> entries;
  if (p.parseLBrace() || p.parseKeyword("step") || p.parseMinus() ||
      p.parseInteger(step) || p.parseEqual() || p.parseLSquare() ||
      parseElements(p, entries) || p.parseRSquare() || p.parseRBrace())
    return {};
  return get(p.getContext(), step, entries);
}

void PropagationOneStepAttr::print(AsmPrinter &p) const {
  p << "{step-" << getStepIndex() << " = ";
  printSquareList(p, getAxisEntries());
  p << '}';
}

Attribute PropagationEdgesAttr::parse(AsmParser &p, Type) {
  SMLoc loc = p.getCurrentLocation();
  SmallVector<PropagationOneStepAttr> steps;
  if (p.parseLess() || p.parseLSquare() || parseElements(p, steps) ||
      p.parseRSquare() || p.parseGreater())
    return {};
  return getChecked([&] { return p.emitError(loc); }, p.getContext(),
                    ArrayRef(steps));
}

void PropagationEdgesAttr::print(AsmPrinter &p) const {
  p << '<';
  printSquareList(p, getValue());
  p << '>';
}

} // namespace shardwright::sdy
