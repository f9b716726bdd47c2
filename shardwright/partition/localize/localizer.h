//===- localizer.h - what the local forms of ops share ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops are visited in program order and rewritten in place: when an op is
// visited its operands have their local types already, its results still have
// the global ones. Most ops only get local result types. The others have a
// function here that builds the local form; one file a family.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_LOCALIZE_LOCALIZER_H
#define SHARDWRIGHT_PARTITION_LOCALIZE_LOCALIZER_H

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/layout/layout.h"
#include "shardwright/partition/localize/local_form.h"
#include "shardwright/partition/localize/shard_index.h"
#include "shardwright/partition/ops/op_windows.h"
#include "shardwright/partition/support/block_order.h"
#include "shardwright/partition/support/op_name_map.h"
#include "shardwright/partition/support/tensor_types.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

class Localizer {
public:
  /// `nextChannel` is the next free channel handle of the module, which runs
  /// on `replicas` meshes.
  Localizer(mlir::func::FuncOp func, MeshTable &meshes, int64_t &nextChannel,
            int64_t replicas, DeviceStyle style = {})
      : func(func), meshes(meshes), indices(func, meshes, style),
        nextChannel(nextChannel), replicas(replicas),
        form(std::make_unique<LocalForm>(*this)) {}
  Localizer(const Localizer &) = delete;
  /// To be called first.
  void setForm(std::unique_ptr<LocalForm> other) { form = std::move(other); }

  /// Part of `run`, unless it was called before. `visit` hears of each op of
  /// the function, before those in it, and of the function.
  void collectLayouts(llvm::function_ref<void(mlir::Operation *)> visit);
  /// What is in the local function and concerns the module.
  struct Left {
    /// Ops that `mayBeJoined`, in program order.
    llvm::SmallVector<mlir::Operation *> collectives;
    BlockOrder order;
    /// Some op names a mesh.
    bool usesMeshes = false;
  };
  mlir::FailureOr<Left> run();

  // What forms and families of ops share.
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
  /// One dimension gathered along axes.
  mlir::Value gathered(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, int64_t dim, int32_t mesh,
                       AxisRefs axes);
  /// The value is sharded.
  bool isSharded(mlir::Value value) const { return placed.contains(value); }
  /// Notes the layout of a value that has its global type; false if it is
  /// replicated, which is not noted.
  bool place(mlir::Value value, LayoutRef layout);
  /// Gives a sharded value another layout; replicated values stay so.
  void setLayout(mlir::Value value, const Layout &layout);
  /// The value counts as replicated from here on.
  void forget(mlir::Value value) { placed.erase(value); }
  /// The windows of an op with sharded results, read off its global types.
  llvm::ArrayRef<OpWindow> getWindowsOf(mlir::Operation *op) const;
  void setWindowsOf(mlir::Operation *op,
                    llvm::SmallVector<OpWindow, 2> windows) {
    windowsOf[op] = std::move(windows);
  }
  const InternedLayout &layoutOf(mlir::Value value) const;
  AxisRefs axesOf(mlir::Value value, int64_t dim) const;
  /// The size of a dimension in the program of all devices.
  int64_t fullSize(mlir::Value value, int64_t dim) const;
  mlir::Type localType(mlir::Type type, const Layout &layout) const;
  mlir::Type localType(mlir::Type type, const InternedLayout &layout);
  /// Of a value that still has its global type.
  llvm::SmallVector<int64_t> localShape(mlir::Value value) {
    return llvm::to_vector(dimsOf(localType(value.getType(), layoutOf(value))));
  }
  /// Replaces the op's only result and erases the op.
  mlir::LogicalResult replace(mlir::Operation *op, mlir::Value value);
  /// Stores the local form's layout for a value that stands for another.
  void inherit(mlir::Value value, mlir::Value from);
  stablehlo::ChannelHandleAttr nextHandle();
  /// Groups for `use_global_device_ids`: those of every replica.
  mlir::Attribute deviceGroupsOf(int32_t mesh, AxisRefs axes);

private:
  // localizer.cc
  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult visitWhile(stablehlo::WhileOp op);
  mlir::LogicalResult visitBranches(mlir::Operation *op);
  mlir::LogicalResult visitManual(sdy::ManualComputationOp op);
  /// What of an op is done when it is local: it loses its shardings, and is
  /// noted in `left`.
  mlir::WalkResult finishOne(mlir::Operation *op);
  mlir::LogicalResult refuse(mlir::Operation *op);
  /// Likewise of these ops and those in them; `ops` gets those that stay.
  mlir::LogicalResult finish(mlir::Block::iterator begin,
                             mlir::Block::iterator end, BlockOrder::Ops &ops);
  /// What there is to know of discardable attributes.
  struct Known {
    /// What is left of them.
    mlir::DictionaryAttr unsharded;
    /// The one device that does the op; null: all do.
    mlir::IntegerAttr device;
  };
  const Known &known(mlir::DictionaryAttr attributes);

