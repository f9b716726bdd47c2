//===- batch.cc - vectorization -------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/trace/user_function.h"
#include "shardwright/frontend/transform/transform.h"

namespace shardwright::frontend {
namespace {

/// A value with a batch dimension.
struct BatchTracer final : Tracer {
  BatchTracer(Aval a, Tensor v, int64_t d, TracePtr trace)
      : Tracer(std::move(a), std::move(trace)), value(std::move(v)), dim(d) {}
  const Tensor value;
  const int64_t dim;
};

/// True if the primitive, or one in the programs that it contains, reads a mesh
/// or batch axis by name.
bool usesAxisNames(const Primitive &primitive, const Params &params);

bool usesAxisNames(const Jaxpr &jaxpr) {
  return std::any_of(jaxpr.eqns.begin(), jaxpr.eqns.end(), [](const Eqn &eqn) {
    return usesAxisNames(*eqn.primitive, eqn.params);
  });
}

bool usesAxisNames(const Primitive &primitive, const Params &params) {
  if (primitive.usesAxisNames)
    return true;
  bool found = false;
  Jaxpr::forEachInner(params, [&](const JaxprPtr &inner) {
    found = found || usesAxisNames(*inner);
  });
  return found;
}

/// Applies batching rules.
class BatchTrace final : public Trace {
public:
  explicit BatchTrace(BatchAxis a) : axis(std::move(a)) {}

  Tensors bind(const Primitive &primitive, const Tensors &args,
               const Params &params) override {
    Tensors values;
    Ints dims;
    bool any = false;
    for (const Tensor &arg : args) {
      const auto *tracer = tracerOf<BatchTracer>(arg, this);
      values.push_back(tracer ? tracer->value : arg);
      dims.push_back(tracer ? tracer->dim : -1);
      any |= tracer != nullptr;
    }
    bool usesNames = usesAxisNames(primitive, params);
    if (!any && !(!axis.name.empty() && usesNames))
      return bindIn(parent, primitive, values, params);
    // Types of collectives depend on the axes that this trace binds.
    if (!usesNames)
      if (Status fits = checkOperands(primitive, args, params); !fits)
        return {Tensor(fits.error())};
    ScopedTrace scope(parent);
    if (!primitive.batch)
      return {Tensor(notImplemented("Batching rule for '", primitive.name,
                                    "' not implemented"))};
    BatchResult result = primitive.batch(axis, values, dims, params);
    Tensors outs;
    for (size_t i = 0; i < result.outs.size(); ++i)
      outs.push_back(
          wrap(result.outs[i], i < result.dims.size() ? result.dims[i]
                               : result.dims.empty()  ? -1
                                                      : result.dims[0]));
    return outs;
  }

  Tensor wrap(const Tensor &x, int64_t dim) {
    if (dim < 0 || !x.ok())
      return x;
    Aval aval = x.aval().withoutDim(dim);
    return tensorOfTracer(std::make_shared<const BatchTracer>(
        std::move(aval), x, dim, shared_from_this()));
  }

