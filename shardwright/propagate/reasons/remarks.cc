//===- remarks.cc - propagation's MLIR remarks ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/reasons/remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace shardwright {

constexpr llvm::StringLiteral kCategory = "propagate";

bool wantsRemarks(MLIRContext *context) {
  if (!context->getRemarkEngine())
    return false;
  // Tools always install an engine, and only emitting a remark shows if its
  // filters accept it. A remark that is assigned over is dropped.
  Location loc = UnknownLoc::get(context);
  auto opts = remark::RemarkOpts::name("Wanted").category(kCategory);
  auto isWanted = [](remark::detail::InFlightRemark remark) {
    bool wanted = bool(remark);
    remark = {};
    return wanted;
  };
  return isWanted(remark::passed(loc, opts)) ||
         isWanted(remark::missed(loc, opts)) ||
         isWanted(remark::analysis(loc, opts));
}

void RemarkEmitter::onChange(const PropagationEvent &event) {
  Reasons::onChange(event);
  if (next)
    next->onChange(event);
}

void RemarkEmitter::onFinalOp(const PropagationOpView &view) {
  Reasons::onFinalOp(view);
  if (next)
    next->onFinalOp(view);
}

namespace {

Location locationOf(ShardedPlace place) {
  return place.value ? place.value.getLoc() : place.func->getLoc();
}

std::string functionOf(ShardedPlace place) {
  Operation *op = place.func;
  if (place.value)
    op = place.value.getParentBlock()
             ? place.value.getParentBlock()->getParentOp()
             : nullptr;
  auto func = dyn_cast_if_present<func::FuncOp>(op);
  if (!func && op)
    func = op->getParentOfType<func::FuncOp>();
  return func ? func.getSymName().str() : "";
}

/// The sharding with the axis on that dimension only.
std::string askFor(const TensorSharding *now, int64_t rank,
                   const AxisStop &stop, const Mesh &mesh) {
  TensorSharding s = now && now->rank() == rank ? now->closedLike()
                                                : TensorSharding::closed(rank);
  for (DimSharding &dim : s.dims)
    llvm::erase_if(dim.axes,
                   [&](AxisRef axis) { return overlaps(axis, stop.axis); });
  if (stop.dim < rank)
    s.dims[stop.dim].axes.push_back(stop.axis);
  return str(s, mesh);
}

/// Shards each axis on the first dimension that it divides; empty if none does.
std::string fittingSharding(ArrayRef<int64_t> shape, const Mesh &mesh) {
  TensorSharding s = TensorSharding::closed(shape.size());
  SmallVector<int64_t> left(shape);
  for (int32_t axis = 0; axis < int32_t(mesh.numAxes()); ++axis) {
    int64_t size = mesh.axisSize(axis);
    for (auto [dim, rest] : llvm::zip_equal(s.dims, left))
      if (size > 1 && rest > 0 && rest % size == 0) {
        dim.axes.push_back(mesh.fullAxis(axis));
        rest /= size;
        break;
      }
  }
  return s.isReplicated() ? "" : str(s, mesh);
}

} // namespace

void RemarkEmitter::onWritten() {
  if (next)
    next->onWritten();
  if (!mesh())
    return;
  const Mesh &m = *mesh();

  // Number of values that each axis of an annotation reached.
  std::vector<int32_t> reached(places().size(), 0);
  std::vector<PlaceId> root(arrivals().size(), kNoPlace);
  for (auto [i, a] : llvm::enumerate(arrivals())) {
    if (a.source == kNoPlace)
      continue;
    int64_t before = arrivalOf(a.source, a.sourceDim, a.axis, i);
    root[i] = before < 0 ? a.source : root[before];
    if (root[i] != kNoPlace)
      ++reached[root[i]];
  }
  for (auto [p, place] : llvm::enumerate(places()))
    if (reached[p] > 0) {
      std::string function = functionOf(place);
      remark::passed(locationOf(place), remark::RemarkOpts::name("AxisPlaced")
                                            .category(kCategory)
                                            .function(function))
          << remark::metric("Values", reached[p])
          << remark::reason("the sharding {0} was given",
                            sharding(p) ? str(*sharding(p), m) : "");
    }

  llvm::DenseSet<std::pair<PlaceId, int64_t>> told;
  for (const AxisStop &stop : stops()) {
    const TensorSharding *now = sharding(stop.target);
    if ((now && overlaps(stop.axis, now->allAxes())) ||
        !told.insert({stop.target, stop.axis.axis}).second)
      continue;
    const ShardedPlace &place = places()[stop.target];
    auto type = dyn_cast<RankedTensorType>(
        place.value ? place.value.getType()
                    : cast<func::FuncOp>(place.func)
                          .getResultTypes()[place.funcResult]);
    if (!type)
      continue;
    std::string function = functionOf(place);
    remark::missed(stop.op->getLoc(), remark::RemarkOpts::name("AxisStopped")
                                          .category(kCategory)
                                          .function(function))
        << remark::metric("Axis", m.str(stop.axis))
        << remark::metric("Dimension", stop.dim)
        << remark::metric("Bytes", tensorBytes(type))
        << remark::reason("{0}", str(stop.obstacle))
        << remark::suggest("annotate the value with {0}",
                           askFor(now, type.getRank(), stop, m));
  }

  for (auto [p, place] : llvm::enumerate(places())) {
    const TensorSharding *s = sharding(p);
    if (!place.value || (s && !s->isReplicated()))
      continue;
    auto type = dyn_cast<RankedTensorType>(place.value.getType());
    if (!type || type.getRank() == 0 ||
        isa_and_present<sdy::DataFlowEdgeOp>(place.value.getDefiningOp()))
      continue;
    std::string function = functionOf(place);
    auto said = remark::analysis(place.value.getLoc(),
                                 remark::RemarkOpts::name("ValueReplicated")
                                     .category(kCategory)
                                     .function(function));
    said << remark::metric("Bytes", tensorBytes(type))
         << remark::reason("no axis of the mesh is on any dimension");
    if (std::string fits = fittingSharding(type.getShape(), m); !fits.empty())
      said << remark::suggest("annotate the value with {0}", fits);
  }
}

} // namespace shardwright
