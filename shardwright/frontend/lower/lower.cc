//===- lower.cc - jaxpr to StableHLO and sdy ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/lower/lower.h"

#include "shardwright/frontend/base/partitioner_config.h"
#include "shardwright/frontend/lower/constants.h"
#include "shardwright/frontend/lower/module_writer.h"
#include "shardwright/frontend/lower/signature_text.h"
#include "shardwright/frontend/trace/program_rewrites.h"

namespace shardwright::frontend {
namespace {

class Context final : public LoweringContext {
public:
  Context(BodyWriter &body, const Names &operands,
          const std::vector<Aval> &types, const std::vector<Aval> &results,
          const Params &params)
      : body(body), in(operands), inTypes(types), outTypes(results),
        parameters(params) {}

  const Names &operands() const override { return in; }
  const std::vector<Aval> &operandTypes() const override { return inTypes; }
  const std::vector<Aval> &resultTypes() const override { return outTypes; }
  const Params &params() const override { return parameters; }

  Names op(std::string_view opName, const Names &args, const Names &argTypes,
           const Names &results, std::string_view attributes,
           const Names &regions) override {
    Names names;
    for (const std::string &type : results)
      names.push_back(body.fresh(type));
    if (!names.empty())
      body.out += join(names) + " = ";
    body.out += cat("\"", opName, "\"(", join(args), ")");
    if (!regions.empty())
      body.out += cat(" (", join(regions), ")");
    if (!attributes.empty())
      body.out += cat(" {", attributes, "}");
    body.out += cat(" : (", join(argTypes), ") -> (", join(results), ")",
                    body.place.text(), "\n");
    return names;
  }
  Names inlineJaxpr(const Jaxpr &jaxpr, const Names &args) override {
    return body.equations(jaxpr, args);
  }
  std::string region(const Jaxpr &jaxpr, const Names &captures) override {
    Names argTypes;
    for (size_t i = captures.size(); i < jaxpr.ins.size(); ++i)
      argTypes.push_back(mlirType(jaxpr.types[jaxpr.ins[i]]));
    return regionOf(
        argTypes,
        [&](const Names &args) {
          return body.equations(jaxpr, joinedNames(captures, args));
        },
        "stablehlo.return");
  }
  std::string regionOf(const Names &argTypes,
                       const std::function<Names(const Names &)> &write,
                       std::string_view terminator) override {
    std::string outer = std::move(body.out);
    auto outerTokens = body.tokens;
    body.out.clear();
    ++body.regionDepth;
    Names args;
    std::string header;
    for (const std::string &type : argTypes) {
      args.push_back(body.fresh(type));
      header += cat(header.empty() ? "" : ", ", args.back(), ": ", type);
    }
    Names results = write(args);
    --body.regionDepth;
    std::string text =
        argTypes.empty() ? "{\n" : cat("{\n^bb0(", header, "):\n");
    text += cat(body.out, "\"", terminator, "\"(", join(results), ") : (",
                join(body.typesOf(results)), ") -> ()\n}");
    body.out = std::move(outer);
    body.tokens = std::move(outerTokens);
    return text;
  }
  Names call(const JaxprPtr &jaxpr, const std::string &name, const Names &args,
             const CallPlacement &placement) override {
    std::string symbol = body.module.functionOf(jaxpr, name, placement);
    EffectSet ordered = jaxpr->effects.ordered();
    Names all = joinedNames(tokens(ordered), args);
    Names types =
        joinedNames(tokenTypes(ordered), mlirTypesOf(jaxpr->outAvals()));
    Names outs = op("func.call", all, body.typesOf(all), types,
                    cat("callee = ", symbol), {});
    auto first = outs.begin() + ordered.list().size();
    setTokens(ordered, Names(outs.begin(), first));
    return Names(first, outs.end());
  }
  std::string constant(const Aval &type, double value) override {
    return body.constant(splatText(type, value), mlirType(type));
  }
  Names inlineFunction(const TensorsFunction &function) override {
    // Manual axes are not bound here, and mean nothing for the ops of one
    // device.
    std::vector<Aval> types = inTypes;
    for (Aval &type : types) {
      type.varying.clear();
      type.unreduced.clear();
      type.reduced.clear();
    }
    Expected<JaxprPtr> traced = traceToJaxpr(function, types);
    if (!traced) {
      fail(traced.error());
      return Names(outTypes.size(), "%error");
    }
    return body.equations(**traced, in);
  }
  std::string shardingText(const Sharding &sharding, int64_t rank,
                           bool openDims) override {
    return body.module.shardingText(sharding, rank, openDims);
  }
  Names tokens(EffectSet effects) override { return body.tokensOf(effects); }
  void setTokens(EffectSet effects, const Names &names) override {
    body.setTokens(effects, names);
  }
  int64_t addCallback(std::shared_ptr<const ParamObject> callback) override {
    body.module.callbacks.push_back(std::move(callback));
    return static_cast<int64_t>(body.module.callbacks.size()) - 1;
  }
  ManualAxes &manualAxes() override { return body.module.manual; }
  void enterRegion(std::string_view name) override {
    if (body.module.hasLocations)
      body.place.around = cat(body.place.operation, "/", name);
  }
  std::string deviceMesh(int64_t device) override {
    return body.module.deviceMesh(device);
  }
  void fail(Error error) override { body.module.fail(std::move(error)); }

private:
  BodyWriter &body;
  const Names &in;
  const std::vector<Aval> &inTypes, &outTypes;
  const Params &parameters;
};

} // namespace

Names BodyWriter::equation(const Primitive &primitive, const Names &operands,
                           const std::vector<Aval> &inTypes,
                           const std::vector<Aval> &results,
                           const Params &params) {
  Context context(*this, operands, inTypes, results, params);
  Names outs;
  if (primitive.lower)
    outs = primitive.lower(context);
  else if (primitive.composite)
    outs = context.inlineFunction(
        [&](const Tensors &args) { return primitive.composite(args, params); });
  else
    module.fail(notImplemented("MLIR translation rule for primitive '",
                               primitive.name, "' not found for platform cpu"));
  outs.resize(results.size(), "%error");
  // The shardings in the types of values (Explicit axes).
  for (size_t i = 0; i < outs.size(); ++i) {
    const auto &sharding = results[i].sharding;
    if (!sharding || !sharding->mesh.anyIs(AxisType::Explicit))
      continue;
    // Propagation decides about Auto axes only.
    bool isOpen = sharding->mesh.anyIs(AxisType::Auto);
    AxisNames replicated =
        isOpen ? sharding->mesh.axesOf(AxisType::Explicit) : AxisNames();
    std::string text =
        sdySharding(module.meshName(sharding->mesh), sharding->spec,
                    storedRank(results[i]), isOpen, replicated);
    std::string type = mlirType(results[i]);
    outs[i] = context.op("sdy.sharding_constraint", {outs[i]}, {type}, {type},
                         cat("sharding = ", text), {})[0];
  }
  return outs;
}

Names BodyWriter::equations(const Jaxpr &jaxpr, const Names &args) {
  Expected<JaxprPtr> rewritten = rewrittenProgram(jaxpr);
  if (!rewritten) {
    module.fail(rewritten.error());
    return Names(jaxpr.outs.size(), "%error");
  }
  if (*rewritten)
    return equations(**rewritten, args);
  Names env(jaxpr.types.size());
  for (size_t i = 0; i < jaxpr.constVars.size(); ++i) {
    const ArrayValue *array = asArray(jaxpr.consts[i]);
    auto data = array ? array->host()
                      : Expected<std::shared_ptr<const void>>(valueError(
                            "a traced value cannot be a constant of a module"));
    if (!data.ok()) {
      module.fail(data.error());
      continue;
    }
    const Aval &aval = jaxpr.types[jaxpr.constVars[i]];
    env[jaxpr.constVars[i]] =
        constant(denseText(data->get(), aval), mlirType(aval));
  }
  for (size_t i = 0; i < jaxpr.ins.size(); ++i)
    env[jaxpr.ins[i]] = args[i];
  auto read = [&](const Atom &atom) {
    if (atom.isVar())
      return env[atom.var];
    const void *data = asArray(atom.literal)->state.host.get();
    return constant(denseText(data, atom.literal.aval()),
                    mlirType(atom.literal.aval()));
  };
  for (const Eqn &eqn : jaxpr.eqns) {
    Names operands;
    std::vector<Aval> inTypes, results;
    for (const Atom &atom : eqn.ins) {
      operands.push_back(read(atom));
      inTypes.push_back(jaxpr.aval(atom));
    }
    for (int32_t var : eqn.outs)
      results.push_back(jaxpr.types[var]);
    const OpPlace outer = place;
    if (module.hasLocations)
      place = place.of(eqn);
    Names outs =
        equation(*eqn.primitive, operands, inTypes, results, eqn.params);
    place = outer;
    if (module.failure)
      return Names(jaxpr.outs.size(), "%error");
    for (size_t i = 0; i < outs.size(); ++i)
      env[eqn.outs[i]] = outs[i];
  }
  Names outs;
  for (const Atom &atom : jaxpr.outs)
    outs.push_back(read(atom));
  return outs;
}
Names BodyWriter::constrained(Names values, const std::vector<Aval> &avals,
                              const std::vector<Sharding> &shardings) {
  for (size_t i = 0; i < values.size() && i < shardings.size(); ++i) {
    std::string text =
        module.shardingText(shardings[i], storedRank(avals[i]), false);
    if (text.empty())
      continue;
    std::string type = typeOf(values[i]), name = fresh(type);
    out += cat(name, " = \"sdy.sharding_constraint\"(", values[i],
               ") {sharding = ", text, "} : (", type, ") -> ", type, "\n");
    values[i] = name;
  }
  return values;
}

std::string ModuleWriter::functionOf(const JaxprPtr &jaxpr,
                                     const std::string &name,
                                     const CallPlacement &placement) {
  // Calls of host functions differ in manual computations.
  std::string where = placementKey(placement);
  for (const std::string &axis : manual.axes)
    where += axis + ",";
  auto [entry, isNew] = functions.try_emplace({jaxpr.get(), where});
  if (!isNew)
    return entry->second;
  int64_t n = taken[name]++;
  std::string plain = n ? cat(name, "_", n - 1) : name;
  if (n && taken.count(plain))
    plain = cat(name, "__", n);
  std::string symbol = symbolText(plain);
  entry->second = symbol;
  keepAlive.push_back(jaxpr);
  BodyWriter body(*this);
  EffectSet ordered = jaxpr->effects.ordered();
  std::string header = tokenHeader(body.tokenArguments(ordered));
  Names args;
  std::vector<Aval> avals = jaxpr->inAvals();
  for (size_t i = 0; i < avals.size(); ++i) {
    std::string type = mlirType(avals[i]);
    args.push_back(body.fresh(type));
    Names attributes;
    addLayout(attributes, placement.inLayouts, i);
    header += cat(header.empty() ? "" : ", ", args.back(), ": ", type,
                  attributeList(attributes));
  }
  args = body.constrained(std::move(args), avals, placement.ins);
  Names outs = body.equations(*eliminateDeadCode(*jaxpr), args);
  outs = body.constrained(std::move(outs), jaxpr->outAvals(), placement.outs);
  Names types = joinedNames(tokenTypes(ordered), body.typesOf(outs));
  std::string results = resultHeader(ordered, tokenTypes(ordered));
  for (size_t i = 0; i < outs.size(); ++i) {
    Names attributes;
    addLayout(attributes, placement.outLayouts, i);
    results += cat(results.empty() ? "" : ", ", body.typeOf(outs[i]),
                   attributeList(attributes));
  }
  outs = joinedNames(body.tokensOf(ordered), outs);
  functionText += cat("func.func private ", symbol, "(", header, ") -> (",
                      results, ") {\n", body.out, "\"func.return\"(",
                      join(outs), ") : (", join(types), ") -> ()\n}\n");
  return symbol;
}

/// The attributes of one argument or result of @main, in the order of MLIR.
static Names mainAttributes(ModuleWriter &module, const Aval &aval,
                            const std::vector<Sharding> &shardings,
                            const std::vector<std::optional<Layout>> &layouts,
                            const std::vector<std::string> &memories,
                            size_t i) {
  Names out;
  addLayout(out, layouts, i);
  if (i < memories.size())
    out.push_back(cat("mhlo.memory_kind = \"", memories[i], "\""));
  std::string text;
  if (i < shardings.size())
    text = module.shardingText(shardings[i], storedRank(aval), false);
  if (!text.empty())
    out.push_back("sdy.sharding = " + text);
  return out;
}

std::string ModuleWriter::write(const Jaxpr &jaxpr,
                                const LoweringOptions &options) {
  taken["main"] = 1;
  BodyWriter body(*this);
  hasLocations = !options.locatedName.empty();
  if (hasLocations)
    body.place = {cat("jit(", options.locatedName, ")"), "", options.source};
  EffectSet ordered = jaxpr.effects.ordered();
  std::string header = tokenHeader(body.tokenArguments(ordered));
  Names args;
  for (size_t i = 0; i < jaxpr.ins.size(); ++i) {
    const Aval &aval = jaxpr.types[jaxpr.ins[i]];
    args.push_back(body.fresh(mlirType(aval)));
    Names attributes = mainAttributes(*this, aval, options.ins,
                                      options.inLayouts, options.inMemories, i);
    if (i < options.donations.size()) {
      const DonationUse &use = options.donations[i];
      if (use.kind == DonationUse::Kind::Donor)
        attributes.push_back("jax.buffer_donor = true");
      if (use.kind == DonationUse::Kind::Alias)
        attributes.push_back(
            cat("tf.aliasing_output = ", use.result, " : i32"));
    }
    header += cat(header.empty() ? "" : ", ", args.back(), ": ", mlirType(aval),
                  attributeList(attributes));
  }
  Names outs = body.equations(*eliminateDeadCode(jaxpr), args);
  Names types = body.typesOf(outs);
  Names tokens = body.tokensOf(ordered);
  std::string results = resultHeader(ordered, tokenTypes(ordered));
  for (size_t i = 0; i < outs.size(); ++i) {
    Names attributes =
        mainAttributes(*this, jaxpr.aval(jaxpr.outs[i]), options.outs,
                       options.outLayouts, options.outMemories, i);
    attributes.push_back(cat("jax.result_info = \"",
                             i < options.resultPaths.size()
                                 ? escapedText(options.resultPaths[i])
                                 : "result",
                             "\""));
    results +=
        cat(results.empty() ? "" : ", ", types[i], attributeList(attributes));
  }
  outs = joinedNames(tokens, outs);
  types = joinedNames(tokenTypes(ordered), types);
  return cat("module ", symbolText(options.name),
             " attributes {mhlo.num_partitions = ", options.numPartitions,
             " : i32, mhlo.num_replicas = 1 : i32} {\n",
             sdyMeshes(meshes, deviceMeshes), "func.func public @main(", header,
             ") -> (", results, ") {\n", body.out, "\"func.return\"(",
             join(outs), ") : (", join(types), ") -> ()\n}\n", functionText,
             "}\n");
}

Expected<LoweredText> lowerToText(const Jaxpr &jaxpr,
                                  const LoweringOptions &options) {
  ScopedConfig<bool> partitioner(config::useShardyPartitioner,
                                 options.usesShardy);
  ModuleWriter writer;
  std::string text = writer.write(jaxpr, options);
  if (writer.failure)
    return *writer.failure;
  return LoweredText{std::move(text), std::move(writer.callbacks)};
}

} // namespace shardwright::frontend
