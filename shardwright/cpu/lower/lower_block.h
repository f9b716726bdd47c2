//===- lower_block.h - lowering of a block to steps -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to the lowering: the program under construction (lowering.cc) and
// the lowering of one block (lower_block.cc; dot.cc, collective.cc and
// control.cc lower dots, collectives and control flow).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_LOWER_LOWER_BLOCK_H
#define SHARDWRIGHT_CPU_LOWER_LOWER_BLOCK_H

#include "shardwright/cpu/fusion/fusion.h"
#include "shardwright/cpu/lower/lowering.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

namespace shardwright::cpu {

namespace hlo = shardwright::stablehlo;

/// Destination hint: a buffer that should hold a block's result.
struct DestinationHint {
  SlotId slot = -1;
  /// The live-in value of the buffer (a loop's argument), if any: the result
  /// may be written only after its last use.
  mlir::Value liveIn;
};

class BlockLowering;

class Lowering {
public:
  Lowering(mlir::ModuleOp module, const LoweringOptions &options)
      : module(module), options(options), locations(program.locations) {}
  mlir::FailureOr<Program> run();

private:
  friend class BlockLowering;

  SlotId makeSlot(ElementType type, llvm::ArrayRef<int64_t> shape,
                  Slot::Home home = Slot::Home::Arena, int32_t index = -1);
  SlotId makeView(SlotId of, ElementType type, llvm::ArrayRef<int64_t> shape,
                  int64_t offset);
  /// Constants with equal bytes are merged.
  SlotId makeConstant(ElementType type, llvm::ArrayRef<int64_t> shape,
                      ConstantData data);
  Step &addStep(StepKind kind, llvm::ArrayRef<SlotId> inputs,
                llvm::ArrayRef<SlotId> outputs, int32_t location);
  void copy(SlotId from, SlotId to, int32_t location);
  bool sameBytes(SlotId a, SlotId b) const;
  SlotId base(SlotId slot) const;
  int32_t here() const { return static_cast<int32_t>(program.steps.size()); }
  int32_t kernel(const Cluster &cluster);

  mlir::ModuleOp module;
  const LoweringOptions &options;
  Program program;
  LocationTable locations;
  llvm::DenseMap<mlir::Value, SlotId> slotOfValue;
  std::map<std::string, int32_t> kernelIds;
  /// Constants by their bytes, which `program` owns.
  llvm::DenseMap<llvm::StringRef, int32_t> constantIds;
  std::vector<std::unique_ptr<Cluster>> clusters;
  /// Approximate number of runs of each cluster per run of the program, and of
  /// the steps that are being added.
  std::vector<double> runs;
  double repeats = 1;
};

/// Lowers one block to steps.
class BlockLowering {
public:
  /// `ownsArguments`: the block's arguments may be overwritten when dead.
  BlockLowering(Lowering &parent, mlir::Block &block, bool ownsArguments)
      : p(parent), program(parent.program), block(block),
        ownsArguments(ownsArguments) {}
  /// Returns the slots of the terminator's operands (-1: token), and uses the
  /// destination hints where possible.
  mlir::FailureOr<llvm::SmallVector<SlotId, 4>>
  run(llvm::ArrayRef<DestinationHint> hints);

private:
  mlir::LogicalResult bindExternals();
  void findUses();
  bool assignDestination(int32_t node, const DestinationHint &hint);
  bool replaces(const Unit &unit, int32_t node, int32_t old) const;
  void planLoops();
  mlir::LogicalResult lower(int32_t unit);
  void lowerView(const Unit &unit);
  void lowerKernel(int32_t number, Unit &unit);
  mlir::LogicalResult lowerOpaque(const BlockGraph::Opaque &opaque);
  mlir::LogicalResult lowerLibrary(const BlockGraph::Opaque &opaque,
                                   int32_t number, const Unit &unit);
  mlir::LogicalResult lowerDot(const BlockGraph::Opaque &opaque);
  mlir::LogicalResult readReduction(mlir::Operation *op, CollectiveSpec &spec);
  mlir::LogicalResult lowerCollective(const BlockGraph::Opaque &opaque);
  mlir::LogicalResult lowerWhile(const BlockGraph::Opaque &opaque);
  mlir::LogicalResult lowerBranches(const BlockGraph::Opaque &opaque);
  SlotId slot(int32_t node);
  SlotId target(int32_t node);
  int32_t root(int32_t node) const {
    while (viewOf[node] >= 0)
      node = viewOf[node];
    return node;
  }
  /// Returns a buffer for `node` that starts as the unit's input `param` in
  /// slot `old`: that slot itself if its value is dead, else a copy.
  SlotId updateInPlace(int32_t node, int32_t number, const Unit &unit,
                       size_t param, SlotId old, int32_t location);
  bool mayOverwrite(int32_t node, int32_t unit, const Unit &inUnit,
                    size_t param) const;

  Lowering &p;
  Program &program;
  mlir::Block &block;
  bool ownsArguments;
  BlockGraph graph;
  std::vector<Unit> units;
  std::vector<SlotId> slots, assigned;
  /// True if the assigned buffer is in use until the unit begins.
  std::vector<bool> isLiveAtStart;
  std::vector<int32_t> viewOf, maker, lastUse, useCount;
};

/// True if result i of the loop always equals its initial value.
bool isInvariant(hlo::WhileOp op, unsigned i);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_LOWER_LOWER_BLOCK_H
