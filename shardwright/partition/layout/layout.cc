//===- layout.cc - meshes of a module and layouts of its values -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/layout/layout.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/partition/decide/factor_axes.h"
#include "shardwright/partition/support/tensor_types.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/IntEqClasses.h"

using namespace mlir;

namespace shardwright {

Layout Layout::completed() const {
  Layout layout = *this;
  layout.sharding.unreduced.clear();
  if (layout.isReplicated())
    layout.mesh = -1;
  return layout;
}

void Layout::addUnreduced(int32_t onMesh, AxisRefs axes, ReductionKind kind) {
  mesh = onMesh;
  UnreducedAxes &unreduced = sharding.unreduced;
  unreduced.kind = kind;
  unreduced.append(withoutAxes(axes, commonAxes(unreduced, axes)));
  sortAndMerge(unreduced);
}

MeshTable MeshTable::read(ModuleOp module, const CostModel &costs,
                          Effort effort, PlannerPool *pool) {
  MeshTable table;
  table.context = module.getContext();
  table.costs = costs;
  table.effort = effort;
  table.pool = pool;
  for (auto meshOp : module.getOps<sdy::MeshOp>())
    table.add(FlatSymbolRefAttr::get(meshOp.getSymNameAttr()),
              meshOp.getMesh());
  return table;
}

FailureOr<MeshTable> MeshTable::create(ModuleOp module, const CostModel &costs,
                                       Effort effort, PlannerPool *pool) {
  MeshTable table = read(module, costs, effort, pool);
  if (!table.haveOneSize() &&
      failed(table.checkSizes(llvm::to_vector(module.getOps<func::FuncOp>()))))
    return failure();
  return table;
}

FailureOr<MeshTable> MeshTable::createFor(func::FuncOp func) {
  MeshTable table =
      read(func->getParentOfType<ModuleOp>(), {}, Effort::Normal, nullptr);
  if (!table.haveOneSize() && failed(table.checkSizes(func)))
    return failure();
  return table;
}

bool MeshTable::haveOneSize() const {
  return llvm::all_of(entries, [&](const auto &entry) {
    return entry->mesh.numDevices() == numDevices();
  });
}

LogicalResult MeshTable::checkSizes(ArrayRef<func::FuncOp> given) {
  SmallVector<func::FuncOp> funcs(given);
  // Functions that call each other belong to one program.
  llvm::DenseMap<StringAttr, size_t> numberOf;
  for (auto [i, func] : llvm::enumerate(funcs))
    numberOf[func.getSymNameAttr()] = i;
  llvm::IntEqClasses programs(funcs.size());
  for (auto [i, func] : llvm::enumerate(funcs))
    func->walk([&](func::CallOp call) {
      auto it = numberOf.find(call.getCalleeAttr().getAttr());
      if (it != numberOf.end())
        programs.join(i, it->second);
    });
  programs.compress();
  SmallVector<int64_t> sizes(programs.getNumClasses(), 0);
  for (auto [i, func] : llvm::enumerate(funcs)) {
    int64_t &size = sizes[programs[i]];
    WalkResult walked = func->walk<WalkOrder::PreOrder>([&](Operation *op) {
      int64_t other = 0;
      AttrTypeWalker uses;
      auto use = [&](Attribute meshOrRef) {
        int32_t id = idOf(meshOrRef);
        if (id < 0)
          return;
        int64_t devices = mesh(id).numDevices();
        if (size == 0)
          size = devices;
        if (devices != size)
          other = devices;
      };
      uses.addWalk([&](FlatSymbolRefAttr ref) { use(ref); });
      uses.addWalk([&](sdy::MeshAttr mesh) { use(mesh); });
      uses.walk(op->getAttrDictionary());
      if (other == 0)
        return WalkResult::advance();
      op->emitError("is on a mesh of ")
          << other << " devices, but other values of the program are on one of "
          << size << "; use meshes of one number of devices";
      return WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return failure();
  }
  for (auto [i, func] : llvm::enumerate(funcs))
    devicesOf[func] = sizes[programs[i]];
  return success();
}

int32_t MeshTable::add(Attribute ref, sdy::MeshAttr attr) {
  int32_t id = -1;
  if (!attr.getAxes().empty()) {
    Mesh mesh = sdy::meshFromAttr(attr);
    // Meshes of equal content share one id.
    for (auto [i, entry] : llvm::enumerate(entries))
      if (entry->mesh == mesh)
        id = i;
    if (id < 0) {
      id = entries.size();
      std::shared_ptr<ReshardPlanner> planner =
          pool ? pool->planner(mesh, costs, effort)
               : std::make_shared<ReshardPlanner>(mesh, costs, effort);
      entries.push_back(std::make_unique<Entry>(ref, std::move(mesh), planner));
    }
  }
  ids[ref] = id;
  return id;
}

int32_t MeshTable::idOf(Attribute meshOrRef) {
  auto it = ids.find(meshOrRef);
  if (it != ids.end())
    return it->second;
  if (auto inlined = dyn_cast<sdy::MeshAttr>(meshOrRef))
    return add(meshOrRef, inlined);
  return -1;
}

int64_t MeshTable::numDevices() const {
  int64_t most = 1;
  for (const auto &entry : entries)
    most = std::max(most, entry->mesh.numDevices());
  return most;
}

int64_t MeshTable::numDevices(func::FuncOp func) const {
  int64_t devices = devicesOf.lookup(func);
  return devices ? devices : numDevices();
}

AxisList MeshTable::toAxes(int32_t id, ArrayRef<sdy::AxisRefAttr> attrs) const {
  return sdy::axesFromAttr(attrs, entries[id]->mesh);
}

static size_t hashOf(const Layout &layout) {
  auto hashAxes = [](AxisRefs axes) {
    return llvm::hash_combine_range(axes.begin(), axes.end());
  };
  size_t hash = llvm::hash_combine(layout.mesh, layout.sharding.rank(),
                                   hashAxes(layout.sharding.replicated),
                                   hashAxes(layout.sharding.unreduced));
  for (const DimSharding &dim : layout.sharding.dims)
    hash = llvm::hash_combine(hash, hashAxes(dim.axes), dim.isClosed);
  return hash;
}

LayoutRef MeshTable::intern(const Layout &layout) {
  size_t hash = hashOf(layout);
  auto [begin, end] = byHash.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (it->second->mesh == layout.mesh &&
        it->second->sharding == layout.sharding)
      return it->second;
  layouts.push_back(
      std::make_unique<InternedLayout>(InternedLayout{layout, toAttr(layout)}));
  byHash.emplace(hash, layouts.back().get());
  return layouts.back().get();
}

LayoutRef MeshTable::replicated(int64_t rank) {
  while (int64_t(replicatedByRank.size()) <= rank)
    replicatedByRank.push_back(
        intern(Layout::replicated(replicatedByRank.size())));
  return replicatedByRank[rank];
}

const InternedLayout &MeshTable::toLayout(sdy::TensorShardingAttr attr,
                                          Type type) {
  uintptr_t words = uintptr_t(attr.getAsOpaquePointer()) +
                    3 * uintptr_t(type.getAsOpaquePointer());
  Recent &last = recent[((words >> 4) ^ (words >> 12)) % recent.size()];
  if (last.layout && last.attr == attr && last.type == type)
    return *last.layout;
  last = {attr, type, &lookUp(attr, type)};
  return *last.layout;
}

const InternedLayout &MeshTable::lookUp(sdy::TensorShardingAttr attr,
                                        Type type) {
  ArrayRef<int64_t> shape = dimsOf(type);
  if (!attr || !isa<RankedTensorType>(type))
    return *replicated(shape.size());
  auto [it, isNew] = asked.try_emplace({attr, type}, nullptr);
  if (!isNew)
    return *it->second;
  Layout layout = Layout::replicated(shape.size());
  int32_t id = idOf(attr.getMeshOrRef());
  if (id >= 0 && attr.getRank() == int64_t(shape.size())) {
    TensorSharding sharding = sdy::shardingFromAttr(attr, entries[id]->mesh);
    layout.sharding = usableSharding(sharding, shape);
    // A value of dynamic shape cannot be reduced later, nor can one without an
    // order become a maximum.
    if (!isStaticTensor(type) || !hasKind(type, sharding.unreduced.kind))
      layout.sharding.unreduced.clear();
    if (!layout.isReplicated())
      layout.mesh = id;
  }
  return *(it->second = intern(layout));
}

Layout MeshTable::toEvenLayout(sdy::TensorShardingAttr attr, Type type) {
  Layout layout = toLayout(attr, type);
  layout.sharding = divisibleSharding(layout.sharding, dimsOf(type));
  if (layout.isReplicated())
    layout.mesh = -1;
  return layout;
}

sdy::AxisRefListAttr MeshTable::axesAttr(int32_t id, AxisRefs axes) const {
  return sdy::axisListToAttr(context, axes, entries[id]->mesh);
}

sdy::ListOfAxisRefListsAttr
MeshTable::listsAttr(int32_t id, ArrayRef<AxisList> lists) const {
  return sdy::axisListsToAttr(context, lists, entries[id]->mesh);
}

DictionaryAttr MeshTable::withLayout(DictionaryAttr attributes,
                                     LayoutRef layout) const {
  DictionaryAttr &made = laidOut[{attributes, layout}];
  if (!made) {
    NamedAttrList list(attributes);
    if (layout->attr)
      list.set(sdy::kShardingAttr,
               sdy::TensorShardingPerValueAttr::get(context, {layout->attr}));
    else
      list.erase(sdy::kShardingAttr);
    made = list.getDictionary(context);
  }
  return made;
}

sdy::TensorShardingAttr MeshTable::toAttr(const Layout &layout) const {
  if (layout.mesh < 0)
    return {};
  const Entry &entry = *entries[layout.mesh];
  return sdy::shardingToAttr(context, layout.sharding, entry.mesh, entry.ref);
}

} // namespace shardwright
