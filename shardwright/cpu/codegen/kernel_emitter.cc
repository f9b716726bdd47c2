//===- kernel_emitter.cc - a cluster as an LLVM function ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/codegen/kernel_function.h"

using namespace llvm;

namespace shardwright::cpu {

static Shape joined(ArrayRef<Shape> groups) {
  Shape all;
  for (const Shape &g : groups)
    llvm::append_range(all, g);
  return all;
}

KernelEmitter::KernelEmitter(Function *function, const Cluster &cluster,
                             const KernelPlan &plan, const TargetInfo &target)
    : function(function), cluster(cluster), graph(cluster.graph), plan(plan),
      domain(plan.domain()), map(plan.getIf<MapPlan>()),
      row(plan.getIf<RowPlan>()), column(plan.getIf<ColumnPlan>()),
      b(BasicBlock::Create(function->getContext(), "entry", function)),
      loops(b, space) {
  Value *table = function->getArg(0);
  size_t count = cluster.numParams + cluster.outputs.size();
  for (size_t i = 0; i < count; ++i) {
    auto *pointer = b.CreateAlignedLoad(
        b.getPtrTy(), b.CreateGEP(b.getPtrTy(), table, b.getInt64(i)),
        Align(8));
    pointer->setMetadata(LLVMContext::MD_nonnull,
                         MDNode::get(b.getContext(), {}));
    buffers.push_back(pointer);
  }
  nodes =
      std::make_unique<NodeEmitter>(b, loops, space, cluster, target, buffers);
  if (domain) {
    rowShape = joined(domain->rows.dims);
    tailShape = joined(domain->tail.dims);
  }
  if (column)
    reducedShape = joined(column->reduced.dims);
}

bool KernelEmitter::isRowOutput(int number) const {
  const Node &node = graph[valueNode(graph, cluster.outputs[number])];
  return row && product(row->tail.sizes) != 1 &&
         node.elements() == product(row->rows.sizes);
}

void KernelEmitter::emit() {
  if (row)
    for (auto [id, level] : row->scratch) {
      Type *type = nodes->keptType(graph[id].type);
      nodes->scratch[id].buffer = allocate(b, type, product(row->tail.sizes));
    }
  bool empty = true;
  for (int32_t output : cluster.outputs)
    empty &= graph[valueNode(graph, output)].elements() == 0;
  if (const auto *scatter = plan.getIf<ScatterPlan>())
    emitScatter(*scatter);
  else if (const auto *scan = plan.getIf<ScanPlan>())
    emitScan(*scan);
  else if (const auto *sort = plan.getIf<SortPlan>())
    emitSort(*sort);
  else if (!empty)
    emitDomain();
  b.CreateRetVoid();
}

void emitKernel(Module &module, const Cluster &cluster, const KernelPlan &plan,
                StringRef symbol, const TargetInfo &target) {
  LLVMContext &context = module.getContext();
  Type *ptr = PointerType::getUnqual(context), *i64 = Type::getInt64Ty(context);
  auto *function = Function::Create(
      FunctionType::get(Type::getVoidTy(context), {ptr, i64, i64}, false),
      GlobalValue::ExternalLinkage, symbol, module);
  function->addFnAttr("target-cpu", target.cpu);
  function->addFnAttr("target-features", target.features);
  function->addFnAttr("prefer-vector-width", target.lanes512 ? "512" : "256");
  function->addFnAttr(Attribute::NoUnwind);
  KernelEmitter(function, cluster, plan, target).emit();
}

} // namespace shardwright::cpu
