//===- synchronize.cc - copies and semaphores of cores --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/cores/synchronize.h"

#include "shardwright/frontend/cores/kernel_param.h"
#include "shardwright/frontend/cores/state_primitives.h"
#include "shardwright/frontend/shard_map/collectives.h"

#include <set>

namespace shardwright::frontend {
namespace {

using Types = std::vector<Aval>;

/// An error unless this operand is one semaphore. `kinds`: those allowed.
Status checkSemaphore(const std::string &name, const Types &in,
                      const ViewOperand &sem,
                      const std::vector<std::string> &kinds) {
  const Aval &type = in[sem.ref];
  if (!type.isSemaphore())
    return valueError("Cannot ", name, " on a non-semaphore Ref: ", type.str());
  Shape shape = sem.view->resultShape(type.shape);
  if (shape.rank())
    return valueError("Cannot ", name,
                      " on a non-()-shaped semaphore: ", tupleText(shape));
  for (const std::string &kind : kinds)
    if (type.ref->counter == kind)
      return {};
  return valueError("Must ", name,
                    " semaphores of the following types: ", kinds[0], ". Got ",
                    type.ref->counter, ".");
}

Status checkInt32(const Types &in, size_t at, std::string_view what) {
  for (size_t i = at; i < in.size(); ++i)
    if (in[i].dtype != DType::I32 || in[i].rank())
      return valueError(what, " int32 value, but got ", in[i].longStr());
  return {};
}

/// An error unless the axes of the target are bound.
Status checkTarget(const Params &params, const std::string &name) {
  for (const std::string &axis : params.names("target_axes")) {
    const NamedAxis *found = findAxis(axis);
    if (!found)
      return makeError(ErrorKind::Name, "Found an unbound axis name: ", axis,
                       ". A target of ", name,
                       " names axes of cores, and manual axes of devices.");
  }
  return {};
}

Primitive syncPrimitive(
    const char *name,
    std::function<Expected<Types>(const Types &, const Params &)> infer) {
  Primitive p;
  p.name = name;
  p.ownManualAxes = true;
  p.infer = std::move(infer);
  p.effects = [](const Params &) { return EffectSet(Effect::State); };
  p.evaluate = [=](const Tensors &, const Params &) -> Tensors {
    return {Tensor(
        notImplemented("Evaluation rule for '", name, "' not implemented"))};
  };
  return p;
}

std::string viewText(const EqnText &t, const ViewOperand &v) {
  return t.ins[v.ref] + v.view->subscripts(t.eqn, t.ins, v.firstPosition);
}
/// ` {core: 0:i32[]}`, or nothing.
std::string targetText(const EqnText &t, size_t firstScalar) {
  std::string out;
  const AxisNames &axes = t.eqn.params.names("target_axes");
  for (size_t i = 0; i < axes.size(); ++i)
    out +=
        cat(out.empty() ? " {" : ", ", axes[i], ": ", t.ins[firstScalar + i]);
  return out.empty() ? out : out + "}";
}

Expected<Types> inferStart(const Types &in, const Params &params) {
  SyncOperands o = syncOperands(params);
  if (o.views.size() < 3)
    return valueError("DMA source/destination/semaphore arguments must be "
                      "Refs.");
  const Aval &src = in[o.views[0].ref], &dst = in[o.views[1].ref];
  if (!src.isRef() || !dst.isRef() || src.isSemaphore() || dst.isSemaphore())
    return valueError("DMA source/destination/semaphore arguments must be "
                      "Refs.");
  Shape from = o.views[0].view->resultShape(src.shape);
  Shape to = o.views[1].view->resultShape(dst.shape);
  if (from != to || src.dtype != dst.dtype)
    return valueError("DMA source and destination must have the same type, "
                      "got ",
                      Aval{src.dtype, from}.longStr(), " and ",
                      Aval{dst.dtype, to}.longStr());
  for (size_t i = 2; i < o.views.size(); ++i)
    SW_TRY(checkSemaphore("signal", in, o.views[i], {"dma_sem"}));
  SW_TRY(checkInt32(in, o.firstScalar, "`device_id`s must be an"));
  SW_TRY(checkTarget(params, "dma_start"));
  return Types();
}

const Primitive startP = [] {
  Primitive p = syncPrimitive("dma_start", inferStart);
  p.print = [](const EqnText &t) {
    SyncOperands o = syncOperands(t.eqn.params);
    std::string out =
        cat("dma_start(p0) ", viewText(t, o.views[0]), " -> ",
            viewText(t, o.views[1]), " ", viewText(t, o.views[2]));
    if (o.views.size() > 3)
      out += " " + viewText(t, o.views[3]);
    return out + targetText(t, o.firstScalar);
  };
  return p;
}();
const Registered startR(startP);

const Primitive waitP = [] {
  Primitive p = syncPrimitive(
      "dma_wait", [](const Types &in, const Params &params) -> Expected<Types> {
        SyncOperands o = syncOperands(params);
        if (o.views.size() != 2 || !in[o.views[1].ref].isSemaphore())
          return valueError("Expected the destination semaphore to be a "
                            "reference");
        if (in[o.views[1].ref].ref->counter != "dma_sem")
          return valueError("dma_wait requires a DMA semaphore, but got a "
                            "regular semaphore. Use pl.semaphore_wait() "
                            "instead.");
        SW_TRY(checkSemaphore("wait", in, o.views[1], {"dma_sem"}));
        return Types();
      });
  p.print = [](const EqnText &t) {
    SyncOperands o = syncOperands(t.eqn.params);
    return cat("dma_wait ", viewText(t, o.views[0]), " ",
               viewText(t, o.views[1]));
  };
  return p;
}();
const Registered waitR(waitP);

const Primitive signalP = [] {
  Primitive p = syncPrimitive(
      "semaphore_signal",
      [](const Types &in, const Params &params) -> Expected<Types> {
        SyncOperands o = syncOperands(params);
        SW_TRY(checkSemaphore("signal", in, o.views[0], {"semaphore"}));
        SW_TRY(checkInt32(in, o.firstScalar, "Must signal an"));
        SW_TRY(checkTarget(params, "semaphore_signal"));
        return Types();
      });
  p.print = [](const EqnText &t) {
    SyncOperands o = syncOperands(t.eqn.params);
    return cat("semaphore_signal ", viewText(t, o.views[0]), " ",
               t.ins[o.firstScalar], targetText(t, o.firstScalar + 1));
  };
  return p;
}();
const Registered signalR(signalP);

const Primitive semWaitP = [] {
  Primitive p = syncPrimitive(
      "semaphore_wait",
      [](const Types &in, const Params &params) -> Expected<Types> {
        SyncOperands o = syncOperands(params);
        SW_TRY(checkSemaphore("wait", in, o.views[0], {"semaphore"}));
        if (in[o.firstScalar].dtype != DType::I32 || in[o.firstScalar].rank())
          return valueError("Must wait an int32 value.");
        return Types();
      });
  p.print = [](const EqnText &t) {
    SyncOperands o = syncOperands(t.eqn.params);
    return cat("semaphore_wait[dec] ", viewText(t, o.views[0]), " ",
               t.ins[o.firstScalar]);
  };
  return p;
}();
const Registered semWaitR(semWaitP);

const Primitive readP = [] {
  Primitive p = syncPrimitive(
      "semaphore_read",
      [](const Types &in, const Params &params) -> Expected<Types> {
        SyncOperands o = syncOperands(params);
        SW_TRY(
            checkSemaphore("read", in, o.views[0], {"semaphore", "dma_sem"}));
        return Types{Aval{DType::I32, {}}};
      });
  p.print = [](const EqnText &t) {
    SyncOperands o = syncOperands(t.eqn.params);
    return cat(t.outs[0], " = semaphore_read ", viewText(t, o.views[0]));
  };
  return p;
}();
const Registered readR(readP);

/// Collects the operands and the views of a primitive.
class Operands {
public:
  void add(const char *name, const Ref &ref, std::string_view what) {
    if (Status valid = checkRef(ref.reference(), what); !valid && state.ok())
      state = valid;
    if (!state)
      return;
    args.push_back(ref.reference());
    args.insert(args.end(), ref.positions().begin(), ref.positions().end());
    params.set(name, std::shared_ptr<const ParamObject>(ref.view()));
  }
  void add(const Tensor &scalar) {
    if (const Error *error = errorIn(scalar); error && state.ok())
      state = *error;
    if (state)
      args.push_back(scalar.aval().weak && isInteger(scalar.dtype())
                         ? lax::convert_element_type(scalar, DType::I32)
                         : scalar);
  }
  void add(const CoreId &to) {
    AxisNames axes;
    std::set<std::string> seen;
    for (const auto &[axis, position] : to) {
      if (!seen.insert(axis).second && state.ok())
        state = valueError("a target names the axis ", axis, " twice");
      axes.push_back(axis);
      add(position);
    }
    params.set("target_axes", axes);
  }
  /// Binds; errors are those of the recorded function.
  Tensors bind(const Primitive &primitive) const {
    Tensors out = state ? frontend::bind(primitive, args, params)
                        : Tensors{Tensor(state.error())};
    if (const Error *error = errorIn(out))
      failRecording(*error);
    return out;
  }

private:
  Tensors args;
  Params params;
  Status state;
};

void bindWait(const Ref &ref, const Ref &sem) {
  Operands o;
  o.add("src", ref, "dma_wait");
  o.add("sem", sem, "dma_wait");
  (void)o.bind(waitP);
}

} // namespace

void AsyncCopy::start() const {
  Operands o;
  o.add("src", from, "dma_start");
  o.add("dst", into, "dma_start");
  o.add("sem", semaphore, "dma_start");
  if (sendSemaphore)
    o.add("send_sem", *sendSemaphore, "dma_start");
  o.add(target);
  (void)o.bind(startP);
}
void AsyncCopy::wait() const {
  if (sendSemaphore)
    waitSend();
  waitRecv();
}
void AsyncCopy::waitSend() const {
  if (!sendSemaphore)
    return failRecording(valueError("Cannot `wait_send` on a local copy."));
  bindWait(from, *sendSemaphore);
}
void AsyncCopy::waitRecv() const { bindWait(into, semaphore); }

AsyncCopy makeAsyncCopy(const Ref &src, const Ref &dst, const Ref &sem) {
  return AsyncCopy(src, dst, sem, {}, {});
}
AsyncCopy asyncCopy(const Ref &src, const Ref &dst, const Ref &sem) {
  AsyncCopy out = makeAsyncCopy(src, dst, sem);
  out.start();
  return out;
}
AsyncCopy makeAsyncRemoteCopy(const Ref &src, const Ref &dst,
                              const Ref &sendSem, const Ref &recvSem,
                              const CoreId &to) {
  return AsyncCopy(src, dst, recvSem, sendSem, to);
}
AsyncCopy asyncRemoteCopy(const Ref &src, const Ref &dst, const Ref &sendSem,
                          const Ref &recvSem, const CoreId &to) {
  AsyncCopy out = makeAsyncRemoteCopy(src, dst, sendSem, recvSem, to);
  out.start();
  return out;
}

void semaphoreSignal(const Ref &sem, const Tensor &increment,
                     const CoreId &to) {
  Operands o;
  o.add("sem", sem, "semaphore_signal");
  o.add(increment);
  o.add(to);
  (void)o.bind(signalP);
}
void semaphoreWait(const Ref &sem, const Tensor &value) {
  Operands o;
  o.add("sem", sem, "semaphore_wait");
  o.add(value);
  (void)o.bind(semWaitP);
}
Tensor semaphoreRead(const Ref &sem) {
  Operands o;
  o.add("sem", sem, "semaphore_read");
  return o.bind(readP).at(0);
}

void coreBarrier(const Ref &sem, const std::string &axis) {
  Expected<int64_t> size = lax::axis_size(CollectiveAxes(axis));
  if (!size)
    return failRecording(size.error());
  Tensor own = lax::axis_index(CollectiveAxes(axis));
  for (int64_t i = 1; i < *size; ++i) {
    Tensor other = lax::rem(lax::add(own, scalarOf(i, DType::I32)),
                            scalarOf(*size, DType::I32));
    semaphoreSignal(sem, 1, {{axis, other}});
  }
  semaphoreWait(sem, *size - 1);
}

} // namespace shardwright::frontend
