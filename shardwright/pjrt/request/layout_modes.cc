//===- layout_modes.cc - layouts that a program requests ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/request/layout_modes.h"
#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/pjrt/base/host_layout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace shardwright::pjrt {

static constexpr llvm::StringLiteral layoutMode("mhlo.layout_mode");
static constexpr llvm::StringLiteral
    parameterLayouts("mhlo.xla_entry_computation_parameter_layouts");
static constexpr llvm::StringLiteral
    resultLayouts("mhlo.xla_entry_computation_result_layout");

MinorToMajor canonicalLayout(ArrayRef<int64_t> order) {
  if (order == rowMajorOrder(order.size()))
    return {};
  return MinorToMajor(order);
}

std::string layoutText(ArrayRef<int64_t> order, size_t rank, int elementBits) {
  if (order.empty())
    order = rowMajorOrder(rank);
  return "{" +
         llvm::join(llvm::map_range(
                        order, [](int64_t d) { return std::to_string(d); }),
                    ",") +
         (elementBits == 2 || elementBits == 4
              ? ":E(" + std::to_string(elementBits) + ")}"
              : "}");
}

/// Parses a layout like `{0,1}` for a tensor of this type. `{0,1:E(4)}` is the
/// same order for elements of 4 bits.
static std::optional<MinorToMajor> parseOrder(StringRef text,
                                              RankedTensorType type) {
  if (!text.consume_front("{") || !text.consume_back("}"))
    return std::nullopt;
  if (type.getElementType().isIntOrFloat()) {
    std::string size =
        ":E(" + std::to_string(type.getElementTypeBitWidth()) + ")";
    text.consume_back(size);
  }
  int64_t rank = type.getRank();
  MinorToMajor order;
  llvm::BitVector seen(rank);
  SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    int64_t dim = 0;
    if (part.trim().getAsInteger(10, dim) || dim < 0 || dim >= rank ||
        seen[dim])
      return std::nullopt;
    seen.set(dim);
    order.push_back(dim);
  }
  if (!seen.all())
    return std::nullopt;
  return canonicalLayout(order);
}

static LogicalResult read(func::FuncOp main, StringRef what, unsigned index,
                          Attribute mode, Type type,
                          std::vector<MinorToMajor> &layouts) {
  MinorToMajor &layout = layouts.emplace_back();
  auto text = dyn_cast_or_null<StringAttr>(mode);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!text || !tensor || text.getValue() == "default" ||
      text.getValue() == "auto")
    return success();
  std::optional<MinorToMajor> order = parseOrder(text.getValue(), tensor);
  if (!order)
    return main.emitError()
           << "the layout of " << what << " #" << index << " is '"
           << text.getValue() << "', expected default, auto or an order of its "
           << tensor.getRank() << " dimensions such as "
           << layoutText({}, tensor.getRank()) << "; tiles are not supported";
  layout = std::move(*order);
  return success();
}

/// The layout that a `LayoutConstraint` requests for the value, skipping
/// sharding constraints; row-major without one.
static MinorToMajor constrainedLayout(Value value) {
  while (auto constraint = value.getDefiningOp<sdy::ShardingConstraintOp>())
    value = constraint.getInput();
  auto call = value.getDefiningOp<stablehlo::CustomCallOp>();
  if (!call || call.getCallTargetName() != "LayoutConstraint")
    return {};
  auto layouts = call->getAttrOfType<ArrayAttr>("result_layouts");
  auto order = layouts && layouts.size() == 1
                   ? dyn_cast<DenseIntElementsAttr>(layouts[0])
                   : DenseIntElementsAttr();
  if (!order)
    return {};
  MinorToMajor layout;
  llvm::BitVector seen(cast<RankedTensorType>(value.getType()).getRank());
  for (const APInt &dim : order.getValues<APInt>()) {
    layout.push_back(dim.getSExtValue());
    if (layout.back() < 0 || layout.back() >= seen.size() ||
        seen[layout.back()])
      return {};
    seen.set(layout.back());
  }
  return seen.all() ? canonicalLayout(layout) : MinorToMajor();
}

FailureOr<ProgramLayouts> takeLayoutModes(ModuleOp module) {
  ProgramLayouts layouts;
  func::FuncOp main = sdy::getMainFunc(module);
  if (!main)
    return layouts;
  sdy::BorderAttributes border(main);
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes())) {
    if (failed(read(main, "argument", i, border.argument(i, layoutMode), type,
                    layouts.arguments)))
      return failure();
    border.setArgument(i, layoutMode, nullptr);
  }
  Operation *end =
      main.isDeclaration() ? nullptr : main.getBody().front().getTerminator();
  for (auto [i, type] : llvm::enumerate(main.getResultTypes())) {
    Attribute mode = border.result(i, layoutMode);
    border.setResult(i, layoutMode, nullptr);
    if (failed(read(main, "result", i, mode, type, layouts.results)))
      return failure();
    auto text = dyn_cast_or_null<StringAttr>(mode);
    if (end && text && text.getValue() == "auto")
      layouts.results.back() = constrainedLayout(end->getOperand(i));
  }
  border.write();
  return layouts;
}

/// The layouts of the values that remain without tokens; `places` maps old to
/// new positions.
static ArrayAttr layoutList(TypeRange types, ArrayRef<MinorToMajor> layouts,
                            ArrayRef<int32_t> places, MLIRContext *context) {
  SmallVector<Attribute> list(types.size());
  for (auto [layout, place] : llvm::zip_equal(layouts, places)) {
    if (place < 0)
      continue;
    int64_t rank = cast<RankedTensorType>(types[place]).getRank();
    ArrayRef<int64_t> order = layout;
    if (order.empty())
      order = rowMajorOrder(rank);
    list[place] = DenseIntElementsAttr::get(
        RankedTensorType::get(rank, IndexType::get(context)), order);
  }
  return ArrayAttr::get(context, list);
}

void writeLayouts(ModuleOp module, const ProgramLayouts &layouts,
                  const TokenPositions &places) {
  func::FuncOp main = sdy::getMainFunc(module);
  if (!main)
    return;
  MLIRContext *context = module.getContext();
  module->setAttr(parameterLayouts,
                  layoutList(main.getArgumentTypes(), layouts.arguments,
                             places.argumentOf, context));
  module->setAttr(resultLayouts,
                  layoutList(main.getResultTypes(), layouts.results,
                             places.resultOf, context));
}

void dropLayouts(ModuleOp module) {
  module->removeAttr(parameterLayouts);
  module->removeAttr(resultLayouts);
}

} // namespace shardwright::pjrt
