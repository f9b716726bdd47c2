//===- gspmd_calls.cc - GSPMD's custom calls ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/gspmd/gspmd_calls.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/gspmd/gspmd_shardings.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace shardwright {

Value createGspmdCall(OpBuilder &builder, Location where, StringRef target,
                      Value value, Type type, StringAttr text,
                      ArrayRef<int64_t> unspecified, bool hasSideEffect) {
  SmallVector<NamedAttribute> attrs;
  attrs.push_back(
      builder.getNamedAttr("call_target_name", builder.getStringAttr(target)));
  if (!unspecified.empty()) {
    std::string dims;
    llvm::raw_string_ostream os(dims);
    os << "unspecified_dims=[";
    llvm::interleave(unspecified, os, ",");
    os << "]";
    attrs.push_back(
        builder.getNamedAttr("backend_config", builder.getStringAttr(dims)));
  }
  if (hasSideEffect)
    attrs.push_back(
        builder.getNamedAttr("has_side_effect", builder.getBoolAttr(true)));
  attrs.push_back(builder.getNamedAttr(kMhloSharding, text));
  return stablehlo::CustomCallOp::create(builder, where, TypeRange(type),
                                         ValueRange(value), attrs)
      ->getResult(0);
}

SmallVector<int64_t> openDims(sdy::TensorShardingAttr sharding) {
  SmallVector<int64_t> dims;
  for (auto [i, dim] : llvm::enumerate(sharding.getDimShardings()))
    if (!dim.getIsClosed())
      dims.push_back(i);
  return dims;
}

} // namespace shardwright
