//===- annotation.h - shardings that users can write ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_EXPLAIN_ANNOTATION_H
#define SHARDWRIGHT_REPORT_EXPLAIN_ANNOTATION_H

#include "shardwright/mesh/sharding.h"
#include "shardwright/report/explain/user_values.h"

namespace shardwright {

struct Annotation {
  /// The number of a value in UserValues, or a result of @main; the other is
  /// -1.
  int32_t value = -1, mainResult = -1;
  TensorSharding sharding;
};

/// `sharding`, closed, with the axis only on dimension `dim`.
TensorSharding withAxis(TensorSharding sharding, int32_t dim, AxisRef axis);

/// The PartitionSpec in JAX, `P("x", None)`; empty if there is none.
std::string partitionSpec(const TensorSharding &sharding, const Mesh &mesh);

/// `argument %w`, `value @f:%3`, `result 0`: what the user annotates.
std::string annotatedText(const Annotation &annotation, const UserValues &user,
                          llvm::StringRef mainName);

/// Writes the annotation into a module after stage Import whose values are
/// numbered by `user`. False if that is not possible.
bool annotate(mlir::ModuleOp imported, const UserValues &user, const Mesh &mesh,
              const Annotation &annotation);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_EXPLAIN_ANNOTATION_H
