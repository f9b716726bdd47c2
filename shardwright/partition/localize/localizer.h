//===- localizer.h - shared code of local forms -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Visits ops in program order and rewrites them in place: when an op is
// visited, its operands have their local types and its results still have the
// global ones. Most ops only get local result types. The others have a function
// here that builds the local form; one file per family.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_LOCALIZE_LOCALIZER_H
#define SHARDWRIGHT_PARTITION_LOCALIZE_LOCALIZER_H

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/layout/layout.h"
#include "shardwright/partition/localize/local_form.h"
#include "shardwright/partition/localize/shard_index.h"
#include "shardwright/partition/ops/op_windows.h"
#include "shardwright/partition/support/op_name_map.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/reducer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

class Localizer {
public:
  /// `nextChannel` is the next free channel handle of the module; `replicas` is
  /// the number of meshes on which the module runs.
  Localizer(mlir::func::FuncOp func, MeshTable &meshes, int64_t &nextChannel,
            int64_t replicas, DeviceStyle style = {})
      : func(func), meshes(meshes), indices(func, meshes, style),
        nextChannel(nextChannel), replicas(replicas),
        form(std::make_unique<LocalForm>(*this)) {}
  Localizer(const Localizer &) = delete;
  /// Call this first.
  void setForm(std::unique_ptr<LocalForm> other) { form = std::move(other); }

  /// Part of `run`, unless it was called before. Calls `visit` for each op of
  /// the function, before its nested ops, and for the function.
  void collectLayouts(llvm::function_ref<void(mlir::Operation *)> visit);
  /// Results about the local function that the module pass needs.
  struct Left {
    /// Ops that `mayBeJoined`, in program order.
    llvm::SmallVector<mlir::Operation *> collectives;
    /// Some op refers to a mesh.
    bool usesMeshes = false;
  };
  mlir::FailureOr<Left> run();

  // Shared by forms and families of ops.
  mlir::func::FuncOp getFunc() const { return func; }
  MeshTable &getMeshes() { return meshes; }
  ShardIndices &getIndices() { return indices; }
  mlir::LogicalResult visitBlock(mlir::Block &block);
  mlir::LogicalResult setLocalResultTypes(mlir::Operation *op);
  mlir::LogicalResult localizePad(stablehlo::PadOp op);
  mlir::LogicalResult localizeScatter(stablehlo::ScatterOp op);
  mlir::Value localSlice(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, int32_t mesh,
                         llvm::ArrayRef<AxisList> axes);
  /// Gathers one dimension along axes.
  mlir::Value gathered(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, int64_t dim, int32_t mesh,
                       AxisRefs axes);
  /// True if the value is sharded.
  bool isSharded(mlir::Value value) const { return placed.contains(value); }
  /// Records the layout of a value that has its global type. Returns false for
  /// a replicated value, which is not recorded.
  bool place(mlir::Value value, LayoutRef layout);
  /// Changes the layout of a sharded value; has no effect on replicated ones.
  void setLayout(mlir::Value value, const Layout &layout);
  /// Makes the value count as replicated from here on.
  void forget(mlir::Value value) { placed.erase(value); }
  /// The windows of an op with sharded results, determined from its global
  /// types.
  llvm::ArrayRef<OpWindow> getWindowsOf(mlir::Operation *op) const;
  void setWindowsOf(mlir::Operation *op, llvm::ArrayRef<OpWindow> windows) {
    windowsOf[op].assign(windows.begin(), windows.end());
  }
  const InternedLayout &layoutOf(mlir::Value value) const;
  AxisRefs axesOf(mlir::Value value, int64_t dim) const;
  /// The size of a dimension in the global program.
  int64_t fullSize(mlir::Value value, int64_t dim) const;
  mlir::Type localType(mlir::Type type, const Layout &layout) const;
  mlir::Type localType(mlir::Type type, const InternedLayout &layout);
  /// The local shape of a value that still has its global type.
  llvm::SmallVector<int64_t> localShape(mlir::Value value) {
    return llvm::to_vector(dimsOf(localType(value.getType(), layoutOf(value))));
  }
  /// Replaces the op's only result and erases the op.
  mlir::LogicalResult replace(mlir::Operation *op, mlir::Value value);
  /// Transfers what the local form stores about `from` to its replacement
  /// `value`.
  void inherit(mlir::Value value, mlir::Value from);
  struct RowPlace {
    int32_t mesh = -1;
    AxisRefs axes;
    /// Rows of the operand's dimension in the global program.
    int64_t size = 0;
    /// The dimension is not sharded.
    bool isUnsharded = false;
  };
  /// The rows of this device's window of a dimension. Rows outside of the value
  /// are `fill` (a scalar), or unspecified if it is null, as it must be for a
  /// window with `starts`.
  mlir::Value fetchRows(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, int64_t dim, const RowPlace &place,
                        const RowWindow &window, mlir::Value fill);
  stablehlo::ChannelHandleAttr nextHandle();
  /// Groups for `use_global_device_ids`, over all replicas.
  mlir::Attribute deviceGroupsOf(int32_t mesh, AxisRefs axes);

private:
  // localizer.cc
  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult visitWhile(stablehlo::WhileOp op);
  mlir::LogicalResult visitBranches(mlir::Operation *op);
  mlir::LogicalResult visitManual(sdy::ManualComputationOp op);
  /// Removes the shardings of a local op and records it in `left`.
  mlir::WalkResult finishOne(mlir::Operation *op);
  mlir::LogicalResult refuse(mlir::Operation *op);
  /// Likewise for these ops and their nested ops.
  mlir::LogicalResult finish(mlir::Block::iterator begin,
                             mlir::Block::iterator end);
  /// Data derived from a dictionary of discardable attributes.
  struct Known {
    /// The dictionary without shardings.
    mlir::DictionaryAttr unsharded;
    /// The only device that executes the op; null: all devices do.
    mlir::IntegerAttr device;
  };
  const Known &known(mlir::DictionaryAttr attributes);

