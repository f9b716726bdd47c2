//===- verify_collectives.cc - verification of collectives --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/sdy/unreduced_transition.h"
#include "shardwright/dialect/sdy/verify_sharding.h"

using namespace mlir;

namespace shardwright::sdy {

namespace {

/// The shardings of both sides as values. Create this after the interface has
/// verified the shardings.
struct Sides {
  MeshAttr meshAttr;
  Mesh mesh;
  TensorSharding operand, result;

  explicit Sides(CollectiveOpInterface op) {
    meshAttr = getMeshAttr(op, op.getOutSharding());
    mesh = meshFromAttr(meshAttr);
    result = shardingFromAttr(op.getOutSharding(), mesh);
    if (TensorShardingAttr in = getSharding(op.getTensor()))
      operand = shardingFromAttr(in, meshFromAttr(getMeshAttr(op, in)));
    else
      operand = TensorSharding::open(op.getOutSharding().getRank());
  }
};

} // namespace

LogicalResult detail::verifyCollectiveOp(Operation *raw) {
  auto op = cast<CollectiveOpInterface>(raw);
  TensorShardingAttr in = getSharding(op.getTensor());
  if (!in && !op.allowMissingInputSharding())
    return op->emitOpError("collective on operand without sharding");
  TensorShardingAttr out = op.getOutSharding();
  if (failed(verifySharding(out, op.getType(), op,
                            [&] { return op->emitOpError(); })))
    return failure();
  if (!in)
    return success();
  MeshAttr inMesh = getMeshAttr(op, in);
  if (!inMesh) // its holder also reports it, possibly later
    return op->emitOpError("unknown mesh: ") << in.getMeshOrRef();
  if (!op.allowDifferentMeshes() && inMesh != getMeshAttr(op, out))
    return op->emitOpError("result mesh does not match operand mesh");
  if (in.getRank() != out.getRank())
    return op->emitOpError("result sharding has rank ")
           << out.getRank() << " but operand sharding has rank "
           << in.getRank();
  return success();
}

//===----------------------------------------------------------------------===//
// Axis lists
//===----------------------------------------------------------------------===//

/// Rejects sub-axes of a parameter that overflow, which the algebra cannot
/// handle. Shardy wraps around instead.
static LogicalResult verifyNoOverflow(ArrayRef<AxisRefAttr> axes,
                                      Operation *op) {
  for (AxisRefAttr axis : axes) {
    int64_t next = 0;
    if (SubAxisInfoAttr sub = axis.getSubAxisInfo())
      if (llvm::MulOverflow(sub.getPreSize(), sub.getSize(), next))
        return op->emitOpError("sub-axis next pre-size overflows 64 bits: ")
               << axis.toString();
  }
  return success();
}

static LogicalResult verifyParameter(ArrayRef<AxisRefAttr> axes, MeshAttr mesh,
                                     SeenAxes &seen, Operation *op) {
  return failure(failed(verifyAxisList(axes, mesh, seen,
                                       [&] { return op->emitOpError(); })) ||
                 failed(verifyNoOverflow(axes, op)));
}

/// `["a", "b":(1)2]`
static std::string toString(AxisRefs axes, const Mesh &mesh) {
  std::string text = "[";
  for (AxisRef axis : axes) {
    if (text.size() > 1)
      text += ", ";
    text += mesh.str(axis);
  }
  return text + "]";
}

static LogicalResult verifyDim(Operation *op, const Mesh &mesh,
                               AxisRefs expected, AxisRefs actual,
                               int64_t dim) {
  if (expected == actual)
    return success();
  return op->emitOpError("result sharding doesn't match expected sharding ")
         << toString(expected, mesh) << " on dimension " << dim;
}

/// Removes `axes` from the end of `from`, last one first; each must be a suffix
/// of the remaining list.
static LogicalResult removeFromEnd(Operation *op, const Mesh &mesh,
                                   ArrayRef<AxisRefAttr> axes, AxisList &from,
                                   int64_t dim, StringRef kind) {
  for (AxisRefAttr attr : llvm::reverse(axes)) {
    std::optional<AxisRef> axis = axisFromAttr(attr, mesh);
    if (!axis || from.empty() || from.back().preSize < 1 ||
        !isSuffixOf(*axis, from.back()))
      return op->emitOpError("can't apply ")
             << kind << " axis " << attr.toString()
             << " to operand sharding on dimension " << dim;
    AxisRef last = from.pop_back_val();
    // The sizes of an invalid sub-axis may not divide.
    if (axis->preSize != last.preSize)
      from.push_back({last.axis, last.preSize, axis->preSize / last.preSize});
  }
  return success();
}

/// Checks lists of axes by dimension; `apply` converts an operand dimension to
/// the expected result dimension.
static LogicalResult verifyLists(
    CollectiveOpInterface op, ListOfAxisRefListsAttr lists, const Sides &sides,
    function_ref<LogicalResult(ArrayRef<AxisRefAttr>, AxisList &, int64_t)>
        apply) {
  SeenAxes seen;
  for (AxisRefListAttr list : lists)
    if (failed(verifyParameter(list.getValue(), sides.meshAttr, seen, op)))
      return failure();
  if (static_cast<int64_t>(lists.size()) != sides.result.rank())
    return op->emitOpError("result sharding has rank ")
           << sides.result.rank() << " but collective axes has rank "
           << lists.size();
  for (auto [dim, list, in, out] :
       llvm::enumerate(lists, sides.operand.dims, sides.result.dims)) {
    AxisList expected = in.axes;
    if (failed(apply(list.getValue(), expected, dim)) ||
        failed(verifyDim(op, sides.mesh, expected, out.axes, dim)))
      return failure();
  }
  return success();
}

static LogicalResult verifyGather(CollectiveOpInterface op,
                                  ListOfAxisRefListsAttr lists, StringRef kind,
                                  const Sides &sides) {
  return verifyLists(op, lists, sides,
                     [&](ArrayRef<AxisRefAttr> axes, AxisList &dim, int64_t i) {
                       return removeFromEnd(op, sides.mesh, axes, dim, i, kind);
                     });
}

static LogicalResult verifySlice(CollectiveOpInterface op,
                                 ListOfAxisRefListsAttr lists) {
  Sides sides(op);
  return verifyLists(op, lists, sides,
                     [&](ArrayRef<AxisRefAttr> axes, AxisList &dim, int64_t) {
                       appendMerged(dim, axesFromAttr(axes, sides.mesh));
                       return success();
                     });
}

/// True if the result's unreduced axes are those of `operand` and `added`.
static bool addsUnreduced(const Sides &sides, AxisRefs added) {
  AxisList expected = sides.operand.unreduced;
  llvm::append_range(expected, added);
  sortAndMerge(expected);
  return expected == sides.result.unreduced;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult AllGatherOp::verify() {
  return verifyGather(*this, getGatheringAxes(), "gathering", Sides(*this));
}

LogicalResult AllSliceOp::verify() {
  return verifySlice(*this, getSlicingAxes());
}

/// Checks that a reducing collective adds no unreduced axes and removes only
/// those of its kind. An operand without a sharding is replicated.
template <typename OpT> static LogicalResult verifyReduction(OpT op) {
  TensorShardingAttr out = op.getOutSharding();
  TensorShardingAttr in = sdy::getSharding(op.getTensor());
  if (!in)
    in = TensorShardingAttr::getFullyClosed(op.getContext(), out.getRank(),
                                            out.getMeshOrRef());
  return verifyUnreducedTransition(op, in, out, AllowedKinds::none(),
                                   AllowedKinds::only(op.getReductionOp()));
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyReduction(*this)))
    return failure();
  return verifySlice(*this, getReduceScatterAxes());
}

