//===- frontend.h - arrays, meshes, jit, autodiff, vmap ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_FRONTEND_H
#define SHARDWRIGHT_FRONTEND_FRONTEND_H

// IWYU pragma: begin_exports
#include "shardwright/frontend/api/autodiff.h"
#include "shardwright/frontend/api/callbacks.h"
#include "shardwright/frontend/api/control.h"
#include "shardwright/frontend/api/custom.h"
#include "shardwright/frontend/api/custom_vmap.h"
#include "shardwright/frontend/api/explicit_axes.h"
#include "shardwright/frontend/api/jit.h"
#include "shardwright/frontend/api/layout_constraint.h"
#include "shardwright/frontend/api/linear_solve.h"
#include "shardwright/frontend/base/config.h"
#include "shardwright/frontend/base/named_scope.h"
#include "shardwright/frontend/base/warning.h"
#include "shardwright/frontend/callbacks/call_limits.h"
#include "shardwright/frontend/callbacks/ffi.h"
#include "shardwright/frontend/callbacks/ffi_function.h"
#include "shardwright/frontend/callbacks/xla_handlers.h"
#include "shardwright/frontend/control/incomplete.h"
#include "shardwright/frontend/control/reduce.h"
#include "shardwright/frontend/cores/core_map.h"
#include "shardwright/frontend/cores/run_state.h"
#include "shardwright/frontend/cores/synchronize.h"
#include "shardwright/frontend/linalg/linalg.h"
#include "shardwright/frontend/mesh/topology.h"
#include "shardwright/frontend/numpy/activations.h"
#include "shardwright/frontend/numpy/arrange.h"
#include "shardwright/frontend/numpy/fft.h"
#include "shardwright/frontend/numpy/linalg.h"
#include "shardwright/frontend/numpy/numpy.h"
#include "shardwright/frontend/numpy/random.h"
#include "shardwright/frontend/numpy/rearrange.h"
#include "shardwright/frontend/numpy/reductions.h"
#include "shardwright/frontend/numpy/slices.h"
#include "shardwright/frontend/numpy/spread.h"
#include "shardwright/frontend/numpy/ufuncs.h"
#include "shardwright/frontend/pmap/axis_env.h"
#include "shardwright/frontend/pmap/emap.h"
#include "shardwright/frontend/pmap/pmap.h"
#include "shardwright/frontend/pmap/pmap_sharding.h"
#include "shardwright/frontend/pmap/replicas.h"
#include "shardwright/frontend/primitives/lax.h"
#include "shardwright/frontend/primitives/out_sharding.h"
#include "shardwright/frontend/primitives/parts.h"
#include "shardwright/frontend/primitives/ragged_dot.h"
#include "shardwright/frontend/primitives/special.h"
#include "shardwright/frontend/scipy/convolutions.h"
#include "shardwright/frontend/scipy/distributions.h"
#include "shardwright/frontend/scipy/image.h"
#include "shardwright/frontend/scipy/initializers.h"
#include "shardwright/frontend/scipy/linalg.h"
#include "shardwright/frontend/scipy/matrices.h"
#include "shardwright/frontend/scipy/pieces.h"
#include "shardwright/frontend/scipy/segment.h"
#include "shardwright/frontend/scipy/sets.h"
#include "shardwright/frontend/scipy/special.h"
#include "shardwright/frontend/shard_map/custom_partitioning.h"
#include "shardwright/frontend/shard_map/shard_map.h"
#include "shardwright/frontend/tiling/gspmd_text.h"
#include "shardwright/frontend/tiling/manual_conversion.h"
#include "shardwright/frontend/tiling/tiling.h"
#include "shardwright/frontend/trace/registry.h"
// IWYU pragma: end_exports

#endif // SHARDWRIGHT_FRONTEND_FRONTEND_H
