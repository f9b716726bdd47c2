//===- import_custom_calls.cc - import ops written as custom calls --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/import_custom_calls.h"

#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/control_flow.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "shardwright/interop/import_eigh.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace shardwright {
namespace {

constexpr llvm::StringLiteral attributesName("mhlo.attributes");
constexpr llvm::StringLiteral versionName("mhlo.version");
constexpr llvm::StringLiteral placementTarget("annotate_device_placement");

/// The op for a target such as `mhlo.erf`, `chlo.top_k` or `stablehlo.tan`.
std::optional<RegisteredOperationName> namedOp(StringRef target,
                                               MLIRContext *context) {
  auto [prefix, name] = target.split('.');
  if (prefix != "mhlo" && prefix != "chlo" && prefix != "stablehlo")
    return std::nullopt;
  if (prefix == "mhlo" && name == "topk")
    name = "top_k";
  for (StringRef dialect : {"chlo", "stablehlo"})
    if (auto found = RegisteredOperationName::lookup(
            (dialect + "." + name).str(), context))
      return found;
  return std::nullopt;
}

/// Converts a number or type to the attribute kind that the op expects. Writers
/// of calls use integers of any width.
Attribute adapted(StringAttr name, Attribute value) {
  auto integer = dyn_cast<IntegerAttr>(value);
  if (name == "k" && integer && integer.getType().isSignlessInteger())
    return IntegerAttr::get(IntegerType::get(value.getContext(), 64),
                            integer.getValue().getSExtValue());
  return value;
}

/// The attributes of the op, or an error.
FailureOr<NamedAttrList> attributesOf(stablehlo::CustomCallOp call) {
  NamedAttrList attributes;
  Attribute found = call->getDiscardableAttr(attributesName);
  // Typed calls store them in their configuration.
  if (!found)
    found = dyn_cast_or_null<DictionaryAttr>(
        call.getBackendConfig().value_or(Attribute()));
  if (found && !isa<DictionaryAttr>(found))
    return call.emitError()
           << attributesName << " must be a dictionary, got " << found;
  for (NamedAttribute attr : cast_or_null<DictionaryAttr>(found)
                                 ? cast<DictionaryAttr>(found).getValue()
                                 : ArrayRef<NamedAttribute>()) {
    // Both directions use the name topk; the one for the smallest elements is
    // handled separately.
    if (attr.getName() == "largest")
      continue;
    attributes.append(attr.getName(), adapted(attr.getName(), attr.getValue()));
  }
  for (NamedAttribute attr : call->getDiscardableAttrs())
    if (attr.getName() != attributesName && attr.getName() != versionName)
      attributes.append(attr);
  return attributes;
}

/// Removes a placement call: all memory is host memory here, so that only
/// attributes of the program's results matter.
LogicalResult importPlacement(stablehlo::CustomCallOp call) {
  if (call.getInputs().size() != 1 || call->getNumResults() != 1 ||
      call.getInputs()[0].getType() != call->getResult(0).getType())
    return call.emitError() << "custom call @" << placementTarget
                            << " expects one operand, and a result of its type";
  if (auto attributes =
          call->getAttrOfType<DictionaryAttr>("mhlo.frontend_attributes"))
    if (auto kind = attributes.getAs<StringAttr>("_xla_buffer_placement"))
      if (!llvm::is_contained({"device", "pinned_host", "unpinned_host"},
                              kind.getValue()))
        return call.emitError()
               << "custom call @" << placementTarget << " has memory of kind "
               << kind << ", expected device, pinned_host or unpinned_host";
  Value value = call.getInputs()[0];
  OpBuilder b(call);
  auto shardings =
      call->getAttrOfType<sdy::TensorShardingPerValueAttr>(sdy::kShardingAttr);
  if (shardings && shardings.getShardings().size() == 1)
    value = sdy::ShardingConstraintOp::create(b, call.getLoc(), value,
                                              shardings.getShardings()[0]);
  call->getResult(0).replaceAllUsesWith(value);
  call.erase();
  return success();
}

/// True if the call selects the smallest elements.
bool isSmallestK(stablehlo::CustomCallOp call) {
  auto attributes = call->getAttrOfType<DictionaryAttr>(attributesName);
  auto largest =
      attributes ? attributes.getAs<BoolAttr>("largest") : BoolAttr();
  return largest && !largest.getValue();
}

/// top_k of the smallest elements: a stable sort and a slice.
LogicalResult expandSmallestK(chlo::TopKOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getOperand().getType());
  if (!type || !type.hasStaticShape() || type.getRank() == 0 ||
      !isa<FloatType, IntegerType>(type.getElementType()))
    return op.emitError() << "the smallest elements of " << type
                          << " cannot be selected, expected a tensor of static "
                             "shape whose elements have an order";
  OpBuilder b(op);
  Location loc = op.getLoc();
  int64_t last = type.getRank() - 1;
  auto indices = type.clone(b.getI32Type());
  Value iota = stablehlo::IotaOp::create(b, loc, indices, last);
  auto sort = stablehlo::SortOp::create(b, loc, TypeRange{type, indices},
                                        ValueRange{op.getOperand(), iota}, last,
                                        /*is_stable=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    auto value = RankedTensorType::get({}, type.getElementType()),
         index = RankedTensorType::get({}, b.getI32Type());
    Block *block =
        b.createBlock(&sort.getComparator(), {}, {value, value, index, index},
                      {loc, loc, loc, loc});
    stablehlo::ComparisonTypeAttr order;
    if (isa<FloatType>(type.getElementType()))
      order = stablehlo::ComparisonTypeAttr::get(
          b.getContext(), stablehlo::ComparisonType::TOTALORDER);
    Value less = stablehlo::CompareOp::create(
        b, loc, block->getArgument(0), block->getArgument(1),
        stablehlo::ComparisonDirectionAttr::get(
            b.getContext(), stablehlo::ComparisonDirection::LT),
        order);
    stablehlo::ReturnOp::create(b, loc, less);
  }
  SmallVector<int64_t> start(type.getRank(), 0), limit(type.getShape()),
      strides(type.getRank(), 1);
  limit[last] = op.getK();
  for (auto [result, sorted] : llvm::zip(op.getResults(), sort.getResults()))
    result.replaceAllUsesWith(
        stablehlo::SliceOp::create(b, loc, sorted, start, limit, strides));
  op.erase();
  return success();
}

LogicalResult importCall(stablehlo::CustomCallOp call) {
  if (call.getCallTargetName() == placementTarget)
    return importPlacement(call);
  if (call.getCallTargetName() == "Eigh")
    return importEigh(call);
  // A copy has a meaning only in dialects of buffers.
  if (call.getCallTargetName() == "mhlo.copy" &&
      call.getOperandTypes() == call.getResultTypes()) {
    call.replaceAllUsesWith(call.getInputs());
    call.erase();
    return success();
  }
  auto name = namedOp(call.getCallTargetName(), call.getContext());
  if (!name || !call.getCalledComputations().empty())
    return success();
  FailureOr<NamedAttrList> attributes = attributesOf(call);
  if (failed(attributes))
    return failure();
  OpBuilder b(call);
  OperationState state(call.getLoc(), *name);
  state.addOperands(call.getInputs());
  state.addTypes(call.getResultTypes());
  state.addAttributes(attributes->getAttrs());
  // If a builder fails, the op's verifier rejects the result.
  Operation *op = b.create(state);
  // Attach the name of the call to the op's diagnostics.
  ScopedDiagnosticHandler words(call.getContext(), [&](Diagnostic &diagnostic) {
    diagnostic.attachNote(call.getLoc())
        << "custom call @" << call.getCallTargetName() << " stands for "
        << name->getStringRef();
    return failure();
  });
  if (failed(verify(op, /*verifyRecursively=*/false))) {
    op->erase();
    return failure();
  }
  bool smallest = isSmallestK(call);
  call.replaceAllUsesWith(op->getResults());
  call.erase();
  if (auto topK = dyn_cast<chlo::TopKOp>(op); topK && smallest)
    return expandSmallestK(topK);
  return success();
}

struct ImportCustomCallsPass
    : PassWrapper<ImportCustomCallsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ImportCustomCallsPass)

  StringRef getArgument() const final { return "sw-import-custom-calls"; }
  StringRef getDescription() const final {
    return "Replaces custom calls by the ops that they stand for";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<chlo::ChloDialect, sdy::SdyDialect,
                    stablehlo::StablehloDialect>();
  }
  void runOnOperation() final {
    if (failed(importCustomCalls(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult importCustomCalls(Operation *root) {
  SmallVector<stablehlo::CustomCallOp> calls;
  root->walk([&](stablehlo::CustomCallOp call) { calls.push_back(call); });
  for (stablehlo::CustomCallOp call : calls)
    if (failed(importCall(call)))
      return failure();
  return success();
}

std::unique_ptr<Pass> createImportCustomCallsPass() {
  return std::make_unique<ImportCustomCallsPass>();
}

void registerImportCustomCallsPass() {
  PassRegistration<ImportCustomCallsPass>();
}

} // namespace shardwright
