//===- jit_shardings.cc - shardings in the options of jit -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/jit_shardings.h"

#include "shardwright/frontend/jit/sharding_param.h"

namespace shardwright::frontend {
namespace {

/// The sharding that one entry of the options asks for.
Expected<Sharding> chosen(const ShardingOption &option, const char *what) {
  if (option.error) {
    // A list of options is the specification, not a NamedSharding.
    Error error = *option.error;
    std::string_view name = "NamedSharding spec";
    size_t at = error.text.find(name);
    if (error.kind == ErrorKind::DuplicateSpec && at != std::string::npos)
      error.text.replace(at, name.size(), what);
    return error;
  }
  if (option.spec) {
    Expected<Sharding> made =
        !contextMesh().empty()
            ? Sharding::named(contextMesh(), *option.spec)
            : Sharding::named(contextAbstractMesh(), *option.spec);
    if (contextMesh().empty() && contextAbstractMesh().empty())
      return makeError(
          ErrorKind::Runtime,
          "jit requires a non-empty mesh in context if you are passing "
          "`PartitionSpec`s to ",
          what,
          ". You can define a context mesh via `jax.set_mesh(mesh)`. "
          "Alternatively, provide `Sharding`s to ",
          what, " and then the mesh context manager is not required.");
    return made ? made : chosen(ShardingOption(made), what);
  }
  const Sharding &sharding = option.sharding;
  if (sharding.isNamed() && sharding.abstractMesh().empty())
    return valueError("One of ", what,
                      " leaf specifications got an empty NamedSharding: ",
                      sharding.str(), " which is not allowed.");
  return sharding;
}

/// Spreads a list with one entry for all, one for each child or one for each
/// leaf over the leaves; false if it has another length.
bool spread(const std::vector<Sharding> &list, const std::vector<size_t> &sizes,
            size_t numLeaves, std::vector<Sharding> &out) {
  if (list.empty() || list.size() == 1) {
    out.assign(numLeaves, list.empty() ? Sharding() : list[0]);
    return true;
  }
  if (list.size() == numLeaves) {
    out = list;
    return true;
  }
  if (list.size() != sizes.size())
    return false;
  for (size_t i = 0; i < sizes.size(); ++i)
    out.insert(out.end(), sizes[i], list[i]);
  return true;
}

Expected<std::vector<Sharding>>
chosenList(const std::vector<ShardingOption> &options, const char *what) {
  std::vector<Sharding> out;
  for (const ShardingOption &option : options) {
    Expected<Sharding> one = chosen(option, what);
    if (!one)
      return one.error();
    out.push_back(*one);
  }
  return out;
}

} // namespace

Status checkDonation(const JitOptions &options, size_t numArguments) {
  auto count = static_cast<int64_t>(numArguments);
  for (int64_t position : options.donate)
    if (position < -count || position >= count)
      return valueError(
          "Jitted function has donate_argnums=", tupleText(options.donate),
          ", but only accepts ", count, " positional arguments.");
  return {};
}

Status chooseShardings(TracedStage &stage,
                       const std::vector<size_t> &argSizes) {
  auto ins = chosenList(stage.options.inShardings, "in_shardings");
  if (!ins)
    return ins.error();
  for (const Sharding &s : *ins)
    for (const SpecEntry &entry : s.spec().entries())
      if (entry.unconstrained)
        return valueError(
            "Unconstrained dims are not allowed when passed to in_shardings: ",
            s.str());
  stage.inShardings.clear();
  if (!spread(*ins, argSizes, stage.argNames.size(), stage.inShardings))
    return valueError(
        "pjit in_shardings specification must be a tree prefix of the "
        "positional arguments tuple. In particular, pjit in_shardings must "
        "either be a Sharding, a PartitionSpec, or a tuple of length equal to "
        "the number of positional arguments. But pjit in_shardings is the "
        "wrong length: got a tuple or list of length ",
        ins->size(), " for an args tuple of length ", argSizes.size(), ".");
  auto outs = chosenList(stage.options.outShardings, "out_shardings");
  if (!outs)
    return outs.error();
  stage.outShardings.clear();
  size_t children = stage.resultSizes.empty() ? 1 : stage.resultSizes.size();
  if (!spread(*outs, stage.resultSizes, stage.jaxpr->outs.size(),
              stage.outShardings))
    return valueError(
        "Mismatch details (1 found):\npytree structure error: different "
        "lengths of tuple at key path\n    pjit out_shardings\nAt that key "
        "path, the prefix pytree pjit out_shardings has a subtree of type "
        "tuple of length ",
        outs->size(),
        ", but the full pytree has a subtree of the same type but of length ",
        children, ".");
  return {};
}

Expected<std::vector<Sharding>> resolveInputs(const TracedStage &stage) {
  std::vector<Sharding> out;
  for (size_t i = 0; i < stage.argShardings.size(); ++i) {
    const Sharding &given = stage.inShardings[i], &own = stage.argShardings[i];
    const Aval &aval = stage.jaxpr->types[stage.jaxpr->ins[i]];
    if (!given.isSpecified()) {
      out.push_back(own);
      continue;
    }
    if (Status fits = given.checkCompatible(aval.shape); !fits)
      return valueError("One of pjit arguments with pytree key path ",
                        stage.argNames[i],
                        " is incompatible with its sharding annotation ",
                        given.str(), ": ", fits.error().text);
    SW_TRY(given.shardShape(aval.shape));
    if (own.isSpecified() &&
        own.semanticKey(aval.rank()) != given.semanticKey(aval.rank()))
      return valueError("Sharding passed to jit does not match the sharding "
                        "on the respective arg. Got jit sharding: ",
                        given.str(), ",\narg sharding: ", own.str(),
                        " for arg type: ", aval.longStr());
    out.push_back(given);
  }
  return out;
}

Expected<std::vector<Sharding>> resolveOutputs(const TracedStage &stage) {
  std::vector<Sharding> out;
  for (size_t i = 0; i < stage.jaxpr->outs.size(); ++i) {
    const Sharding &given = stage.outShardings[i];
    const Aval &aval = stage.jaxpr->aval(stage.jaxpr->outs[i]);
    if (Status fits = given.checkCompatible(aval.shape); !fits)
      return valueError("One of pjit outputs with pytree key path ",
                        i < stage.resultPaths.size() ? stage.resultPaths[i]
                                                     : "result",
                        " is incompatible with its sharding annotation ",
                        given.str(), ": ", fits.error().text);
    SW_TRY(given.shardShape(aval.shape));
    out.push_back(given);
  }
  return out;
}

Expected<int64_t> abstractSize(const Jaxpr &jaxpr,
                               const std::vector<Sharding> &ins,
                               const std::vector<bool> &kept,
                               const std::vector<Sharding> &outs,
                               size_t assigned) {
  AbstractMesh first;
  Status status;
  auto see = [&](const Sharding &s) {
    if (!status || !s.isNamed() || s.isConcrete() || s.abstractMesh().empty())
      return;
    if (first.empty())
      first = s.abstractMesh();
    else if (first.size() != s.abstractMesh().size())
      status = valueError("AbstractMesh should be of the same size across all "
                          "shardings. Got ",
                          first.str(), " and ", s.abstractMesh().str());
  };
  for (size_t i = 0; i < ins.size(); ++i)
    if (kept[i])
      see(ins[i]);
  for (const Sharding &s : outs)
    see(s);
  forEachSharding(jaxpr, [&](const Eqn &, const Sharding &s) { see(s); });
  SW_TRY(status);
  if (!first.empty() && assigned != 0 &&
      first.size() != static_cast<int64_t>(assigned))
    return valueError("AbstractMesh size: ", first.size(),
                      " does not match the device assignment size: ", assigned);
  return first.size();
}

} // namespace shardwright::frontend
