//===- import_eigh.h - import XLA's eigenvalue call -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_IMPORT_EIGH_H
#define SHARDWRIGHT_INTEROP_IMPORT_EIGH_H

#include "shardwright/dialect/stablehlo/stablehlo.h"

namespace shardwright {

/// Replaces XLA's custom call @Eigh, which its builders (PyTorch/XLA) emit, by
/// the LAPACK call for the same eigenvectors and ascending eigenvalues (syevd
/// or heevd):
///
///   custom_call @Eigh(%a) {backend_config = "lower,sort,iterations,tolerance"}
///       : (tensor<..xNxNxT>) -> tuple<tensor<..xNxNxT>, tensor<..xNxR>>
///
/// A matrix for which LAPACK fails has NaN results. Emits a diagnostic for
/// other types and configurations.
mlir::LogicalResult importEigh(stablehlo::CustomCallOp call);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_IMPORT_EIGH_H
