//===- vhlo_to_version.cc - VHLO of one version to another --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/portable/neutral.h"
#include "shardwright/interop/portable/portable.h"
#include "shardwright/interop/portable/rewrite.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace shardwright {
namespace {

using vhlo::AttrKind;
using vhlo::Version;

class VersionConverter {
public:
  VersionConverter(MLIRContext *context, Version target)
      // The patch number does not affect the opset.
      : context(context), target{target.major, target.minor, 0},
        names(context) {}

  LogicalResult convert(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      Operation *current = &op;
      if (const vhlo::OpRow *row = vhlo::rowOf(&op)) {
        FailureOr<Operation *> converted = convertOp(&op, *row);
        if (failed(converted))
          return failure();
        current = *converted;
      }
      for (Region &region : current->getRegions())
        for (Block &inner : region)
          if (failed(
                  checkTypes(current, TypeRange(inner.getArgumentTypes()))) ||
              failed(convert(inner)))
            return failure();
    }
    return success();
  }

private:
  FailureOr<Operation *> convertOp(Operation *op, const vhlo::OpRow &row);
  LogicalResult mapAttrs(Operation *op, const vhlo::OpRow &from,
                         const vhlo::OpRow &to,
                         MutableArrayRef<Attribute> attrs);
  LogicalResult check(Operation *op, const vhlo::OpRow &row);
  LogicalResult checkTypes(Operation *op, TypeRange types);
  /// The newest version of a type or attribute and its parts.
  template <typename T> Version newest(T value);

  MLIRContext *context;
  Version target;
  VhloNames names;
  DenseMap<Type, Version> typeVersions;
  DenseMap<Attribute, Version> attrVersions;
};

template <typename T> Version VersionConverter::newest(T value) {
  auto &cache = [&]() -> auto & {
    if constexpr (std::is_same_v<T, Type>)
      return typeVersions;
    else
      return attrVersions;
  }();
  auto it = cache.find(value);
  if (it != cache.end())
    return it->second;
  Version result = vhlo::kMinimumVersion;
  AttrTypeWalker walker;
  auto visit = [&](auto part) {
    if (isa<vhlo::VhloDialect>(part.getDialect()))
      result = std::max(result, vhlo::sinceWhen(part));
  };
  walker.addWalk([&](Type part) { visit(part); });
  walker.addWalk([&](Attribute part) { visit(part); });
  walker.walk(value);
  return cache[value] = result;
}

LogicalResult VersionConverter::checkTypes(Operation *op, TypeRange types) {
  for (Type type : types)
    if (Version since = newest(type); since > target) {
      InFlightDiagnostic diagnostic = failToLegalize(op);
      std::string text;
      llvm::raw_string_ostream(text) << since;
      return diagnostic << "type " << type << " exists since version " << text;
    }
  return success();
}

/// True if a region of a reduction computes in another type.
static bool promotesElements(Operation *op) {
  auto elementOf = [](Type type) -> Type {
    auto tensor = dyn_cast<vhlo::RankedTensorV1Type>(type);
    return tensor ? tensor.getElementType() : Type();
  };
  if (op->getNumRegions() == 0 || op->getNumOperands() == 0)
    return false;
  Type element = elementOf(op->getOperand(0).getType());
  // The last region computes: the first one of select_and_scatter selects.
  for (Block &block : op->getRegions().back())
    for (Type type : block.getArgumentTypes())
      if (elementOf(type) != element)
        return llvm::none_of(op->getOperandTypes(), [&](Type operand) {
          return elementOf(operand) == elementOf(type);
        });
  return false;
}

