//===- print_program.cc - the pass sw-print-program -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/lower/cpu_passes.h"
#include "shardwright/cpu/lower/lowering.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwright::cpu {

static void printSlot(llvm::raw_ostream &os, const Program &program,
                      SlotId id) {
  static constexpr const char *homes[] = {"arena", "argument", "result",
                                          "constant", "view"};
  const Slot &slot = program.slots[id];
  os << '$' << id << " = " << homes[static_cast<int>(slot.home)];
  if (slot.home == Slot::Home::View)
    os << " $" << slot.index << '+' << slot.offset;
  else if (slot.index >= 0)
    os << ' ' << slot.index;
  os << ' ' << str(slot.type) << '[';
  llvm::interleave(slot.shape, os, "x");
  os << "]\n";
}

static void printList(llvm::raw_ostream &os, llvm::ArrayRef<SlotId> slots) {
  for (SlotId s : slots)
    os << " $" << s;
}

static void printStep(llvm::raw_ostream &os, const Program &program,
                      const Step &step) {
  static constexpr const char *kinds[] = {
      "kernel",        "dot",        "library",    "copy",
      "device_id",     "replica_id", "collective", "jump",
      "jump_if_false", "switch",     "return"};
  os << kinds[static_cast<int>(step.kind)];
  if (step.kind == StepKind::Kernel)
    os << ' ' << step.payload;
  if (step.kind == StepKind::Library)
    os << ' ' << program.libraryCalls[step.payload].name;
  printList(os, step.inputs);
  if (!step.outputs.empty()) {
    os << " ->";
    printList(os, step.outputs);
  }
  if (step.target >= 0)
    os << " to " << step.target;
  if (step.kind == StepKind::Switch)
    for (int32_t target : program.switchTargets[step.payload])
      os << " to " << target;
  if (step.location >= 0)
    os << "  // "
       << llvm::StringRef(program.locations[step.location]).split(' ').first;
  os << '\n';
}

namespace {

struct PrintProgram : PassWrapper<PrintProgram, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintProgram)
  StringRef getArgument() const final { return "sw-print-program"; }
  StringRef getDescription() const final {
    return "Compiles for the cpu backend and prints slots and steps";
  }
  void runOnOperation() final {
    FailureOr<Program> program = lowerToProgram(getOperation());
    if (failed(program))
      return signalPassFailure();
    llvm::raw_ostream &os = llvm::outs();
    for (size_t i = 0; i < program->slots.size(); ++i)
      printSlot(os, *program, static_cast<SlotId>(i));
    for (auto [i, step] : llvm::enumerate(program->steps)) {
      os << i << ": ";
      printStep(os, *program, step);
    }
  }
};

} // namespace

void registerPrintProgramPass() { PassRegistration<PrintProgram>(); }

} // namespace shardwright::cpu
