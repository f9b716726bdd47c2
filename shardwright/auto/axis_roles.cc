//===- axis_roles.cc - what the axes of a mesh are used for ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/axis_roles.h"

#include "shardwright/auto/problem/colours.h"
#include "shardwright/auto/search/recipes.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

using namespace mlir;

namespace shardwright {

/// The colours of batching dimensions of contractions.
static llvm::DenseSet<int32_t> batchingColours(ModuleOp imported,
                                               Colours &colours) {
  llvm::DenseSet<int32_t> found;
  imported.walk([&](stablehlo::DotGeneralOp dot) {
    for (int64_t dim : dot.getDotDimensionNumbers().getLhsBatchingDimensions())
      found.insert(colours.of(dot.getOperand(0), dim));
  });
  return found;
}

std::vector<AxisRoles>
axisRoles(const AutoProblem &problem, ModuleOp imported,
          llvm::function_ref<TensorSharding(int32_t)> shardingOf) {
  std::vector<AxisRoles> roles(problem.mesh.numAxes());
  Colours colours(imported);
  llvm::DenseSet<int32_t> batching = batchingColours(imported, colours);
  std::vector<int32_t> batch = batchColours(problem);
  for (auto [c, cls] : llvm::enumerate(problem.classes)) {
    if (cls.kind() != Site::Kind::Argument)
      continue;
    TensorSharding sharding = shardingOf(c);
    for (auto [dim, own] : llvm::enumerate(sharding.dims))
      for (AxisRef axis : own.axes) {
        AxisRoles &role = roles[axis.axis];
        int32_t colour = cls.colours[dim];
        const ColourUse &use = problem.colours[colour];
        if (!batch.empty() && colour == batch.front())
          role.data = true;
        else if (batching.count(colours.of(cls.sites.front().value, dim)))
          role.expert = true;
        else if (use.kept + use.summed > 0)
          role.model = true;
      }
  }
  return roles;
}

std::vector<std::string> namesByRole(ArrayRef<AxisRoles> roles) {
  std::vector<std::string> names(roles.size());
  auto give = [&](StringRef name, bool AxisRoles::*role) {
    for (auto [i, own] : llvm::enumerate(roles))
      if (names[i].empty() && own.*role) {
        names[i] = name.str();
        return;
      }
  };
  give("data", &AxisRoles::data);
  give("expert", &AxisRoles::expert);
  give("model", &AxisRoles::model);
  char next = 'a';
  for (std::string &name : names)
    if (name.empty())
      name = std::string(1, next++);
  return names;
}

} // namespace shardwright
