//===- kept_steps.cc - steps that propagations share ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/engine/kept_steps.h"

#include "shardwright/propagate/engine/propagation_tables.h"

using namespace mlir;

namespace shardwright {

/// With more steps, new tables are begun: each takes about 100 bytes.
constexpr size_t kMostSteps = 500000;

PropagationGraph::PropagationGraph(PropagationTables &tables)
    : shardings(tables.shardings), rules(tables.rules),
      ruleTable(tables.ruleTable), steps(tables.steps) {}

KeptSteps::KeptSteps() = default;
KeptSteps::~KeptSteps() = default;

size_t KeptSteps::numSteps() const { return tables ? tables->steps.size() : 0; }
size_t KeptSteps::numRules() const { return tables ? tables->rules.size() : 0; }

static bool areEqual(const RuleOptions &a, const RuleOptions &b) {
  return a.conservative == b.conservative && a.extraRules == b.extraRules &&
         a.shardy == b.shardy;
}

PropagationTables &KeptSteps::begin(ModuleOp module, const RuleOptions &asked) {
  NamedMeshes now;
  for (auto mesh : module.getOps<sdy::MeshOp>())
    now.push_back({mesh.getSymNameAttr(), mesh.getMesh()});
  if (tables && named == now && areEqual(options, asked) &&
      tables->steps.size() <= kMostSteps) {
    tables->shardings.beginModule(module);
    tables->ruleTable.unknownOps = UnknownOps();
    return *tables;
  }
  named = std::move(now);
  options = asked;
  tables = std::make_unique<PropagationTables>(module, asked);
  return *tables;
}

} // namespace shardwright
