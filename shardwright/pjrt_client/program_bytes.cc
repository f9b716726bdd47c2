//===- program_bytes.cc - a program in the form for plugins ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/program_bytes.h"

#include "shardwright/dialect/stablehlo/element_type.h"
#include "shardwright/interop/portable/portable.h"
#include "shardwright/legalize/entry_function.h"
#include "shardwright/pjrt_client/replicas_form.h"

using namespace mlir;

namespace shardwright::pjrt_client {

namespace {
constexpr llvm::StringLiteral aliasName("tf.aliasing_output");
constexpr llvm::StringLiteral donorName("jax.buffer_donor");
constexpr llvm::StringLiteral memoryKindName("mhlo.memory_kind");
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

/// Other compilers learn of donations from attributes of the arguments.
static void writeDonations(func::FuncOp main,
                           ArrayRef<ArgumentDonation> donations) {
  Builder b(main.getContext());
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    main.removeArgAttr(i, aliasName);
    main.removeArgAttr(i, donorName);
    if (i >= donations.size() || !donations[i].isDonated)
      continue;
    if (donations[i].aliasedResult >= 0)
      main.setArgAttr(i, aliasName,
                      b.getI32IntegerAttr(donations[i].aliasedResult));
    else
      main.setArgAttr(i, donorName, b.getBoolAttr(true));
  }
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
  for (unsigned i = 0; i < main->getNumResults(); ++i) {
    auto kind = main->getResultAttrOfType<StringAttr>(i, memoryKindName);
    parts.resultMemories.push_back(
        kind ? memoryKindNamed(kind.getValue()).value_or(MemoryKind::Device)
             : MemoryKind::Device);
  }
  writeDonations(*main, donations);
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