  // localize_uneven.cc: padding rows
  /// True if the operand has padding rows in some of these dimensions.
  bool hasRowsBeyondEnd(mlir::Value operand,
                        llvm::ArrayRef<int64_t> dims) const;
  /// `operand` with `fill` in the padding rows of these dimensions; unchanged
  /// if there are none.
  mlir::Value maskBeyondEnd(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value operand, llvm::ArrayRef<int64_t> dims,
                            mlir::TypedAttr fill);
  /// Pads (with unspecified values) or slices at the high end to `shape`.
  mlir::Value resized(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::LogicalResult localizeReduce(stablehlo::ReduceOp op);
  mlir::LogicalResult localizeCustomCall(stablehlo::CustomCallOp op);
  mlir::LogicalResult localizeDot(mlir::Operation *op,
                                  llvm::ArrayRef<int64_t> lhsContracting,
                                  llvm::ArrayRef<int64_t> rhsContracting);

  // localize_data.cc: constants, iota and ops whose attributes hold sizes
  mlir::LogicalResult localizeConstant(mlir::Operation *op,
                                       mlir::ElementsAttr value);
  mlir::LogicalResult localizeIota(stablehlo::IotaOp op);
  mlir::LogicalResult localizeDynamicSlice(stablehlo::DynamicSliceOp op);
  mlir::Value insideOf(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::RankedTensorType window,
                       llvm::ArrayRef<int64_t> dims, mlir::ValueRange starts,
                       llvm::ArrayRef<int64_t> size);
  mlir::LogicalResult
  localizeDynamicUpdateSlice(stablehlo::DynamicUpdateSliceOp op);

  // localize_windows.cc: ops that need halo rows
  /// Replaces the op's operands by the rows that its sharded windows need;
  /// calls `settle` for each window.
  mlir::LogicalResult fetchWindows(
      mlir::Operation *op,
      llvm::function_ref<mlir::Value(int64_t operand)> fillOf,
      llvm::function_ref<void(const OpWindow &, const RowWindow &)> settle);
  mlir::LogicalResult localizeSlice(stablehlo::SliceOp op);
  void mirrorShards(stablehlo::ReverseOp op);
  mlir::LogicalResult localizeReverse(stablehlo::ReverseOp op);
  mlir::LogicalResult localizeConcatenate(stablehlo::ConcatenateOp op);
  mlir::LogicalResult localizeReduceWindow(stablehlo::ReduceWindowOp op);
  mlir::LogicalResult
  localizeSelectAndScatter(stablehlo::SelectAndScatterOp op);
  mlir::LogicalResult localizeConvolution(stablehlo::ConvolutionOp op);
  // localize_scan.cc
  mlir::LogicalResult localizeScan(stablehlo::ReduceWindowOp op,
                                   const Scan &scan);

  // localize_device.cc
  mlir::LogicalResult localizeOnDevice(mlir::Operation *op, int64_t device);

  // localize_gather.cc
  mlir::LogicalResult localizeGather(stablehlo::GatherOp op);
  /// A scalar: true if this device has the first shard along each of these
  /// sharded dimensions.
  mlir::Value hasFirstShards(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value value, llvm::ArrayRef<int64_t> dims);
  mlir::LogicalResult refusePartOf(mlir::Operation *op, int64_t dim,
                                   int64_t rows, int64_t size);
  /// The sharded dimensions of a scatter's operand.
  struct ScatterDims {
    /// Indexed dimensions; windows have one row of them, or some in `cut`.
    llvm::SmallVector<int64_t> shifted;
    llvm::SmallVector<WindowRows> cut;
    /// Dimensions without an index, written at their first row.
    llvm::SmallVector<int64_t> fixed;
  };
  mlir::FailureOr<ScatterDims> readScatter(stablehlo::ScatterOp op);
  // localize_scatter_windows.cc
  /// Adds to the index vectors the padding in front of each shard. Vectors
  /// whose window is not inside of the global operand become out of bounds of
  /// all shards.
  void indexIntoRoom(stablehlo::ScatterOp op, llvm::ArrayRef<WindowRows> cut);
  /// Localizes the rest of the op; returns the replacements of its results.
  llvm::SmallVector<mlir::Value>
  scatterIntoRoom(stablehlo::ScatterOp op, llvm::ArrayRef<WindowRows> cut);
  /// Makes index vectors in padding rows out of bounds.
  void dropBeyondEnd(stablehlo::ScatterOp op);
  /// The index vectors as i64. Components of sharded dimensions are relative to
  /// the shard's offset, after optional clamping to [0, clampTo).
  struct LocalIndices {
    mlir::Value indices;
    /// By index vector: true if all such components are within the shard.
    mlir::Value inside;
  };
  LocalIndices localizeIndices(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value indices, int64_t indexVectorDim,
                               llvm::ArrayRef<int64_t> indexedDims,
                               mlir::Value operand,
                               llvm::ArrayRef<int64_t> shardedDims,
                               bool clampAndTest);

  // localize_collectives.cc
  mlir::LogicalResult localizeCollective(mlir::Operation *op);
  mlir::Value padToParts(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, llvm::ArrayRef<int64_t> parts);
  mlir::Value localGather(sdy::AllGatherOp op);
  mlir::Value localAllReduce(sdy::AllReduceOp op);
  mlir::Value localReduceScatter(sdy::ReduceScatterOp op);
  AxisList reorderedBefore(sdy::AllToAllOp op);
  mlir::Value localAllToAll(sdy::AllToAllOp op);
  mlir::Value localPermute(sdy::CollectivePermuteOp op);
  mlir::Value localToUnreduced(sdy::ReplicatedToUnreducedOp op);
  mlir::Value localToUnreduced(sdy::ShardedToUnreducedOp op);
  // localize_exchange.cc
  mlir::LogicalResult localizeExchange(sdy::ReshardOp op);

  /// Start of a slice of this many rows, clamped as in the global program,
  /// relative to this device's shard; may be out of bounds on either side.
  mlir::Value startInShard(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value operand, int64_t dim, mlir::Value start,
                           int64_t size);
  /// `value` replaces `from`, with the same layout and state of the form.
  void inheritPart(mlir::Value value, mlir::Value from);
  /// Groups of partition ids of one replica.
  mlir::Attribute partitionGroups(int32_t mesh, AxisRefs axes);
  mlir::Attribute makeDeviceGroups(int32_t mesh, AxisRefs axes);
  /// A 0-d i64 converted to another element type and broadcast to a type.
  mlir::Value broadcastScalar(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value scalar, mlir::RankedTensorType type);
  mlir::Value zeros(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::RankedTensorType type);
  /// The neutral element for combining moved elements as `getCombiner` says: -0
  /// if the type has it, so that 0 and -0 are preserved; false for i1; the
  /// minimum for types without zero. For maxima and minima, which must exist
  /// for the type: the element that never wins.
  mlir::Value neutral(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::RankedTensorType type,
                      ReducerKind kind = ReducerKind::Add);

  mlir::func::FuncOp func;
  MeshTable &meshes;
  ShardIndices indices;
  int64_t &nextChannel;
  int64_t replicas;
  std::unique_ptr<LocalForm> form;
  bool hasLayouts = false;
  /// A sharded value.
  struct Placed {
    LayoutRef layout = nullptr;
    /// The value's type in the global program.
    mlir::Type type;
  };
  llvm::DenseMap<mlir::Value, Placed> placed;
  llvm::DenseMap<std::pair<mlir::Type, LayoutRef>, mlir::Type> localTypes;
  /// Cached results of deviceGroupsOf().
  std::vector<std::tuple<int32_t, AxisList, mlir::Attribute>> groupsOf;
  Left left;
  /// Pending part of the last visit: the op whose regions are finished, or all.
  struct {
    mlir::Operation *inside = nullptr;
    bool all = false;
  } finished;
  /// Permutes that their users absorb, and those that were absorbed already.
  llvm::SmallDenseSet<mlir::Operation *, 2> takenPermutes;
  llvm::SmallVector<mlir::Operation *> replacedPermutes;
  llvm::DenseMap<mlir::DictionaryAttr, Known> knownOf;
  mlir::DictionaryAttr lastAttributes;
  Known lastKnown;
  struct NameTraits {
    bool mayBeJoined = false, usesMesh = false, isSdy = false;
  };
  OpNameMap<NameTraits> traits;
  /// Names of ops whose local form is the same op with local types.
  llvm::SmallDenseSet<mlir::OperationName, 64> localByType;
  /// Windows of ops with sharded results, determined from their global types.
  llvm::DenseMap<mlir::Operation *, std::vector<OpWindow>> windowsOf;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LOCALIZE_LOCALIZER_H
