//===- transform.h - transformations of functions of tensors ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRANSFORM_TRANSFORM_H
#define SHARDWRIGHT_FRONTEND_TRANSFORM_TRANSFORM_H

#include "shardwright/frontend/trace/primitive.h"

namespace shardwright::frontend {

/// Results of a function and, where they are not zero, their tangents.
Expected<JvpResult> jvpFlat(const TensorsFunction &function,
                            const Tensors &primals,
                            const MaybeTensors &tangents);

/// The linear part of a function at a point.
struct Linearized {
  Tensors outs;
  /// Tangents of the inputs with `linearIns` to those of the results with
  /// `linearOuts`. Its constants are the residuals.
  JaxprPtr tangentJaxpr;
  std::vector<bool> linearIns, linearOuts;
};
/// `linear`: which inputs are differentiated.
Expected<Linearized> linearizeFlat(const TensorsFunction &function,
                                   const Tensors &primals,
                                   const std::vector<bool> &linear);

/// Cotangents of the inputs of a jaxpr that have no value in `known`; others
/// are none, as are those that are zero. Equations on known values only are
/// evaluated. `initial`: per input a value to which its cotangents are added,
/// or empty.
Expected<MaybeTensors> backwardPass(const Jaxpr &jaxpr,
                                    const MaybeTensors &known,
                                    const MaybeTensors &cotangents,
                                    const MaybeTensors &initial = {});
/// Cotangents of the differentiated inputs.
Expected<MaybeTensors> vjpFlat(const Linearized &linear,
                               const MaybeTensors &cotangents);

/// Applies a function to each slice along the batch dimensions (-1: the same
/// value for all). `outDims`: where the results' batch dimension goes; -1: the
/// result must not depend on the slice. One entry: for all results.
Expected<Tensors> vmapFlat(const TensorsFunction &function, const Tensors &args,
                           const Ints &inDims, const Ints &outDims,
                           const BatchAxis &axis);

// The same on programs, for primitives that contain one.

/// Inputs: primals, then tangents where `nonzero`. Results: primal results,
/// then tangents where `outNonzero`. `force`: results that must have tangents.
struct JvpJaxpr {
  JaxprPtr jaxpr;
  std::vector<bool> outNonzero;
};
Expected<JvpJaxpr> jvpJaxpr(const JaxprPtr &jaxpr,
                            const std::vector<bool> &nonzero,
                            const std::vector<bool> &force = {});

/// `known`: inputs to results, then residuals. `tangent`: residuals, then
/// tangents of the inputs, to tangents of the results.
struct LinearizedJaxpr {
  JaxprPtr known, tangent;
  std::vector<bool> outNonzero;
  size_t numResiduals = 0;
};
Expected<LinearizedJaxpr> linearizeJaxpr(const JaxprPtr &jaxpr,
                                         const std::vector<bool> &nonzero,
                                         const std::vector<bool> &force = {});

/// A program without the equations on the values of its first inputs alone,
/// which are applied now: its inputs are what it uses of their results
/// (`consts`), then the other inputs. `known`: per result, its value if that
/// does not depend on the other inputs; such results are left out, except for
/// the first `numResults`.
struct HoistedJaxpr {
  JaxprPtr jaxpr;
  Tensors consts;
  MaybeTensors known;
};
Expected<HoistedJaxpr> hoistKnown(const JaxprPtr &jaxpr, const Tensors &known,
                                  size_t numResults);

/// Inputs: those that are not linear, then cotangents where `ctNonzero`.
/// Results: cotangents of the linear inputs with `outNonzero`. `force`: linear
/// inputs that must have one. Both have an entry per input.
struct TransposedJaxpr {
  JaxprPtr jaxpr;
  std::vector<bool> outNonzero;
};
Expected<TransposedJaxpr> transposeJaxpr(const JaxprPtr &jaxpr,
                                         const std::vector<bool> &linear,
                                         const std::vector<bool> &ctNonzero,
                                         const std::vector<bool> &force = {});

/// Where a result of a batched program has its batch dimension, if it has one:
/// where it comes to be, or in front.
constexpr int64_t kAnyBatchDim = -2, kFrontBatchDim = -3;
/// Batched at `inDims` (-1: not batched). `outDims`: of each result its batch
/// dimension, -1 (an error if it has one), kAnyBatchDim or kFrontBatchDim; one
/// entry: of all results.
struct BatchedProgram {
  JaxprPtr jaxpr;
  Ints outDims;
};
Expected<BatchedProgram> batchJaxprAt(const JaxprPtr &jaxpr,
                                      const BatchAxis &axis, const Ints &inDims,
                                      const Ints &outDims);
/// Batched at dimension 0 where `batched`; the same of the results in
/// `outBatched`. `force`: results that must be batched.
struct BatchedJaxpr {
  JaxprPtr jaxpr;
  std::vector<bool> outBatched;
};
Expected<BatchedJaxpr> batchJaxpr(const JaxprPtr &jaxpr, const BatchAxis &axis,
                                  const std::vector<bool> &batched,
                                  const std::vector<bool> &force = {});

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRANSFORM_TRANSFORM_H
