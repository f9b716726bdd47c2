//===- kernel_param.h - the program of cores as a parameter -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CORES_KERNEL_PARAM_H
#define SHARDWRIGHT_FRONTEND_CORES_KERNEL_PARAM_H

#include "shardwright/frontend/cores/core_map.h"
#include "shardwright/frontend/trace/jaxpr.h"

namespace shardwright::frontend {

/// What a core_map and the primitive core_kernel, to which it is discharged,
/// run: a program for each core. Its inputs are references and scalars.
struct KernelParam final : ParamObject {
  std::string str() const override { return mesh.str(); }
  /// Programs are compared by identity.
  std::string key() const override;

  JaxprPtr jaxpr;
  CoreMesh mesh;
  CoreMapOptions options;
};
/// The kernel in the parameter `mesh`.
const KernelParam &kernelOf(const Params &params);

/// Which inputs of the program are references that it may write.
std::vector<bool> writtenInputs(const Jaxpr &jaxpr);
/// Whether it copies to or signals other devices: whether it names an axis that
/// is none of `cores`.
bool namesOtherDevices(const Jaxpr &jaxpr, const AxisNames &cores);

/// A reference operand with a view, and the positions of the view.
struct ViewOperand {
  size_t ref = 0; ///< number of the operand
  size_t firstPosition = 0;
  const View *view = nullptr;
};
/// The operands of dma_start, dma_wait and semaphore primitives: views, then
/// scalars. `names`: the parameters of the views, in order.
struct SyncOperands {
  std::vector<ViewOperand> views;
  size_t firstScalar = 0;
};
SyncOperands syncOperands(const Params &params);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CORES_KERNEL_PARAM_H
