//===- print_clusters.cc - the pass sw-print-clusters ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/fusion/fusion.h"
#include "shardwright/cpu/jit/jit.h"
#include "shardwright/cpu/lower/cpu_passes.h"
#include "shardwright/cpu/plan/kernel_plan.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/legalize/entry_function.h"
#include "shardwright/partition/prepare/inline_calls.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwright::cpu {

static void printSizes(llvm::raw_ostream &os, llvm::StringRef name,
                       llvm::ArrayRef<int64_t> sizes) {
  os << ' ' << name << "=[";
  llvm::interleave(sizes, os, "x");
  os << ']';
}

static void printPlan(llvm::raw_ostream &os, const Cluster &cluster) {
  // Plan for 16 lanes, so that the output does not depend on the machine.
  KernelPlan plan = planKernel(cluster, 16);
  auto printLoops = [&](llvm::StringRef kind, llvm::ArrayRef<int64_t> rows,
                        llvm::ArrayRef<int64_t> tail) {
    os << kind;
    printSizes(os, "rows", rows);
    printSizes(os, "tail", tail);
  };
  if (const DomainLoops *domain = plan.domain())
    printLoops(plan.getIf<MapPlan>()   ? "map"
               : plan.getIf<RowPlan>() ? "row"
                                       : "column",
               domain->rows.sizes, domain->tail.sizes);
  int lanes = plan.domain() ? plan.domain()->lanes : 1;
  if (const auto *scatter = plan.getIf<ScatterPlan>()) {
    printLoops("scatter", {}, cluster.graph[scatter->node].shape);
    lanes = scatter->lanes;
  }
  if (const auto *scan = plan.getIf<ScanPlan>())
    printLoops("scan", {}, cluster.graph[scan->node].shape);
  if (const auto *sort = plan.getIf<SortPlan>())
    printLoops("sort", {}, {cluster.graph[sort->node].elements()});
  const auto *column = plan.getIf<ColumnPlan>();
  if (column && !column->reduced.sizes.empty())
    printSizes(os, "reduced", column->reduced.sizes);
  os << " lanes=" << lanes;
  if (const auto *map = plan.getIf<MapPlan>(); map && map->transposedRow >= 0)
    os << " transposed=" << map->transposedRow;
  if (const auto *row = plan.getIf<RowPlan>(); row && !row->scratch.empty()) {
    os << " scratch=";
    llvm::interleave(
        row->scratch, os, [&](auto &s) { os << '%' << s.node; }, ",");
  }
}

static LogicalResult printBlock(Block &block, llvm::raw_ostream &os, int indent,
                                bool ir) {
  std::vector<std::string> texts;
  LocationTable locations(texts);
  FailureOr<BlockGraph> graph = readBlock(block, locations);
  if (failed(graph))
    return failure();
  for (const Unit &unit : fuse(*graph)) {
    os.indent(indent);
    switch (unit.kind) {
    case Unit::Kind::View:
      os << "view offset=" << unit.offset << '\n';
      break;
    case Unit::Kind::Kernel: {
      os << "kernel ";
      printPlan(os, unit.cluster);
      os << '\n';
      std::string text;
      llvm::raw_string_ostream lines(text);
      print(unit.cluster, lines);
      for (llvm::StringRef line :
           llvm::split(llvm::StringRef(text).rtrim(), '\n')) {
        os.indent(indent + 2);
        os << line << '\n';
      }
      if (ir)
        os << kernelIR(unit.cluster);
      break;
    }
    case Unit::Kind::Opaque: {
      Operation *op = graph->opaque[unit.opaque].op;
      os << op->getName().getStringRef() << '\n';
      if (!isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp>(op))
        break;
      for (Region &region : op->getRegions()) {
        os.indent(indent) << "{\n";
        if (failed(printBlock(region.front(), os, indent + 2, ir)))
          return failure();
        os.indent(indent) << "}\n";
      }
      break;
    }
    }
  }
  return success();
}

namespace {

struct PrintClusters : PassWrapper<PrintClusters, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintClusters)
  PrintClusters() = default;
  PrintClusters(const PrintClusters &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "sw-print-clusters"; }
  StringRef getDescription() const final {
    return "Prints the kernels that the cpu backend would make";
  }
  void runOnOperation() final {
    if (failed(inlineCalls(getOperation())))
      return signalPassFailure();
    FailureOr<func::FuncOp> entry = legalize::entryFunction(getOperation());
    if (failed(entry) ||
        failed(printBlock(entry->getBody().front(), llvm::outs(), 0, ir)))
      signalPassFailure();
  }
  Option<bool> ir{*this, "ir",
                  llvm::cl::desc("Also the LLVM IR of the kernels"),
                  llvm::cl::init(false)};
};

} // namespace

void registerCpuPasses() {
  PassRegistration<PrintClusters>();
  registerPrintProgramPass();
}

} // namespace shardwright::cpu