  // localize_uneven.cc: rows beyond the end of a dimension
  /// The operand has such rows in some of these dimensions.
  bool hasRowsBeyondEnd(mlir::Value operand,
                        llvm::ArrayRef<int64_t> dims) const;
  /// `operand` with `fill` in the rows of these dimensions that are beyond the
  /// end; as it is where there are none.
  mlir::Value maskBeyondEnd(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value operand, llvm::ArrayRef<int64_t> dims,
                            mlir::TypedAttr fill);
  /// High padding or cutting (with what is never looked at) to `shape`.
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

  // localize_windows.cc: ops that need rows of their neighbours
  struct RowPlace {
    int32_t mesh = -1;
    AxisRefs axes;
    /// Rows of the operand's dimension in the program of all devices.
    int64_t size = 0;
    /// Every device has all of them.
    bool isUnsharded = false;
  };
  /// The rows of this device's window of a dimension; those outside of the
  /// value are `fill` (a scalar), or anything if it is null.
  mlir::Value fetchRows(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, int64_t dim, const RowPlace &place,
                        const RowWindow &window, mlir::Value fill);
  /// Replaces the op's operands by what its sharded windows need; `settle`
  /// hears of each.
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
  /// Whether this device has the first shard along each of these sharded
  /// dimensions, as a scalar.
  mlir::Value hasFirstShards(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value value, llvm::ArrayRef<int64_t> dims);
  mlir::LogicalResult refusePartOf(mlir::Operation *op, int64_t dim,
                                   int64_t rows, int64_t size);
  /// Sharded dimensions of what a scatter updates.
  struct ScatterDims {
    /// Indices name them, and windows have one row of them or `cut` of them.
    llvm::SmallVector<int64_t> shifted;
    llvm::SmallVector<WindowRows> cut;
    /// Written at their first row, because no index names them.
    llvm::SmallVector<int64_t> fixed;
  };
  mlir::FailureOr<ScatterDims> readScatter(stablehlo::ScatterOp op);
  // localize_scatter_windows.cc
  /// Moves the index vectors by the room in front of each shard. Those whose
  /// window is not inside of the whole operand lead outside of all shards.
  void indexIntoRoom(stablehlo::ScatterOp op, llvm::ArrayRef<WindowRows> cut);
  /// The rest of localizing the op; what stands for its results.
  llvm::SmallVector<mlir::Value>
  scatterIntoRoom(stablehlo::ScatterOp op, llvm::ArrayRef<WindowRows> cut);
  /// Index vectors beyond the end of an uneven dimension point nowhere.
  void dropBeyondEnd(stablehlo::ScatterOp op);
  /// The index vectors as i64 with, for the components of sharded dimensions,
  /// the shard's offset subtracted after clamping to [0, clampTo) where asked.
  struct LocalIndices {
    mlir::Value indices;
    /// Per index vector: all such components are within the shard.
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

  /// Where a slice of so many rows, clamped as on the whole value, starts in
  /// this device's shard; may be outside of it on either side.
  mlir::Value startInShard(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value operand, int64_t dim, mlir::Value start,
                           int64_t size);
  /// `value` takes the place of `from`, in its layout and in what the form
  /// knows of it.
  void inheritPart(mlir::Value value, mlir::Value from);
  /// Groups that number the partitions of one replica.
  mlir::Attribute partitionGroups(int32_t mesh, AxisRefs axes);
  mlir::Attribute makeDeviceGroups(int32_t mesh, AxisRefs axes);
  /// A 0-d i64 converted to another element type and broadcast to a type.
  mlir::Value broadcastScalar(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value scalar, mlir::RankedTensorType type);
  mlir::Value zeros(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::RankedTensorType type);
  /// What leaves anything as it is when combined with it as `getCombiner` says
  /// of moved elements: -0 where there is one, so that 0 and -0 stay what they
  /// are; of truth values, false; of types without zero, the least.
  mlir::Value neutral(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::RankedTensorType type);

  mlir::func::FuncOp func;
  MeshTable &meshes;
  ShardIndices indices;
  int64_t &nextChannel;
  int64_t replicas;
  std::unique_ptr<LocalForm> form;
  bool hasLayouts = false;
  /// Sharded values only.
  struct Placed {
    LayoutRef layout = nullptr;
    /// The value's type in the program of all devices.
    mlir::Type type;
  };
  llvm::DenseMap<mlir::Value, Placed> placed;
  llvm::DenseMap<std::pair<mlir::Type, LayoutRef>, mlir::Type> localTypes;
  /// What deviceGroupsOf() gave; few.
  std::vector<std::tuple<int32_t, AxisList, mlir::Attribute>> groupsOf;
  /// Of the global program.
  BlockOrder order;
  Left left;
  /// Of what the last visit left: the op whose regions are finished, or all.
  struct {
    mlir::Operation *inside = nullptr;
    bool all = false;
  } finished;
  /// Permutes that their users do, and those of them that were.
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
  /// Of ops with sharded results, read off their global types.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<OpWindow, 2>> windowsOf;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LOCALIZE_LOCALIZER_H
