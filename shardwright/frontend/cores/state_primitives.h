//===- state_primitives.h - get, swap and addupdate -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CORES_STATE_PRIMITIVES_H
#define SHARDWRIGHT_FRONTEND_CORES_STATE_PRIMITIVES_H

#include "shardwright/frontend/cores/ref.h"
#include "shardwright/frontend/cores/view.h"

namespace shardwright::frontend {

/// The elements of a view.
Tensor bindGet(const Tensor &ref, const ViewPtr &view,
               const Tensors &positions);
/// Writes them; returns those before.
Tensor bindSwap(const Tensor &ref, const Tensor &value, const ViewPtr &view,
                const Tensors &positions);
Status bindAddUpdate(const Tensor &ref, const Tensor &value,
                     const ViewPtr &view, const Tensors &positions);

/// An error unless the tensor is a reference. `what`: what is done with it.
Status checkRef(const Tensor &ref, std::string_view what);

/// The type of a reference to values of a type, in memory of no given kind.
Aval refTo(const Aval &value);
/// The type of the values that it holds.
Aval heldType(const Aval &reference);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CORES_STATE_PRIMITIVES_H