/// Checks that axes along which the operand is unreduced keep their kind.
template <typename OpT> static LogicalResult verifyKindKept(OpT op) {
  TensorShardingAttr in = sdy::getSharding(op.getTensor());
  if (!in || in.getUnreducedAxes().empty() ||
      in.getReductionOp() == op.getOutSharding().getReductionOp())
    return success();
  return op.emitOpError(
      "cannot change reduction_op of existing unreduced axes");
}

LogicalResult ShardedToUnreducedOp::verify() {
  if (failed(verifyKindKept(*this)))
    return failure();
  Sides sides(*this);
  if (failed(verifyGather(*this, getAxes(), "shard-to-unreduce", sides)))
    return failure();
  AxisList added;
  for (AxisRefListAttr list : getAxes())
    llvm::append_range(added, axesFromAttr(list.getValue(), sides.mesh));
  if (!addsUnreduced(sides, added))
    return emitOpError("out_unreduced_axes should be in_unreduced_axes + "
                       "sharded_to_unreduced_axes");
  return success();
}

LogicalResult ReplicatedToUnreducedOp::verify() {
  if (failed(verifyKindKept(*this)))
    return failure();
  Sides sides(*this);
  if (sides.operand.dims != sides.result.dims)
    return emitOpError(
        "input and output must share the same dimension shardings");
  if (getAxes().empty())
    return emitOpError("r2u axes must not be empty");
  if (!isInMeshOrder(getAxes().getValue(), sides.meshAttr))
    return emitOpError("r2u axes are not ordered w.r.t. mesh");
  SeenAxes seen;
  if (failed(
          verifyParameter(getAxes().getValue(), sides.meshAttr, seen, *this)))
    return failure();
  AxisList added = axesFromAttr(getAxes().getValue(), sides.mesh);
  AxisList inDims = sides.operand.allAxes();
  for (AxisRef axis : added) {
    if (overlaps(axis, inDims))
      return emitOpError("r2u axis ")
             << sides.mesh.str(axis)
             << " overlaps with operand dimension sharding";
    if (overlaps(axis, sides.operand.unreduced))
      return emitOpError("r2u axis ")
             << sides.mesh.str(axis) << " overlaps with operand unreduced axes";
  }
  if (!addsUnreduced(sides, added))
    return emitOpError(
        "out_unreduced_axes should be in_unreduced_axes + r2u_axes");
  return success();
}

