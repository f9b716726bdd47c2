//===- control.h - loops and branches ---------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CONTROL_CONTROL_H
#define SHARDWRIGHT_FRONTEND_CONTROL_CONTROL_H

#include "shardwright/frontend/control/policy.h"
#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/transform/transform.h"

namespace shardwright::frontend {

/// `body`: carry, then one slice of each of `xs`, to carry, then results that
/// are stacked. `unroll`: iterations of the body in a round of the loop; -1:
/// all of them. JAX: lax.scan.
Tensors scanFlat(const TensorsFunction &body, const Tensors &init,
                 const Tensors &xs, int64_t length, bool reverse,
                 int64_t unroll = 1);
/// JAX: lax.while_loop.
Tensors whileFlat(const TensorsFunction &condition, const TensorsFunction &body,
                  const Tensors &init);
/// One of two functions; a number is true unless it is 0. JAX: lax.cond.
Tensors condFlat(const Tensor &predicate, const TensorsFunction &onTrue,
                 const TensorsFunction &onFalse, const Tensors &operands);
/// Applies the branch of this number (clamped). JAX: lax.switch.
Tensors switchFlat(const Tensor &index,
                   const std::vector<TensorsFunction> &branches,
                   const Tensors &operands);
/// Computes the body again in the backward pass. JAX: jax.checkpoint.
Tensors checkpointFlat(const TensorsFunction &body, const Tensors &args,
                       const CheckpointOptions &options = {});

/// The prefix results of an associative function `combine(a, b)` along an axis.
/// JAX: lax.associative_scan.
Tensors associativeScanFlat(const TensorsFunction &combine,
                            const Tensors &elems, int64_t axis, bool reverse);

/// log(exp(a) + exp(b)) of real numbers; the derivative is exact at infinities.
Tensor logAddExp(const Tensor &a, const Tensor &b);

/// `body(fixed, slices)` for each slice of `xs` along the leading axis, one
/// after another; results are stacked.
Tensors mapSlices(const std::function<Tensors(const Tensors &fixed,
                                              const Tensors &slices)> &body,
                  const Tensors &fixed, const Tensors &xs, int64_t length,
                  int64_t unroll);

/// Makes the tokens at the front of an op's results current, and returns the
/// other results.
std::vector<std::string> takeTokens(LoweringContext &c, EffectSet ordered,
                                    const std::vector<std::string> &results);

/// The program with its inputs and results in another order.
JaxprPtr reordered(const JaxprPtr &jaxpr, const std::vector<size_t> &ins,
                   const std::vector<size_t> &outs);
/// from, from + 1, .. : `count` numbers.
std::vector<size_t> range(size_t from, size_t count);
template <typename... Lists> std::vector<size_t> joined(const Lists &...lists) {
  std::vector<size_t> out;
  (out.insert(out.end(), lists.begin(), lists.end()), ...);
  return out;
}

// Which results of a transformed program have a tangent or a batch dimension.
inline const std::vector<bool> &outMask(const JvpJaxpr &made) {
  return made.outNonzero;
}
inline const std::vector<bool> &outMask(const LinearizedJaxpr &made) {
  return made.outNonzero;
}
inline const std::vector<bool> &outMask(const BatchedJaxpr &made) {
  return made.outBatched;
}
inline const std::vector<bool> &outMask(const TransposedJaxpr &made) {
  return made.outNonzero;
}

/// Transforms the body of a loop so that its carry has tangents (or batch
/// dimensions) at each iteration if it has them at any. `mask`: which inputs of
/// the body (constants, carry, scanned values) have them; grows in the carry.
/// `make(mask, force)`: the body for a mask, where the results in `force` (of
/// `numOuts`, the carry first) must have them.
template <typename Make>
auto carryFixpoint(size_t consts, size_t carry, size_t numOuts,
                   std::vector<bool> &mask, const Make &make) {
  while (true) {
    std::vector<bool> force(numOuts, false);
    for (size_t i = 0; i < carry; ++i)
      force[i] = mask[consts + i];
    auto made = make(mask, force);
    if (!made)
      return made;
    bool changed = false;
    for (size_t i = 0; i < carry; ++i)
      if (outMask(*made)[i] && !mask[consts + i])
        mask[consts + i] = changed = true;
    if (!changed)
      return made;
  }
}

/// Transforms the branches of a conditional so that a result has a tangent (or
/// a batch dimension) in all of them if it has one in any. `force`: results
/// that must have one; grows. `make(branch, force)`: the transformed branch.
template <typename Make>
auto alignBranches(const std::vector<JaxprPtr> &branches,
                   std::vector<bool> &force, const Make &make) {
  using One = std::decay_t<decltype(*make(branches[0], force))>;
  using Result = Expected<std::vector<One>>;
  std::vector<bool> own = force;
  for (const JaxprPtr &branch : branches) {
    auto made = make(branch, own);
    if (!made)
      return Result(made.error());
    for (size_t i = 0; i < force.size(); ++i)
      force[i] = force[i] || outMask(*made)[i];
  }
  std::vector<One> all;
  for (const JaxprPtr &branch : branches) {
    auto made = make(branch, force);
    if (!made)
      return Result(made.error());
    all.push_back(*made);
  }
  return Result(std::move(all));
}

/// A weakly typed carry takes the type of the loop's result. Returns the
/// initial values with the first such one converted, or none.
std::optional<Tensors> strengthenedCarry(const Tensors &init,
                                         const std::vector<Aval> &before,
                                         const std::vector<Aval> &after);
/// Types of a loop's carry before and after, or JAX's error.
Status checkCarry(const std::string &loop, const std::vector<Aval> &before,
                  const std::vector<Aval> &after);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CONTROL_CONTROL_H
