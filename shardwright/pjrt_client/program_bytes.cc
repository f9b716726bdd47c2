//===- program_bytes.cc - a program in the form for plugins ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/program_bytes.h"

#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/dialect/stablehlo/element_type.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/portable/portable.h"
#include "shardwright/interop/region/region_passes.h"
#include "shardwright/legalize/entry_function.h"
#include "shardwright/pjrt_client/replicas_form.h"

using namespace mlir;

namespace shardwright::pjrt_client {

namespace {
constexpr llvm::StringLiteral aliasName("tf.aliasing_output");
constexpr llvm::StringLiteral donorName("jax.buffer_donor");
constexpr llvm::StringLiteral memoryKindName("mhlo.memory_kind");
constexpr llvm::StringLiteral layoutModeName("mhlo.layout_mode");
constexpr llvm::StringLiteral placementTarget("annotate_device_placement");
/// All plugins whose version we accept read it.
constexpr vhlo::Version kSafeVersion{1, 9, 0};
} // namespace

static LogicalResult readTypes(func::FuncOp main, TypeRange types,
                               std::vector<ArrayType> &into) {
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    std::optional<ElementType> element;
    if (tensor && tensor.hasStaticShape())
      element = elementTypeFromMLIR(tensor.getElementType());
    if (!element)
      return main.emitError() << "an argument or result has type " << type
                              << ", which cannot be an array of a plugin";
    into.push_back(
        {*element, llvm::SmallVector<int64_t, 4>(tensor.getShape())});
    if (auto bytes = checkedBytes(into.back().type, into.back().shape); !bytes)
      return main.emitError() << llvm::toString(bytes.takeError());
  }
  return success();
}

/// Reads the memory and layout that an argument or result asks for.
static FailureOr<Placement> readPlacement(func::FuncOp main, bool ofArgument,
                                          unsigned i, size_t rank) {
  auto text = [&](StringRef name) {
    auto attr = ofArgument ? main.getArgAttrOfType<StringAttr>(i, name)
                           : main.getResultAttrOfType<StringAttr>(i, name);
    return attr ? attr.getValue() : StringRef();
  };
  Placement placement;
  placement.memory =
      memoryKindNamed(text(memoryKindName)).value_or(MemoryKind::Device);
  StringRef layout = text(layoutModeName);
  if (layout != "default")
    placement.layout = layout.str();
  if (!placement.layout.empty() && layout != "auto")
    if (auto parsed = MemoryLayout::parse(layout, rank); !parsed)
      return main.emitError()
             << (ofArgument ? "argument" : "result") << " #" << i
             << ": mhlo.layout_mode: " << llvm::toString(parsed.takeError());
  return placement;
}

/// Moves arguments in the host's memory to the device before they are used, as
/// JAX does: some compilers end the process on operands in other memories.
static void moveToDevice(func::FuncOp main, ArrayRef<Placement> placements) {
  OpBuilder b = OpBuilder::atBlockBegin(&main.getBody().front());
  for (auto [argument, placement] :
       llvm::zip_equal(main.getArguments(), placements)) {
    if (placement.memory == MemoryKind::Device)
      continue;
    auto isOther = [](OpOperand &use) {
      auto call = dyn_cast<stablehlo::CustomCallOp>(use.getOwner());
      return !call || call.getCallTargetName() != placementTarget;
    };
    if (llvm::none_of(argument.getUses(), isOther))
      continue;
    OperationState state(argument.getLoc(),
                         stablehlo::CustomCallOp::getOperationName());
    state.addOperands(argument);
    state.addTypes(argument.getType());
    state.addAttribute("call_target_name", b.getStringAttr(placementTarget));
    state.addAttribute("has_side_effect", b.getBoolAttr(true));
    state.addAttribute(
        "mhlo.frontend_attributes",
        b.getDictionaryAttr(b.getNamedAttr("_xla_buffer_placement",
                                           b.getStringAttr("device"))));
    Operation *moved = b.create(state);
    argument.replaceUsesWithIf(moved->getResult(0), [&](OpOperand &use) {
      return use.getOwner() != moved && isOther(use);
    });
  }
}

/// Other compilers learn of donations from attributes of the arguments.
static void writeDonations(func::FuncOp main,
                           ArrayRef<ArgumentDonation> donations) {
  Builder b(main.getContext());
  sdy::BorderAttributes border(main);
  for (unsigned i = 0; i < border.numArguments(); ++i) {
    border.setArgument(i, aliasName, nullptr);
    border.setArgument(i, donorName, nullptr);
    if (i >= donations.size() || !donations[i].isDonated)
      continue;
    if (donations[i].aliasedResult >= 0)
      border.setArgument(i, aliasName,
                         b.getI32IntegerAttr(donations[i].aliasedResult));
    else
      border.setArgument(i, donorName, b.getBoolAttr(true));
  }
  border.write();
}

FailureOr<ProgramParts> programParts(ModuleOp local,
                                     ArrayRef<ArgumentDonation> donations,
                                     std::optional<vhlo::Version> version) {
  FailureOr<func::FuncOp> main = legalize::entryFunction(local);
  if (failed(main))
    return failure();
  ProgramParts parts;
  if (failed(readTypes(*main, main->getArgumentTypes(), parts.arguments)) ||
      failed(readTypes(*main, main->getResultTypes(), parts.results)))
    return failure();
  for (bool ofArguments : {true, false}) {
    const auto &types = ofArguments ? parts.arguments : parts.results;
    auto &into =
        ofArguments ? parts.argumentPlacements : parts.resultPlacements;
    for (auto [i, type] : llvm::enumerate(types)) {
      FailureOr<Placement> placement =
          readPlacement(*main, ofArguments, i, type.shape.size());
      if (failed(placement))
        return failure();
      into.push_back(std::move(*placement));
    }
  }
  moveToDevice(*main, parts.argumentPlacements);
  writeDonations(*main, donations);
  guardIndices(local);
  if (failed(toReplicasForm(local)))
    return failure();
  parts.numDevices =
      local->getAttrOfType<IntegerAttr>("mhlo.num_replicas").getInt();
  std::string text;
  llvm::raw_string_ostream(text)
      << std::clamp(version.value_or(kSafeVersion), vhlo::kMinimumVersion,
                    vhlo::kCurrentVersion);
  llvm::raw_string_ostream os(parts.bytes);
  if (failed(writePortableArtifact(local, text, os,
                                   /*allowOtherDialects=*/false)))
    return failure();
  return parts;
}

} // namespace shardwright::pjrt_client
