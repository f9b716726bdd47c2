//===- state_primitives.cc - get, swap and addupdate ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/cores/state_primitives.h"

#include "shardwright/frontend/primitives/helpers.h"

#include <algorithm>

namespace shardwright::frontend {

Aval refTo(const Aval &value) {
  static const auto &plain =
      *new std::shared_ptr<const RefType>(std::make_shared<const RefType>());
  Aval out = value;
  out.weak = false;
  out.ref = plain;
  return out;
}
Aval heldType(const Aval &reference) {
  Aval out = reference;
  out.ref = nullptr;
  return out;
}

Status checkRef(const Tensor &ref, std::string_view what) {
  if (!ref.handle())
    return valueError("Can only call `", what, "` on a `Ref`: it is null.");
  if (const Error *error = errorIn(ref))
    return *error;
  if (!ref.aval().isRef())
    return valueError("Can only call `", what,
                      "` on a `Ref`: ", ref.aval().longStr(), ".");
  return {};
}

namespace {

using Types = std::vector<Aval>;

Expected<Aval> elementsOf(const std::string &name, const Types &in,
                          const Params &params) {
  if (in.empty() || !in[0].isRef())
    return valueError("`", name, "` must be called on `Ref` types: ",
                      in.empty() ? "nothing" : in[0].longStr(), ".");
  if (in[0].isSemaphore())
    return valueError("`", name, "` was called on semaphores of type ",
                      in[0].longStr(),
                      "; signal and wait for them, or read one with "
                      "semaphoreRead");
  return viewType(in[0], viewOf(params));
}

/// The type of the view of `in[0]`, if a value of type `in[1]` fits it.
Expected<Aval> checkedElements(const std::string &name, const Types &in,
                               const Params &params) {
  Expected<Aval> part = elementsOf(name, in, params);
  if (!part)
    return part;
  if (in.size() > 1 && in[1].isRef())
    return valueError("Cannot store a Ref into another Ref. Did you forget to "
                      "load from it using `[...]`?");
  if (in[1].shape != part->shape)
    return valueError("Invalid shape for `", name,
                      "`. Ref shape: ", tupleText(in[0].shape),
                      ". Expected shape: ", tupleText(part->shape),
                      ". Value shape: ", tupleText(in[1].shape),
                      ". Transforms: ", viewOf(params).str(), ". ");
  if (in[1].dtype != part->dtype)
    return valueError("Invalid dtype for `", name,
                      "`. Ref dtype: ", frontend::name(part->dtype),
                      name == "swap" ? ". Value dtype: " : ". Value shape: ",
                      frontend::name(in[1].dtype), ". ");
  if (in[1].varying != part->varying)
    return valueError("Invalid manual axes for `", name,
                      "`. Ref type: ", in[0].str(),
                      ". Value type: ", in[1].str(), ". ");
  return part;
}

/// As elementsOf, for a primitive of this name; `hasValue`: its second operand
/// is written.
Primitive statePrimitive(const char *name, bool hasValue, bool hasResult) {
  Primitive p;
  p.name = name;
  p.ownManualAxes = true;
  p.infer = [=](const Types &in, const Params &params) -> Expected<Types> {
    Expected<Aval> part = hasValue ? checkedElements(name, in, params)
                                   : elementsOf(name, in, params);
    if (!part)
      return part.error();
    return hasResult ? Types{*part} : Types();
  };
  p.effects = [](const Params &) { return EffectSet(Effect::State); };
  p.evaluate = [=](const Tensors &, const Params &) -> Tensors {
    return {Tensor(
        notImplemented("Evaluation rule for '", name, "' not implemented"))};
  };
  return p;
}

Tensors withTangentOf(const Tensors &in, const Tensor &ref,
                      const MaybeTensor &value) {
  Tensors out{ref};
  if (value)
    out.push_back(*value);
  out.insert(out.end(), in.begin() + (value ? 2 : 1), in.end());
  return out;
}

JvpResult notDifferentiated(const Tensor &ref) {
  return failedJvp(makeError(
      ErrorKind::Runtime,
      "performing a set/swap operation with a differentiated value on a "
      "non-differentiated array reference of type ",
      ref.aval().longStr(),
      ". Move the array reference to be an argument of the differentiated "
      "function?"));
}

const Primitive getP = [] {
  Primitive p = statePrimitive("get", false, true);
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    Tensor out = bind1(*findPrimitive("get"), in, params);
    if (!t[0])
      return oneResult(out, {});
    return oneResult(out, bind1(*findPrimitive("get"),
                                withTangentOf(in, *t[0], {}), params));
  };
  p.print = [](const EqnText &t) {
    return cat(t.outs[0], " <- ", t.ins[0],
               viewOf(t.eqn.params).subscripts(t.eqn, t.ins, 1));
  };
  return p;
}();
const Registered getR(getP);

const Primitive swapP = [] {
  Primitive p = statePrimitive("swap", true, true);
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &swap = *findPrimitive("swap");
    if (t[1] && !t[0])
      return notDifferentiated(in[0]);
    Tensor out = bind1(swap, in, params);
    if (!t[0])
      return oneResult(out, {});
    Tensor value = instantiate(t[1], in[1].aval());
    return oneResult(out, bind1(swap, withTangentOf(in, *t[0], value), params));
  };
  p.print = [](const EqnText &t) {
    std::string place =
        t.ins[0] + viewOf(t.eqn.params).subscripts(t.eqn, t.ins, 2);
    if (t.outs[0].rfind("_:", 0) == 0)
      return cat(place, " <- ", t.ins[1]);
    return cat(t.outs[0], ", ", place, " <- ", place, ", ", t.ins[1]);
  };
  return p;
}();
const Registered swapR(swapP);

