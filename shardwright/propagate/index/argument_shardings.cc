//===- argument_shardings.cc - shardings of all arguments -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/index/argument_shardings.h"

#include "shardwright/dialect/sdy/sharding_access.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;
using sdy::TensorShardingPerValueAttr;

TensorShardingPerValueAttr
completeShardings(SmallVector<TensorShardingAttr> shardings, TypeRange types,
                  function_ref<sdy::MeshAttr(TensorShardingAttr)> meshOf) {
  auto *given = llvm::find_if(shardings, [&](TensorShardingAttr s) {
    sdy::MeshAttr mesh = s ? meshOf(s) : nullptr;
    return mesh && !mesh.isMaximal();
  });
  if (given == shardings.end())
    return nullptr;
  MLIRContext *context = given->getContext();
  auto open = TensorShardingPerValueAttr::getFullyOpen(context, types,
                                                       given->getMeshOrRef());
  for (auto [i, s] : llvm::enumerate(shardings))
    if (!s)
      s = open.getSharding(i);
  return TensorShardingPerValueAttr::get(context, shardings);
}

TensorShardingPerValueAttr argumentShardings(func::FuncOp func) {
  SmallVector<TensorShardingAttr> shardings;
  for (int64_t i = 0, e = func.getNumArguments(); i < e; ++i)
    shardings.push_back(
        func.getArgAttrOfType<TensorShardingAttr>(i, sdy::kShardingAttr));
  return completeShardings(
      std::move(shardings), func.getArgumentTypes(),
      [&](TensorShardingAttr s) { return sdy::getMeshAttr(func, s); });
}

} // namespace shardwright
