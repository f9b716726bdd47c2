//===- machine_costs.cc - cost weights for a module -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/insert_collectives.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/ops/op_traits.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shardwright {

/// The element type with the most multiplications; null if there are none.
static Type contractedElement(ModuleOp module) {
  llvm::SmallMapVector<Type, double, 4> products;
  module.walk([&](Operation *op) {
    if (!isContraction(op))
      return;
    auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    if (type && type.hasStaticShape())
      products[type.getElementType()] += double(type.getNumElements());
  });
  Type most;
  double largest = 0;
  for (auto [type, elements] : products)
    if (elements > largest) {
      most = type;
      largest = elements;
    }
  return most;
}

CostModel plannerCosts(ModuleOp module, const PartitionOptions &options) {
  if (!options.machine)
    return options.costs;
  SmallVector<StringRef> axes;
  for (auto mesh : module.getOps<sdy::MeshOp>())
    for (sdy::MeshAxisAttr axis : mesh.getMesh().getAxes())
      if (axis.getSize() > 1)
        axes.push_back(axis.getName());
  std::string element = "f32";
  if (Type most = contractedElement(module)) {
    if (auto complex = dyn_cast<ComplexType>(most))
      most = complex.getElementType();
    element.clear();
    llvm::raw_string_ostream(element) << most;
  }
  return options.machine->costs(axes, element);
}

} // namespace shardwright