  /// The value with its batch dimension at `to`; -1: it must have none.
  Tensor unwrap(const Tensor &x, int64_t to) {
    const auto *tracer = tracerOf<BatchTracer>(x, this);
    if (x.dtype() == DType::Token)
      return typeError("vmap cannot map a token that the function returns");
    if (to < 0) {
      if (tracer)
        return valueError("at vmap out_axes, got axis spec None but output "
                          "was batched on axis ",
                          tracer->dim);
      return x;
    }
    int64_t rank = tracer ? tracer->value.rank() : x.rank() + 1;
    if (to >= rank)
      return valueError("axis ", to,
                        " is out of bounds for array of "
                        "dimension ",
                        rank);
    if (tracer)
      return moveBatch(tracer->value, tracer->dim, to);
    return moveBatch(batchToFront(x, -1, axis), 0, to);
  }
  /// -1 if it has none.
  int64_t batchDim(const Tensor &x) const {
    const auto *tracer = tracerOf<BatchTracer>(x, this);
    return tracer ? tracer->dim : -1;
  }

private:
  const BatchAxis axis;
};

/// The entry of a dimension as Python prints it: `x`, `('x', 'y')`, `None`.
std::string entryText(const SpecEntry &entry) {
  return entry.axes.empty()       ? "None"
         : entry.axes.size() == 1 ? entry.axes[0]
                                  : namesText(entry.axes);
}

/// Sets the Explicit axes that shard the mapped dimensions, which must be the
/// same ones in all arguments.
Status setExplicitAxes(BatchAxis &axis, const Tensors &args, const Ints &dims) {
  const SpecEntry *first = nullptr;
  std::vector<PartitionSpec> specs;
  specs.reserve(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    if (dims[i] < 0 || !args[i].ok() || !args[i].aval().sharding)
      continue;
    const SpecEntry &own = specs.emplace_back(args[i].aval().spec())[dims[i]];
    if (first && !(*first == own))
      return valueError("Mapped away dimension of inputs passed to vmap should "
                        "be sharded the same. Got inconsistent axis specs: ",
                        entryText(*first), " vs ", entryText(own));
    first = &own;
    axis.explicitAxes = own.axes;
    axis.explicitMesh = args[i].aval().sharding->mesh;
  }
  if (!axis.spmdNames.empty() && !axis.explicitAxes.empty())
    return valueError("Only one of spmd_axis_name or arrays sharded on "
                      "`Explicit` mesh axis type is allowed. Got "
                      "spmd_axis_name=",
                      namesText(axis.spmdNames),
                      " and arrays sharded on explicit_mesh_axis=",
                      namesText(axis.explicitAxes));
  return {};
}

/// The type with a batch dimension.
Aval batchedType(const Aval &type, int64_t dim, const BatchAxis &axis) {
  Aval out = type.withDim(dim, axis.size);
  if (!out.sharding || axis.explicitAxes.empty())
    return out;
  std::vector<SpecEntry> entries = out.sharding->spec.entries();
  entries[dim] = SpecEntry(axis.explicitAxes);
  const PartitionSpec &spec = out.sharding->spec;
  if (auto batched =
          PartitionSpec::get(entries, spec.unreduced(), spec.reduced()))
    out.sharding = std::make_shared<const TypeSharding>(
        TypeSharding{out.sharding->mesh, *batched});
  return out;
}

} // namespace

Expected<Tensors> vmapFlat(const TensorsFunction &function, const Tensors &args,
                           const Ints &inDims, const Ints &outDims,
                           const BatchAxis &mapped) {
  SW_TRY(checkStack("batching"));
  BatchAxis axis = mapped;
  SW_TRY(setExplicitAxes(axis, args, inDims));
  auto trace = std::make_shared<BatchTrace>(axis);
  trace->parent = currentTrace();
  Tensors wrapped;
  for (size_t i = 0; i < args.size(); ++i)
    wrapped.push_back(trace->wrap(args[i], inDims[i]));
  Tensors outs;
  {
    ScopedTrace scope(trace);
    std::vector<NamedAxis> names;
    if (!axis.name.empty() || !axis.explicitAxes.empty())
      names.push_back({.name = axis.name,
                       .size = axis.size,
                       .explicitAxes = axis.explicitAxes});
    ScopedAxis scopedAxis(std::move(names));
    outs = callFunction(function, wrapped);
  }
  if (const Error *error = errorIn(outs)) {
    trace->ended = true;
    return *error;
  }
  Tensors results;
  for (size_t i = 0; i < outs.size(); ++i)
    results.push_back(
        trace->unwrap(outs[i], outDims[std::min(i, outDims.size() - 1)]));
  trace->ended = true;
  if (const Error *error = errorIn(results))
    return *error;
  wrapped.clear(), outs.clear();
  SW_TRY(checkLeaks(*trace, "vmap"));
  return results;
}

Expected<BatchedProgram> batchJaxprAt(const JaxprPtr &jaxpr,
                                      const BatchAxis &axis, const Ints &inDims,
                                      const Ints &outDims) {
  BatchedProgram out;
  std::vector<Aval> types = jaxpr->inAvals();
  for (size_t i = 0; i < types.size(); ++i)
    if (inDims[i] >= 0)
      types[i] = batchedType(types[i], inDims[i], axis);
  Expected<JaxprPtr> traced = traceToJaxpr(
      [&](const Tensors &args) -> Tensors {
        auto trace = std::make_shared<BatchTrace>(axis);
        trace->parent = currentTrace();
        Tensors wrapped;
        for (size_t i = 0; i < args.size(); ++i)
          wrapped.push_back(trace->wrap(args[i], inDims[i]));
        Tensors outs;
        {
          ScopedTrace scope(trace);
          outs = evalJaxpr(*jaxpr, wrapped);
        }
        Tensors results;
        for (size_t i = 0; i < outs.size(); ++i) {
          if (!outs[i].ok())
            return {outs[i]};
          int64_t to = outDims[std::min(i, outDims.size() - 1)];
          if (to < -1) {
            int64_t own = trace->batchDim(outs[i]);
            to = own < 0 || to == kAnyBatchDim ? own : 0;
          }
          out.outDims.push_back(to);
          results.push_back(trace->unwrap(outs[i], to));
        }
        trace->ended = true;
        return results;
      },
      types, jaxpr->name);
  if (!traced)
    return traced.error();
  out.jaxpr = *traced;
  return out;
}

Expected<BatchedJaxpr> batchJaxpr(const JaxprPtr &jaxpr, const BatchAxis &axis,
                                  const std::vector<bool> &batched,
                                  const std::vector<bool> &force) {
  Ints outDims{kFrontBatchDim};
  if (!force.empty()) {
    outDims.assign(jaxpr->outs.size(), kFrontBatchDim);
    for (size_t i = 0; i < std::min(force.size(), outDims.size()); ++i)
      if (force[i])
        outDims[i] = 0;
  }
  Expected<BatchedProgram> made =
      batchJaxprAt(jaxpr, axis, batchDims(batched), outDims);
  if (!made)
    return made.error();
  return BatchedJaxpr{made->jaxpr, isBatched(made->outDims)};
}

} // namespace shardwright::frontend