const Primitive addUpdateP = [] {
  Primitive p = statePrimitive("addupdate", true, false);
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &add = *findPrimitive("addupdate");
    if (t[1] && !t[0])
      return notDifferentiated(in[0]);
    MaybeTensor tangent;
    if (t[0])
      tangent = instantiate(t[1], in[1].aval());
    Tensors done = frontend::bind(add, in, params);
    if (!errorIn(done) && tangent)
      done = frontend::bind(add, withTangentOf(in, *t[0], tangent), params);
    if (const Error *error = errorIn(done))
      return failedJvp(*error);
    return JvpResult();
  };
  p.print = [](const EqnText &t) {
    return cat(t.ins[0], viewOf(t.eqn.params).subscripts(t.eqn, t.ins, 2),
               " += ", t.ins[1]);
  };
  return p;
}();
const Registered addUpdateR(addUpdateP);

Params paramsOf(const ViewPtr &view) {
  return {{"transforms", std::shared_ptr<const ParamObject>(view)}};
}

/// The value, varying along the manual axes of a type where it does not yet.
Tensor withManualAxes(const Tensor &value, const Aval &type) {
  AxisNames missing;
  const AxisNames &own = value.aval().varying;
  for (const std::string &axis : type.varying)
    if (std::find(own.begin(), own.end(), axis) == own.end())
      missing.push_back(axis);
  return missing.empty()
             ? value
             : bind1(*findPrimitive("pvary"), {value}, {{"axes", missing}});
}

/// The operands of a primitive that writes; the value has the manual axes of
/// the memory.
Tensors writeOperands(const Tensor &ref, const Tensor &value,
                      const ViewPtr &view, const Tensors &positions) {
  Tensors args{ref, value};
  if (value.ok() && !value.aval().isRef())
    if (Expected<Aval> part = viewType(ref.aval(), *view))
      args[1] = withManualAxes(value, *part);
  args.insert(args.end(), positions.begin(), positions.end());
  return args;
}

} // namespace

Tensor bindGet(const Tensor &ref, const ViewPtr &view,
               const Tensors &positions) {
  if (Status valid = checkRef(ref, "ref_get"); !valid)
    return valid.error();
  Tensors args{ref};
  args.insert(args.end(), positions.begin(), positions.end());
  return bind1(getP, args, paramsOf(view));
}

Tensor bindSwap(const Tensor &ref, const Tensor &value, const ViewPtr &view,
                const Tensors &positions) {
  if (Status valid = checkRef(ref, "ref_swap"); !valid)
    return valid.error();
  return bind1(swapP, writeOperands(ref, value, view, positions),
               paramsOf(view));
}

Status bindAddUpdate(const Tensor &ref, const Tensor &value,
                     const ViewPtr &view, const Tensors &positions) {
  SW_TRY(checkRef(ref, "ref_addupdate"));
  Tensors done = frontend::bind(
      addUpdateP, writeOperands(ref, value, view, positions), paramsOf(view));
  const Error *error = errorIn(done);
  return error ? Status(*error) : Status();
}

} // namespace shardwright::frontend