LogicalResult AllToAllOp::verify() {
  Sides sides(*this);
  if (getParams().empty())
    return emitOpError("parameter list is empty");
  SeenAxes seen;
  for (AllToAllParamAttr param : getParams())
    if (failed(verifyParameter(param.getAxes(), sides.meshAttr, seen, *this)))
      return failure();

  int64_t rank = sides.result.rank();
  auto verifyRange = [&](StringRef kind, int64_t dim) -> LogicalResult {
    if (dim >= 0 && dim < rank)
      return success();
    return emitOpError(kind)
           << " dimension " << dim << " is out of range [0, " << rank << ")";
  };
  llvm::SmallDenseSet<int64_t> dims;
  std::optional<int64_t> previous;
  for (AllToAllParamAttr param : getParams()) {
    if (failed(verifyRange("source", param.getSrcDim())) ||
        failed(verifyRange("target", param.getTgtDim())))
      return failure();
    for (int64_t dim : {param.getSrcDim(), param.getTgtDim()})
      if (!dims.insert(dim).second)
        return emitOpError("overlapping source/target dimensions in all-to-all "
                           "params: ")
               << dim;
    if (previous && param.getSrcDim() < *previous)
      return emitOpError("source dimensions are not sorted in ascending "
                         "order: ")
             << param.getSrcDim() << " appears after " << *previous;
    previous = param.getSrcDim();
  }

  for (AllToAllParamAttr param : getParams()) {
    int64_t source = param.getSrcDim(), target = param.getTgtDim();
    AxisList in = sides.operand.dims[source].axes;
    AxisList out = sides.operand.dims[target].axes;
    if (failed(removeFromEnd(*this, sides.mesh, param.getAxes(), in, source,
                             "all-to-all")))
      return failure();
    appendMerged(out, axesFromAttr(param.getAxes(), sides.mesh));
    if (failed(verifyDim(*this, sides.mesh, in, sides.result.dims[source].axes,
                         source)) ||
        failed(verifyDim(*this, sides.mesh, out, sides.result.dims[target].axes,
                         target)))
      return failure();
  }
  for (auto [dim, in, out] :
       llvm::enumerate(sides.operand.dims, sides.result.dims))
    if (!dims.contains(dim) &&
        failed(verifyDim(*this, sides.mesh, in.axes, out.axes, dim)))
      return failure();
  return success();
}

LogicalResult CollectivePermuteOp::verify() {
  TensorShardingAttr in = sdy::getSharding(getTensor());
  TensorShardingAttr out = getOutSharding();
  MeshAttr inMesh = getMeshAttr(*this, in), outMesh = getMeshAttr(*this, out);
  if (in.getMeshOrRef() != out.getMeshOrRef()) {
    if (!inMesh.equalsOtherThanDeviceIds(outMesh))
      return emitOpError("result mesh has different axes than operand mesh");
    if (inMesh.getDeviceIds() == outMesh.getDeviceIds())
      return emitOpError("result mesh name is different but same device ids as "
                         "operand");
  }
  Sides sides(*this);
  for (auto [dim, inDim, outDim] :
       llvm::enumerate(sides.operand.dims, sides.result.dims))
    if (inDim.shards() != outDim.shards())
      return emitOpError("sharded size of result doesn't match operand on "
                         "dimension ")
             << dim << ": " << outDim.shards() << " != " << inDim.shards();
  return success();
}

LogicalResult AllReduceOp::verify() {
  Sides sides(*this);
  TensorShardingAttr in = sdy::getSharding(getTensor());
  if (!getOutSharding().isEquivalent(in, /*ignoreUnreducedAxes=*/true))
    return emitOpError("operand and result shardings are not equivalent");
  ArrayRef<AxisRefAttr> axes = getReductionAxes().getValue();
  if (!isInMeshOrder(axes, sides.meshAttr))
    return emitOpError("reduction axes are not ordered w.r.t. mesh");
  SeenAxes seen;
  if (failed(verifyParameter(axes, sides.meshAttr, seen, *this)))
    return failure();
  AxisList used = sides.operand.allAxes();
  llvm::append_range(used, sides.operand.replicated);
  for (AxisRef axis : axesFromAttr(axes, sides.mesh)) {
    if (overlaps(axis, used))
      return emitOpError("reduction axis ")
             << sides.mesh.str(axis)
             << " overlaps with operand dimension sharding or replicated axes";
    if (overlaps(axis, sides.result.unreduced))
      return emitOpError("reduction axis ")
             << sides.mesh.str(axis) << " overlaps with result unreduced axes";
  }
  return verifyReduction(*this);
}

} // namespace shardwright::sdy
