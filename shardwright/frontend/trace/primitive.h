//===- primitive.h - the description of a primitive -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRACE_PRIMITIVE_H
#define SHARDWRIGHT_FRONTEND_TRACE_PRIMITIVE_H

#include "shardwright/frontend/mesh/layout.h"
#include "shardwright/frontend/trace/trace.h"

namespace shardwright::frontend {

/// A tangent or cotangent; none: zero.
using MaybeTensor = std::optional<Tensor>;
using MaybeTensors = std::vector<MaybeTensor>;

/// Results of a rule of differentiation.
struct JvpResult {
  Tensors outs;
  MaybeTensors tangents;
};
/// Batch dimension of each value; -1: not batched.
struct BatchResult {
  Tensors outs;
  Ints dims;
};
/// What a batching rule knows about the mapped axis.
struct BatchAxis {
  int64_t size = 0;
  std::string name;
  AxisNames spmdNames;
  /// The Explicit axes that shard the mapped dimension, and their mesh.
  AxisNames explicitAxes = {};
  AbstractMesh explicitMesh = {};
};

/// The axes of a mesh that are manual where an equation is lowered.
struct ManualAxes {
  AbstractMesh mesh;
  AxisNames axes;
  /// True if each device computes its own values.
  bool areAll() const { return axes.size() == mesh.names().size(); }
};

/// The type of a token in a module.
constexpr const char *kTokenType = "!stablehlo.token";

/// Where the inputs and results of a called function are; empty lists, and
/// entries that are not specified, say nothing.
struct CallPlacement {
  std::vector<Sharding> ins, outs;
  std::vector<std::optional<Layout>> inLayouts, outLayouts;
};

/// Writes the StableHLO of one equation.
class LoweringContext {
public:
  virtual ~LoweringContext();
  /// SSA names of the operands.
  virtual const std::vector<std::string> &operands() const = 0;
  virtual const std::vector<Aval> &operandTypes() const = 0;
  virtual const std::vector<Aval> &resultTypes() const = 0;
  virtual const Params &params() const = 0;
  /// Emits `%n = "op"(operands) <{attrs}> ({regions}) : types`. Returns the
  /// names of the results.
  virtual std::vector<std::string>
  op(std::string_view opName, const std::vector<std::string> &args,
     const std::vector<std::string> &argTypes,
     const std::vector<std::string> &results, std::string_view attributes = {},
     const std::vector<std::string> &regions = {}) = 0;
  /// Lowers the equations of a jaxpr in place; returns its results.
  virtual std::vector<std::string>
  inlineJaxpr(const Jaxpr &jaxpr, const std::vector<std::string> &args) = 0;
  /// A region with the inputs of a jaxpr after `captures` as arguments.
  virtual std::string region(const Jaxpr &jaxpr,
                             const std::vector<std::string> &captures) = 0;
  /// Text of a region written by `body`, which gets the names of its arguments
  /// and returns those of its results.
  virtual std::string
  regionOf(const std::vector<std::string> &argTypes,
           const std::function<std::vector<std::string>(
               const std::vector<std::string> &)> &body,
           std::string_view terminator = "stablehlo.return") = 0;
  /// Calls a private function of this jaxpr, whose constants are inputs, and
  /// in which its inputs and results have these shardings and layouts.
  virtual std::vector<std::string>
  call(const JaxprPtr &jaxpr, const std::string &name,
       const std::vector<std::string> &args,
       const CallPlacement &placement = {}) = 0;
  /// A splat constant of this type.
  virtual std::string constant(const Aval &type, double value) = 0;
  /// Lowers a function of tensors, traced on the operand types.
  virtual std::vector<std::string>
  inlineFunction(const TensorsFunction &function) = 0;
  /// `#sdy.sharding<@mesh, [...]>`; empty if there is nothing to say.
  virtual std::string shardingText(const Sharding &sharding, int64_t rank,
                                   bool forType = false) = 0;
  /// Names of the tokens of these ordered effects, in the order of kEffects.
  virtual std::vector<std::string> tokens(EffectSet effects) = 0;
  /// The tokens after this equation.
  virtual void setTokens(EffectSet effects,
                         const std::vector<std::string> &names) = 0;
  /// Adds a call of a function of the host to the module; returns its number.
  virtual int64_t addCallback(std::shared_ptr<const ParamObject> callback) = 0;
  /// The manual axes around the equation. A primitive with a body sets them
  /// while it writes the body.
  virtual ManualAxes &manualAxes() = 0;
  /// Names the region that is written next, in locations.
  virtual void enterRegion(std::string_view name) = 0;
  /// The symbol of the mesh of one device, or for -1 of a mesh without axes.
  virtual std::string deviceMesh(int64_t device) = 0;
  virtual void fail(Error error) = 0;
};
/// The names of a list and of another.
inline std::vector<std::string> joinedNames(std::vector<std::string> a,
                                            const std::vector<std::string> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
/// The tokens of effects as types.
inline std::vector<std::string> tokenTypes(EffectSet effects) {
  return std::vector<std::string>(effects.list().size(), kTokenType);
}
/// `tensor<3x4xf32>`.
std::string mlirType(const Aval &aval);

/// An equation that a jaxpr prints: its results as `a:f32[3]`, or `_:f32[3]`
/// where nothing uses them, and its operands as `a` or `2.0:f32[]`.
struct EqnText {
  const Eqn &eqn;
  const std::vector<std::string> &outs, &ins;
};

/// All that the front end knows about one primitive. A description is complete
/// in one place, in primitives/.
struct Primitive {
  std::string name;
  /// Result types; errors with JAX's text. Required.
  std::function<Expected<std::vector<Aval>>(const std::vector<Aval> &,
                                            const Params &)>
      infer;
  /// Parameters that a jaxpr does not print.
  std::vector<std::string> hidden;
  /// Parameters that a jaxpr does not print if they are None or empty.
  std::vector<std::string> hiddenIfNone;
  /// Results and their tangents. At least one tangent is given. Null: an error
  /// says that the primitive has no derivative.
  std::function<JvpResult(const Tensors &, const MaybeTensors &,
                          const Params &)>
      jvp;
  /// Of a linear primitive: cotangents of the operands from those of the
  /// results. Operands without a value are the linear ones.
  std::function<MaybeTensors(const MaybeTensors &cotangents,
                             const MaybeTensors &operands,
                             const std::vector<Aval> &types, const Params &)>
      transpose;
  /// With `transpose`: whether the results are a linear function of this
  /// operand, together with the others for which it is true. Null: of all.
  std::function<bool(size_t operand)> isLinearIn;
  /// Linear in each of the first two operands, but not in both at once.
  bool isBilinear = false;
  /// Splits into a known part and a linear jaxpr; null: derived from `jvp`.
  /// Returns results and tangents in the tangent trace.
  std::function<JvpResult(JaxprTrace &tangents, const TracePtr &known,
                          const Tensors &, const MaybeTensors &,
                          const Params &)>
      linearize;
  /// Applied to values with batch dimensions, at least one of them.
  std::function<BatchResult(const BatchAxis &, const Tensors &, const Ints &,
                            const Params &)>
      batch;
  /// The StableHLO; returns the names of the results. Required, unless
  /// `composite` is given.
  std::function<std::vector<std::string>(LoweringContext &)> lower;
  /// Evaluates a primitive by others; used for lowering.
  std::function<Tensors(const Tensors &, const Params &)> composite;
  /// The spec of the results' types from those of the operands, under Explicit
  /// axes; null: an error.
  std::function<Expected<std::vector<PartitionSpec>>(
      const std::vector<Aval> &, const std::vector<Aval> &results,
      const Params &)>
      sharding;
  /// What it does beside computing results; null: nothing. The effects of the
  /// programs in its parameters are its own, too.
  std::function<EffectSet(const Params &)> effects;
  /// All effects of an equation, if those of the programs in its parameters are
  /// not simply its own; null: they are, together with `effects`.
  std::function<EffectSet(const Params &)> allEffects;
  /// The text of an equation in a jaxpr; null: `results = name[parameters]
  /// operands`.
  std::function<std::string(const EqnText &)> print;
  /// Applies it to arrays without compiling a program; null: it is compiled.
  std::function<Tensors(const Tensors &, const Params &)> evaluate;
  /// The equation without results that are not used, and without operands that
  /// only those need. `used`: per result, at least one. Null: all stay.
  std::function<Eqn(const Eqn &, const std::vector<bool> &used)> prune;
  /// The operands' manual axes need not be equal, and those of the results are
  /// given by `infer`.
  bool ownManualAxes = false;
  /// Binds an axis name: the batching rule applies for that name even if no
  /// operand is batched.
  bool usesAxisNames = false;
};

/// All primitives by name, for tools and tests.
const Primitive *findPrimitive(const std::string &name);
/// Adds a primitive to the registry.
struct Registered {
  explicit Registered(const Primitive &primitive);
};
/// Keeps primitives for the life of the process and adds them to the registry.
/// Returns true, so that a constant of a file can hold the call.
bool registerAll(std::vector<Primitive> primitives);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRACE_PRIMITIVE_H
