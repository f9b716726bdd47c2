//===- library_call.cc - lowering of library calls to steps ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/host_call.h"
#include "shardwright/cpu/library/library_op.h"
#include "shardwright/cpu/lower/lower_block.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::cpu {

LogicalResult BlockLowering::lowerLibrary(const BlockGraph::Opaque &opaque,
                                          int32_t number, const Unit &unit) {
  LibraryCall call = *opaque.library;
  // Fallback functions are created only when the program is prepared to run,
  // because creating them may have effects; they have no scratch memory.
  llvm::Expected<LibraryOp> made = isMadeByFallback(call.name)
                                       ? llvm::Expected<LibraryOp>(LibraryOp())
                                       : makeLibraryOp(call);
  if (!made) {
    std::string what = llvm::toString(made.takeError());
    if (auto custom = dyn_cast<hlo::CustomCallOp>(opaque.op))
      return opaque.op->emitError()
             << "custom call '" << custom.getCallTargetName() << "': " << what;
    return opaque.op->emitError() << what;
  }
  int32_t location = p.locations.add(opaque.op);
  llvm::SmallVector<SlotId, 4> inputs, outputs;
  for (int32_t i : opaque.inputs)
    inputs.push_back(slot(i));
  for (auto [i, node] : llvm::enumerate(opaque.results)) {
    int param = -1;
    for (auto [out, in] : call.aliases)
      if (out == static_cast<int>(i))
        param = in;
    if (param < 0) {
      outputs.push_back(target(node));
      continue;
    }
    outputs.push_back(
        updateInPlace(node, number, unit, param, inputs[param], location));
    inputs[param] = outputs.back();
  }
  bool isEmpty = llvm::all_of(
      outputs, [&](SlotId s) { return program.slots[s].elements() == 0; });
  if (isEmpty && !opaque.ordered)
    return success();
  call.scratchBytes = (made->scratchBytes + 63) / 64 * 64;
  call.scratchCopies = scratchCopies(*made);
  if (int64_t bytes = call.scratchBytes * call.scratchCopies)
    outputs.push_back(p.makeSlot(ElementType::U8, {bytes}));
  p.addStep(StepKind::Library, inputs, outputs, location).payload =
      static_cast<int32_t>(program.libraryCalls.size());
  program.libraryCalls.push_back(std::move(call));
  return success();
}

} // namespace shardwright::cpu
