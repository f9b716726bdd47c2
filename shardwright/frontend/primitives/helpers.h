//===- helpers.h - parts of descriptions that primitives share --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PRIMITIVES_HELPERS_H
#define SHARDWRIGHT_FRONTEND_PRIMITIVES_HELPERS_H

#include "shardwright/frontend/primitives/lax.h"
#include "shardwright/frontend/trace/primitive.h"

namespace shardwright::frontend {

/// The tangent of the only result.
JvpResult oneResult(Tensor out, MaybeTensor tangent);
/// a + b, where either may be zero.
MaybeTensor addTangents(const MaybeTensor &a, const MaybeTensor &b);
/// A tangent as a tensor: zeros where there is none.
Tensor instantiate(const MaybeTensor &tangent, const Aval &primal);

/// A value of a type whose elements do not matter. JAX: lax.empty.
Tensor emptyOf(const Aval &type);

/// Which of the values are given.
std::vector<bool> given(const MaybeTensors &values);
/// Appends the values that are given.
void appendGiven(Tensors &to, const MaybeTensors &values);
/// The opposite: one entry for each of `has`; where it is true, the next of
/// `values` from number `from` on.
MaybeTensors spread(const Tensors &values, const std::vector<bool> &has,
                    size_t from = 0);
/// The result of a rule of differentiation that failed.
JvpResult failedJvp(const Error &error);

/// True where there is a batch dimension.
std::vector<bool> isBatched(const Ints &dims);
/// `dim` where batched, else -1.
Ints batchDims(const std::vector<bool> &batched, int64_t dim = 0);
/// Moves a batch dimension, or inserts one of size 1 where there is none.
Tensor moveBatch(const Tensor &x, int64_t from, int64_t to);
/// Broadcasts a value that is not batched along a new dimension `to`, which is
/// sharded as the axis of the vmap is, and moves the batch dimension of others
/// there.
Tensor batchTo(const Tensor &x, int64_t dim, int64_t to, const BatchAxis &axis);
/// The same for a leading dimension.
Tensor batchToFront(const Tensor &x, int64_t dim, const BatchAxis &axis);
/// A leading dimension of this size, not sharded.
Tensor batchToFront(const Tensor &x, int64_t dim, int64_t size);

/// Sets the parameter of a jit that names the mesh in context, if there is one:
/// an abstract mesh counts if it has Explicit axes.
void setContextMesh(Params &params);

/// Sums a cotangent over dimensions along which the operand was broadcast.
Tensor unbroadcast(const Tensor &cotangent, const Aval &operand);

/// A lowering to the StableHLO op of this name, with attributes.
std::function<std::vector<std::string>(LoweringContext &)>
lowerTo(std::string opName, std::string attributes = "");
/// `dims = array<i64: 0, 1>`.
std::string arrayAttr(std::string_view name, const Ints &values);
/// Types of several values.
std::vector<std::string> mlirTypes(const std::vector<Aval> &avals);
/// The operands, broadcast to the shape of the first result.
std::vector<std::string> broadcastOperands(LoweringContext &c);
/// The name of operand `i` broadcast to a shape.
std::string broadcastTo(LoweringContext &c, const std::string &value,
                        const Aval &from, const Shape &to);

/// The shape of an elementwise operation, or JAX's error.
Expected<Shape> broadcastShapes(const std::string &name,
                                const std::vector<Aval> &args);
/// The common spec of operands that are broadcast together.
Expected<std::vector<PartitionSpec>>
broadcastSpecs(const std::string &name, const std::vector<Aval> &args);

/// Batches a primitive whose operands have equal shapes, or size 1.
BatchResult batchElementwise(const Primitive &primitive, const BatchAxis &axis,
                             const Tensors &args, const Ints &dims,
                             const Params &params);
/// Types that a primitive accepts.
enum class Accepts {
  Any,
  Ordered, ///< not complex ones
  Float,
  Inexact,
  Number,
  Real,   ///< integers and floats
  Signed, ///< numbers with a sign
  Integer,
  Complex,
  BoolOrInt,
  PartOfComplex,         ///< the types of which complex numbers consist
  ComplexOrPartOfComplex ///< also complex ones
};
Status checkAccepts(const std::string &name, Accepts accepts, DType type);

/// A primitive of one operand whose result has the operand's type, sharding
/// included. It has no other rules yet.
Primitive sameTypePrimitive(std::string name);

/// A value that is the same on all devices, with the manual axes of a type.
Tensor castManualAxes(Tensor x, const Aval &type);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PRIMITIVES_HELPERS_H
