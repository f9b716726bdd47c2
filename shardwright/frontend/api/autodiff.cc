//===- autodiff.cc - grad, jvp, vjp, vmap ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/autodiff.h"

#include "shardwright/frontend/api/mapped_sizes.h"

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/reshard.h"
#include "shardwright/frontend/transform/transform.h"

namespace shardwright::frontend::detail {

std::vector<bool> wantedLeaves(const std::vector<size_t> &counts,
                               const std::vector<int64_t> &argnums) {
  std::vector<bool> out;
  for (size_t i = 0; i < counts.size(); ++i)
    out.insert(out.end(), counts[i],
               containsInt(argnums, static_cast<int64_t>(i)));
  return out;
}

Status checkArgnum(int64_t argnum, size_t count) {
  if (argnum >= 0 && argnum < static_cast<int64_t>(count))
    return {};
  return typeError("differentiating with respect to argnums=", argnum,
                   " requires at least ", argnum + 1,
                   " positional arguments to be passed by the caller, but got "
                   "only ",
                   count, " positional arguments.");
}

/// The error of an argument that `what` cannot differentiate, or none.
static Status checkInput(const char *what, const Tensor &x, bool allowComplex) {
  if (!isInexact(x.dtype()))
    return typeError(what,
                     " requires real- or complex-valued inputs (input dtype "
                     "that is a sub-dtype of np.inexact), but got ",
                     name(x.dtype()),
                     ". If you want to use Boolean- or integer-valued "
                     "inputs, use vjp or set allow_int to True.");
  if (isComplex(x.dtype()) && !allowComplex)
    return typeError(what,
                     " requires real-valued inputs (input dtype that is "
                     "a sub-dtype of np.floating), but got ",
                     name(x.dtype()),
                     ". For holomorphic differentiation, pass "
                     "holomorphic=True. For differentiation of "
                     "non-holomorphic functions involving complex inputs, "
                     "use jax.vjp directly.");
  return {};
}

/// The function, whose operations are named as those of a transformation.
static TensorsFunction within(const char *transform,
                              const FlatFunction &function) {
  return [=](const Tensors &in) {
    ScopedNames names(namesWithin(transform));
    return function(in);
  };
}

Expected<Tensors> valueAndGrad(const FlatFunction &function,
                               const Tensors &primals,
                               const std::vector<bool> &wanted, bool) {
  for (size_t i = 0; i < primals.size(); ++i) {
    if (const Error *error = errorIn(primals[i]))
      return *error;
    if (wanted[i])
      SW_TRY(checkInput("grad", primals[i], false));
  }
  Expected<Linearized> linear =
      linearizeFlat(within("jvp", function), primals, wanted);
  if (!linear)
    return linear.error();
  if (linear->outs.size() != 1)
    return typeError("Gradient only defined for scalar-output functions. "
                     "Output was a tree of ",
                     linear->outs.size(), " leaves.");
  const Tensor &out = linear->outs[0];
  if (out.rank())
    return typeError("Gradient only defined for scalar-output functions. "
                     "Output had shape: ",
                     tupleText(out.shape()), ".");
  if (!isFloat(out.dtype()))
    return typeError("grad requires real-valued outputs (output dtype that is "
                     "a sub-dtype of np.floating), but got ",
                     name(out.dtype()), ". For ",
                     isComplex(out.dtype())
                         ? "holomorphic differentiation, pass "
                           "holomorphic=True. For differentiation of "
                           "non-holomorphic functions involving complex "
                           "outputs, use jax.vjp directly."
                         : "differentiation of functions with integer "
                           "outputs, use jax.vjp directly.");
  ScopedNames names(namesWithin("transpose"));
  Expected<MaybeTensors> back = vjpFlat(*linear, {scalarOf(1.0, out.dtype())});
  if (!back)
    return back.error();
  Tensors result = linear->outs;
  for (size_t i = 0; i < primals.size(); ++i)
    if (wanted[i])
      result.push_back(instantiate((*back)[i], primals[i].aval()));
  if (const Error *error = errorIn(result))
    return *error;
  return result;
}

Expected<std::pair<Tensors, Tensors>> jvp(const FlatFunction &function,
                                          const Tensors &primals,
                                          const Tensors &tangents) {
  if (primals.size() != tangents.size())
    return typeError("primal and tangent arguments to jax.jvp must have the "
                     "same tree structure; primals have ",
                     primals.size(), " leaves, tangents ", tangents.size());
  MaybeTensors given;
  for (size_t i = 0; i < primals.size(); ++i) {
    if (primals[i].shape() != tangents[i].shape())
      return valueError("jvp called with different primal and tangent shapes;"
                        "Got primal shape ",
                        tupleText(primals[i].shape()), " and tangent shape as ",
                        tupleText(tangents[i].shape()));
    bool inexact = isInexact(primals[i].dtype());
    if (inexact && tangents[i].dtype() != primals[i].dtype())
      return typeError("primal and tangent arguments to jax.jvp do not match; "
                       "dtypes must be equal, or in case of int/bool primal "
                       "dtype the tangent dtype must be float0.Got primal "
                       "dtype ",
                       name(primals[i].dtype()),
                       " and so expected tangent dtype ",
                       name(primals[i].dtype()), ", but got tangent dtype ",
                       name(tangents[i].dtype()), " instead.");
    given.push_back(inexact ? MaybeTensor(tangents[i]) : MaybeTensor());
  }
  Expected<JvpResult> result = jvpFlat(within("jvp", function), primals, given);
  if (!result)
    return result.error();
  Tensors out;
  for (size_t i = 0; i < result->outs.size(); ++i)
    out.push_back(instantiate(result->tangents[i], result->outs[i].aval()));
  return std::pair{result->outs, out};
}

Expected<std::pair<Tensors, FlatFunction>> vjp(const FlatFunction &function,
                                               const Tensors &primals) {
  Expected<Linearized> linear =
      linearizeFlat(within("jvp", function), primals,
                    std::vector<bool>(primals.size(), true));
  if (!linear)
    return linear.error();
  Linearized kept = *linear;
  FlatFunction back = [kept, primals](const Tensors &cts) -> Tensors {
    if (cts.size() != kept.outs.size())
      return {Tensor(valueError("the cotangent has ", cts.size(),
                                " leaves, and the result ", kept.outs.size()))};
    MaybeTensors given;
    for (size_t i = 0; i < cts.size(); ++i) {
      if (!cts[i].ok())
        return {cts[i]};
      if (cts[i].shape() != kept.outs[i].shape())
        return {Tensor(valueError(
            "Shape of cotangent input to vjp pullback function ",
            tupleText(cts[i].shape()),
            " must be the same as the shape of corresponding primal input ",
            tupleText(kept.outs[i].shape()), "."))};
      given.push_back(reshardLike(cts[i], kept.outs[i].aval()));
    }
    ScopedNames names(namesWithin("transpose"));
    Expected<MaybeTensors> result = vjpFlat(kept, given);
    if (!result)
      return {Tensor(result.error())};
    Tensors out;
    for (size_t i = 0; i < primals.size(); ++i)
      out.push_back(instantiate((*result)[i], primals[i].aval()));
    return out;
  };
  return std::pair{linear->outs, back};
}

Expected<std::pair<Tensors, FlatFunction>>
linearize(const FlatFunction &function, const Tensors &primals) {
  Expected<Linearized> linear =
      linearizeFlat(within("jvp", function), primals,
                    std::vector<bool>(primals.size(), true));
  if (!linear)
    return linear.error();
  Linearized kept = *linear;
  FlatFunction push = [kept, primals](const Tensors &tangents) -> Tensors {
    if (tangents.size() != primals.size())
      return {Tensor(valueError("the tangent has ", tangents.size(),
                                " leaves, and the argument ", primals.size()))};
    Tensors ins;
    for (size_t i = 0; i < primals.size(); ++i) {
      if (!tangents[i].ok())
        return {tangents[i]};
      Aval expected = tangentAval(primals[i].aval());
      if (tangents[i].shape() != expected.shape ||
          (isInexact(primals[i].dtype()) &&
           tangents[i].dtype() != expected.dtype))
        return {Tensor(valueError(
            "linearized function called on tangent values inconsistent with "
            "the original primal values:\nGot tangent aval ",
            tangents[i].aval().longStr(), " for primal aval ",
            primals[i].aval().longStr(), " but expected ", expected.longStr(),
            "."))};
      if (kept.linearIns[i])
        ins.push_back(tangents[i]);
    }
    Tensors pushed = evalJaxpr(*kept.tangentJaxpr, ins);
    if (const Error *error = errorIn(pushed))
      return {Tensor(*error)};
    Tensors out;
    size_t next = 0;
    for (size_t i = 0; i < kept.outs.size(); ++i)
      out.push_back(instantiate(kept.linearOuts[i] ? MaybeTensor(pushed[next++])
                                                   : MaybeTensor(),
                                kept.outs[i].aval()));
    return out;
  };
  return std::pair{linear->outs, push};
}

/// The rows of an identity matrix, each of the shape of `x`.
static Tensor basisOf(const Tensor &x) {
  int64_t n = x.size();
  Tensor rows = lax::iota(DType::I32, {n, n}, 0);
  Tensor columns = lax::iota(DType::I32, {n, n}, 1);
  Tensor eye = lax::convert_element_type(lax::eq(rows, columns), x.dtype());
  Shape shape = x.shape();
  shape.insert(shape.begin(), n);
  return lax::reshape(eye, shape);
}

static Shape followedBy(Shape first, const Shape &second) {
  for (int64_t size : second)
    first.push_back(size);
  return first;
}

/// Columns of the Jacobian: [result leaf][wanted argument].
static Expected<std::vector<Tensors>>
forwardColumns(const FlatFunction &function, const Tensors &primals,
               const std::vector<bool> &wanted) {
  std::vector<Tensors> out;
  for (size_t i = 0; i < primals.size(); ++i) {
    if (!wanted[i])
      continue;
    TensorsFunction push = [&](const Tensors &direction) -> Tensors {
      MaybeTensors tangents(primals.size());
      tangents[i] = direction[0];
      Expected<JvpResult> result = jvpFlat(function, primals, tangents);
      if (!result)
        return {Tensor(result.error())};
      Tensors outs;
      for (size_t k = 0; k < result->outs.size(); ++k)
        outs.push_back(
            instantiate(result->tangents[k], result->outs[k].aval()));
      return outs;
    };
    Expected<Tensors> columns = vmapFlat(push, {basisOf(primals[i])}, {0}, {0},
                                         BatchAxis{primals[i].size(), "", {}});
    if (!columns)
      return columns.error();
    out.resize(columns->size());
    for (size_t k = 0; k < columns->size(); ++k) {
      const Tensor &c = (*columns)[k];
      Shape shape = c.shape();
      shape.erase(shape.begin());
      out[k].push_back(lax::reshape(moveBatch(c, 0, c.rank() - 1),
                                    followedBy(shape, primals[i].shape())));
    }
  }
  return out;
}

/// Rows of the Jacobian: [result leaf][wanted argument].
static Expected<std::vector<Tensors>>
reverseRows(const FlatFunction &function, const Tensors &primals,
            const std::vector<bool> &wanted) {
  Expected<Linearized> linear = linearizeFlat(function, primals, wanted);
  if (!linear)
    return linear.error();
  std::vector<Tensors> out;
  for (size_t k = 0; k < linear->outs.size(); ++k) {
    const Tensor &y = linear->outs[k];
    if (!isFloat(y.dtype()))
      return typeError("jacrev requires real-valued outputs (output dtype that "
                       "is a sub-dtype of np.floating), but got ",
                       name(y.dtype()), ".");
    TensorsFunction pull = [&](const Tensors &cotangent) -> Tensors {
      MaybeTensors cts(linear->outs.size());
      cts[k] = cotangent[0];
      Expected<MaybeTensors> back = vjpFlat(*linear, cts);
      if (!back)
        return {Tensor(back.error())};
      Tensors result;
      for (size_t i = 0; i < primals.size(); ++i)
        if (wanted[i])
          result.push_back(instantiate((*back)[i], primals[i].aval()));
      return result;
    };
    Expected<Tensors> rows =
        vmapFlat(pull, {basisOf(y)}, {0}, {0}, BatchAxis{y.size(), "", {}});
    if (!rows)
      return rows.error();
    Tensors blocks;
    size_t next = 0;
    for (size_t i = 0; i < primals.size(); ++i)
      if (wanted[i])
        blocks.push_back(lax::reshape(
            (*rows)[next++], followedBy(y.shape(), primals[i].shape())));
    out.push_back(std::move(blocks));
  }
  return out;
}

Expected<Tensors> jacobian(const FlatFunction &function, const Tensors &primals,
                           const std::vector<bool> &wanted, bool forward) {
  for (size_t i = 0; i < primals.size(); ++i) {
    if (const Error *error = errorIn(primals[i]))
      return *error;
    if (wanted[i])
      SW_TRY(checkInput(forward ? "jacfwd" : "jacrev", primals[i], false));
  }
  Expected<std::vector<Tensors>> blocks =
      forward ? forwardColumns(function, primals, wanted)
              : reverseRows(function, primals, wanted);
  if (!blocks)
    return blocks.error();
  Tensors out;
  for (const Tensors &row : *blocks)
    out.insert(out.end(), row.begin(), row.end());
  if (const Error *error = errorIn(out))
    return *error;
  return out;
}

Expected<Ints> leafDims(const Ints &inAxes, const std::vector<size_t> &counts) {
  if (inAxes.size() != 1 && inAxes.size() != counts.size())
    return valueError(
        "vmap in_axes must be an int, None, or a tuple of entries "
        "corresponding to the positional arguments passed to the function, but "
        "got len(in_axes)=",
        inAxes.size(), ", len(args)=", counts.size());
  Ints out;
  for (size_t i = 0; i < counts.size(); ++i)
    out.insert(out.end(), counts[i], inAxes[inAxes.size() == 1 ? 0 : i]);
  return out;
}

std::vector<std::string>
argumentLeaves(const std::vector<TreeDef> &definitions,
               const std::vector<std::string> &parameters) {
  std::vector<std::string> out;
  for (size_t i = 0; i < definitions.size(); ++i)
    for (const std::string &path : definitions[i].paths)
      out.push_back(argumentName(path, i, parameters));
  return out;
}

/// The size of the mapped dimensions, or the error that they do not agree.
static Expected<int64_t>
mappedSize(const Tensors &args, const Ints &dims, int64_t axisSize,
           const std::function<std::vector<std::string>()> &names) {
  int64_t size = axisSize;
  bool differ = false;
  for (size_t i = 0; i < args.size(); ++i) {
    if (const Error *error = errorIn(args[i]))
      return *error;
    if (dims[i] < -1)
      return valueError("vmap inAxes count dimensions from the front, and -1 "
                        "says that an argument is not mapped. Got ",
                        dims[i]);
    if (dims[i] < 0)
      continue;
    if (dims[i] >= args[i].rank())
      return valueError(
          "vmap was requested to map its argument along axis ", dims[i],
          ", which implies that its rank should be at "
          "least ",
          static_cast<uint64_t>(dims[i]) + 1, ", but is only ", args[i].rank(),
          " (its shape is ", tupleText(args[i].shape()), ")");
    int64_t own = args[i].dim(dims[i]);
    differ |= size >= 0 && own != size;
    size = size < 0 ? own : size;
  }
  if (differ)
    return inconsistentSizes("vmap", args, dims, axisSize,
                             names ? names() : std::vector<std::string>());
  if (size < 0)
    return valueError("vmap must have at least one non-None value in in_axes "
                      "or axis_size must be specified");
  return size;
}

Expected<Tensors> vmap(const FlatFunction &function, const Tensors &args,
                       const Ints &inDims, const Ints &outDims,
                       int64_t axisSize, const std::string &axisName,
                       const AxisNames &spmdNames,
                       const std::function<std::vector<std::string>()> &names) {
  Expected<int64_t> size = mappedSize(args, inDims, axisSize, names);
  if (!size)
    return size.error();
  FlatFunction counted = [&](const Tensors &slices) -> Tensors {
    Tensors outs = function(slices);
    if (outDims.size() == 1 || outDims.size() == outs.size() || errorIn(outs))
      return outs;
    return {Tensor(valueError(
        "vmap out_axes specification must be a tree prefix of the "
        "corresponding value; \n  Mismatch details (1 found):\n  pytree "
        "structure error: different lengths of tuple at key path\n    vmap "
        "out_axes\nAt that key path, the prefix pytree vmap out_axes has a "
        "subtree of type tuple of length ",
        outDims.size(),
        ", but the full pytree has a subtree of the same type but of length ",
        outs.size(), "."))};
  };
  return vmapFlat(within("vmap", counted), args, inDims, outDims,
                  BatchAxis{*size, axisName, spmdNames});
}

} // namespace shardwright::frontend::detail
