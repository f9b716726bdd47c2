//===- trace.h - interpreters of primitives ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRACE_TRACE_H
#define SHARDWRIGHT_FRONTEND_TRACE_TRACE_H

#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/trace/jaxpr.h"

#include <atomic>
#include <memory>
#include <optional>

namespace shardwright::frontend {

/// Decides what happens when a primitive is applied: it is recorded,
/// differentiated, batched. The innermost one of the thread interprets; without
/// one, primitives are executed.
class Trace : public std::enable_shared_from_this<Trace> {
public:
  virtual ~Trace();
  /// Applies a primitive. The operands carry no errors; results may.
  virtual Tensors bind(const Primitive &primitive, const Tensors &args,
                       const Params &params) = 0;
  /// The trace that was current when this one began; may be null.
  std::shared_ptr<Trace> parent;
  /// The function that is traced has returned: its tracers may not be used any
  /// more. Other threads, to which they have gone, ask too.
  std::atomic<bool> ended = false;
  /// The tracers of this trace, if leaks are looked for.
  std::vector<std::weak_ptr<const Value>> made;
};
using TracePtr = std::shared_ptr<Trace>;

/// A value that belongs to a trace.
struct Tracer : Value {
  Tracer(Aval a, TracePtr t)
      : Value(Kind::Tracer, std::move(a)), trace(std::move(t)) {}
  const TracePtr trace;
};

/// A tensor that is a new tracer of a trace.
Tensor tensorOfTracer(std::shared_ptr<const Tracer> tracer);
/// With config::checkTracerLeaks: an error that names the tracers of an ended
/// trace that somebody still holds.
Status checkLeaks(const Trace &trace, std::string_view transformation);

inline const Tracer *asTracer(const Tensor &x) {
  const Value *v = x.handle().get();
  return v && v->kind == Value::Kind::Tracer ? static_cast<const Tracer *>(v)
                                             : nullptr;
}
/// The tracer, if it belongs to this trace.
template <typename T> const T *tracerOf(const Tensor &x, const Trace *trace) {
  const Tracer *tracer = asTracer(x);
  return tracer && tracer->trace.get() == trace ? static_cast<const T *>(tracer)
                                                : nullptr;
}

const TracePtr &currentTrace();
/// Makes a trace current for a scope; null: execution.
class ScopedTrace {
public:
  explicit ScopedTrace(TracePtr trace);
  ~ScopedTrace();
  ScopedTrace(const ScopedTrace &) = delete;
  ScopedTrace &operator=(const ScopedTrace &) = delete;

private:
  TracePtr old;
};

/// Makes this thread as if nothing were traced and no mesh or axis were in
/// context, for functions that a running program calls.
class ScopedTopLevel {
public:
  ScopedTopLevel();
  ~ScopedTopLevel();
  ScopedTopLevel(const ScopedTopLevel &) = delete;
  ScopedTopLevel &operator=(const ScopedTopLevel &) = delete;

private:
  struct State;
  std::unique_ptr<State> old;
};

/// The program that this thread records, if any, fails with this error: for
/// operations without results, whose error the user may ignore.
void failRecording(const Error &error);

/// Applies a primitive in the current trace. Errors in the operands are the
/// results.
Tensors bind(const Primitive &primitive, const Tensors &args,
             const Params &params = {});
/// The only result.
Tensor bind1(const Primitive &primitive, const Tensors &args,
             const Params &params = {});
/// Exactly `count` results; errors in each of them if it fails.
Tensors bindMany(const Primitive &primitive, size_t count, const Tensors &args,
                 const Params &params = {});
/// Applies a primitive as this trace (null: execution) would.
Tensors bindIn(const TracePtr &trace, const Primitive &primitive,
               const Tensors &args, const Params &params);

/// Executes a primitive on arrays (jit/eager.cc).
Tensors execute(const Primitive &primitive, const Tensors &args,
                const Params &params);

/// Result types of an equation, or the error that JAX gives. Checks and unites
/// the manual axes of the operands.
/// An error if the operands do not fit the primitive. The rules of
/// transformations are written for operands that do.
Status checkOperands(const Primitive &primitive, const Tensors &operands,
                     const Params &params);

Expected<std::vector<Aval>> inferTypes(const Primitive &primitive,
                                       const std::vector<Aval> &args,
                                       const Params &params);

/// Names of axes bound by vmap and shardMap around the current code, innermost
/// last. The axis of a vmap may have no name.
struct NamedAxis {
  std::string name;
  int64_t size = 0;
  /// Bound by shardMap: an axis of a mesh.
  bool isManual = false;
  /// Types say which values vary along the axis (check_vma).
  bool isChecked = false;
  /// Bound by vmap: the Explicit axes of the mesh that shard the mapped
  /// dimension.
  AxisNames explicitAxes = {};
};
const std::vector<NamedAxis> &axisEnvironment();
/// The Explicit axes that shard dimensions which vmap maps around the current
/// code.
AxisNames mappedExplicitAxes();
/// These axes, each once, in the order in which they were bound.
AxisNames inBindingOrder(const AxisNames &axes);
/// Null if no axis has this name.
const NamedAxis *findAxis(const std::string &name);
class ScopedAxis {
public:
  explicit ScopedAxis(std::vector<NamedAxis> axes);
  ~ScopedAxis();
  ScopedAxis(const ScopedAxis &) = delete;
  ScopedAxis &operator=(const ScopedAxis &) = delete;

private:
  size_t count;
};

/// Records primitives as a jaxpr. Operands of outer traces and arrays become
/// constants; scalars from C++ become literals.
class JaxprTrace final : public Trace {
public:
  Tensors bind(const Primitive &primitive, const Tensors &args,
               const Params &params) override;
  /// A new input.
  Tensor input(const Aval &aval);
  /// A tensor of this trace for any value.
  Atom atomOf(const Tensor &x);
  /// Ends the trace. The constants are those of the order of first use;
  /// `JaxprPtr::consts` may contain tracers of outer traces.
  Expected<JaxprPtr> finish(const Tensors &outs, std::string name = "");
  size_t numEqns() const { return program->eqns.size(); }
  /// Makes `finish` fail; the first error counts.
  void fail(const Error &error) {
    if (failure)
      failure = error;
  }

private:
  Status failure;
  int32_t newVar(const Aval &aval);
  std::shared_ptr<Jaxpr> program = std::make_shared<Jaxpr>();
  std::map<const Value *, int32_t> constants;
};

struct JaxprTracer final : Tracer {
  JaxprTracer(Aval a, TracePtr t, int32_t v)
      : Tracer(std::move(a), std::move(t)), var(v) {}
  const int32_t var;
};

/// A function of tensors; an error is one tensor that carries it.
using TensorsFunction = std::function<Tensors(const Tensors &)>;

/// Traces a function on arguments of these types.
Expected<JaxprPtr> traceToJaxpr(const TensorsFunction &function,
                                const std::vector<Aval> &types,
                                std::string name = "");
/// As traceToJaxpr, but constants that are tracers become leading inputs: their
/// values are appended to `captured`. Other constants stay constants.
Expected<JaxprPtr> traceWithCaptures(const TensorsFunction &function,
                                     const std::vector<Aval> &types,
                                     std::string name, Tensors &captured);
/// All constants become leading inputs.
JaxprPtr constantsToInputs(const JaxprPtr &jaxpr);

/// Applies the equations in the current trace.
Tensors evalJaxpr(const Jaxpr &jaxpr, const Tensors &args);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRACE_TRACE_H