/// Checks constraints of older versions that the table does not contain.
LogicalResult VersionConverter::check(Operation *op, const vhlo::OpRow &row) {
  if (failed(checkTypes(op, op->getResultTypes())))
    return failure();
  for (auto [spec, attr] : llvm::zip(row.attrs, vhlo::attrsOf(op)))
    if (Version since = attr ? newest(attr) : target; since > target) {
      InFlightDiagnostic diagnostic = failToLegalize(op);
      std::string text;
      llvm::raw_string_ostream(text) << since;
      return diagnostic << "the value of attribute '" << spec.name
                        << "' exists since version " << text;
    }
  if (row.name == "custom_call") {
    auto api =
        dyn_cast_or_null<vhlo::EnumAttr>(vhlo::attrOf(op, "api_version"));
    if (target < Version{1, 3, 0} && ((api && api.getValue() == 4) ||
                                      isa_and_nonnull<vhlo::DictionaryV1Attr>(
                                          vhlo::attrOf(op, "backend_config"))))
      return failToLegalize(op)
             << "typed calls (a dictionary as backend_config) exist since "
                "version 1.3.0";
    auto isFuture = [](Type type) { return isa<vhlo::FutureV1Type>(type); };
    if (target < Version{1, 17, 0} &&
        (llvm::any_of(op->getOperandTypes(), isFuture) ||
         llvm::any_of(op->getResultTypes(), isFuture)))
      return failToLegalize(op)
             << "futures of custom calls exist since version 1.17.0";
  }
  constexpr StringLiteral reductions[] = {
      "all_reduce",    "reduce",  "reduce_scatter",
      "reduce_window", "scatter", "select_and_scatter"};
  if (target < Version{0, 17, 0} && llvm::is_contained(reductions, row.name) &&
      promotesElements(op))
    return failToLegalize(op)
           << "reductions in a wider type exist since version 0.17.0";
  return success();
}

LogicalResult VersionConverter::mapAttrs(Operation *op, const vhlo::OpRow &from,
                                         const vhlo::OpRow &to,
                                         MutableArrayRef<Attribute> attrs) {
  for (auto [attr, spec] : llvm::zip(attrs, to.attrs)) {
    attr = vhlo::attrOf(op, spec.name);
    if (attr)
      continue;
    // The only attribute that was removed: padding of dynamic_conv.
    int64_t windowDims = 0;
    if (auto spatial = dyn_cast_or_null<vhlo::TensorV1Attr>(
            vhlo::attrOf(op, "input_spatial_dimensions")))
      windowDims = spatial.getElements().getNumElements();
    attr = neutralValue(context, spec.kind, windowDims);
    if (!attr)
      return failToLegalize(op) << "attribute '" << spec.name << "' is missing";
  }
  for (auto [spec, attr] : llvm::zip(from.attrs, vhlo::attrsOf(op))) {
    bool stays = llvm::any_of(to.attrs, [&](const vhlo::AttrSpec &other) {
      return other.name == spec.name;
    });
    if (!stays && spec.kind != AttrKind::Zeros && !isNeutral(attr, spec.kind))
      return failToLegalize(op) << "version " << to.number << " of the op has "
                                << "no attribute '" << spec.name << "'";
  }
  return success();
}

FailureOr<Operation *> VersionConverter::convertOp(Operation *op,
                                                   const vhlo::OpRow &row) {
  const vhlo::OpRow *wanted = nullptr;
  for (const vhlo::OpRow &version : vhlo::versionsOf(row.name))
    if (version.first <= target)
      wanted = &version;
  if (!wanted) {
    std::string text;
    llvm::raw_string_ostream(text) << vhlo::versionsOf(row.name).front().first;
    return failToLegalize(op) << "the op exists since version " << text;
  }
  Operation *result = op;
  if (wanted != &row) {
    SmallVector<Attribute, vhlo::kMaxAttrs> attrs(wanted->attrs.size());
    if (failed(mapAttrs(op, row, *wanted, attrs)))
      return failure();
    if (wanted->number < row.number) {
      if (row.name == "composite" && op->getNumRegions() != 0)
        return failToLegalize(op) << "composites have regions since version "
                                     "1.14.0";
      constexpr StringLiteral single[] = {"all_gather", "all_reduce",
                                          "all_to_all", "collective_broadcast"};
      if (llvm::is_contained(single, row.name) &&
          (op->getNumOperands() != 1 || op->getNumResults() != 1))
        return failToLegalize(op)
               << "version " << wanted->number << " of the op has one operand";
    }
    result = replaceOp(op, *names.of(*wanted).vhlo, op->getResultTypes(),
                       op->getDiscardableAttrDictionary());
    llvm::copy(attrs, vhlo::attrsOf(result).begin());
    op->erase();
  }
  if (target < vhlo::kCurrentVersion && failed(check(result, *wanted)))
    return failure();
  return result;
}

} // namespace

LogicalResult convertVhloToVersion(ModuleOp module, Version target) {
  if (succeeded(VersionConverter(module.getContext(), target)
                    .convert(*module.getBody())))
    return success();
  std::string text;
  llvm::raw_string_ostream(text)
      << 'v' << target.major << '.' << target.minor << ".0";
  return module.emitError("failed to convert VHLO to ") << text;
}

} // namespace shardwright
