//===- local_form.cc - default hooks of sw-localize -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/localize/local_form.h"
#include "shardwright/partition/layout/collective_builder.h"

using namespace mlir;

namespace shardwright {

LocalForm::~LocalForm() = default;

StringRef LocalForm::passBeforeReturns() const {
  return "sw-insert-collectives";
}

StringRef LocalForm::passBeforeCollectives() const {
  return "sw-insert-collectives";
}

std::optional<ReducerKind> LocalForm::reducerOf(Operation *collective) {
  return getReducer(collective);
}

} // namespace shardwright
