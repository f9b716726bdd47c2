//===- jit_shardings.cc - shardings in the options of jit -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/jit_shardings.h"

#include "shardwright/frontend/base/lists.h"
#include "shardwright/frontend/trace/sharding_param.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

/// The sharding that one leaf of the options asks for, of a value of this rank.
Expected<Sharding> chosen(const ShardingOption &option, const std::string &what,
                          int64_t rank) {
  if (option.autoMesh)
    return Sharding::named(*option.autoMesh,
                           *PartitionSpec::get(std::vector<SpecEntry>(
                               rank, SpecEntry(Unconstrained))));
  if (option.error) {
    // The options are the specification, not a NamedSharding.
    Error error = *option.error;
    std::string_view name = "NamedSharding spec";
    size_t at = error.text.find(name);
    if (error.kind == ErrorKind::DuplicateSpec && at != std::string::npos)
      error.text.replace(at, name.size(), what);
    return error;
  }
  if (option.spec) {
    if (contextMesh().empty() && contextAbstractMesh().empty())
      return makeError(
          ErrorKind::Runtime,
          "jit requires a non-empty mesh in context if you are passing "
          "`PartitionSpec`s to ",
          what,
          ". You can define a context mesh via `jax.set_mesh(mesh)`. "
          "Alternatively, provide `Sharding`s to ",
          what, " and then the mesh context manager is not required.");
    Expected<Sharding> made =
        contextMesh().empty()
            ? Sharding::named(contextAbstractMesh(), *option.spec)
            : Sharding::named(contextMesh(), *option.spec);
    if (made)
      return made;
    ShardingOption failed;
    failed.error = made.error();
    return chosen(failed, what, rank);
  }
  const Sharding &sharding = option.sharding;
  if (sharding.isNamed() && sharding.abstractMesh().empty())
    return valueError("One of ", what,
                      " leaf specifications got an empty NamedSharding: ",
                      sharding.str(), " which is not allowed.");
  if (what == "in_shardings" && sharding.spec().hasUnconstrained())
    return valueError(
        "Unconstrained dims are not allowed when passed to in_shardings: ",
        sharding.str());
  return sharding;
}

/// Spreads a tree of options over the leaves of `values`.
Status chooseFor(const ShardingTree &tree, const TreeNode &values,
                 const std::string &what, const std::vector<Aval> &types,
                 std::vector<Sharding> &shardings,
                 std::vector<std::optional<Layout>> &layouts) {
  Expected<std::vector<ShardingOption>> options =
      spreadShardings(tree, values, what);
  if (!options)
    return options.error();
  shardings.clear();
  layouts.clear();
  // The values of outer traces that a function uses come before its arguments.
  size_t next = types.size() - std::min(types.size(), options->size());
  for (const ShardingOption &option : *options) {
    int64_t rank = next < types.size() ? types[next].rank() : 0;
    ++next;
    Expected<Sharding> sharding = chosen(option, what, rank);
    if (!sharding)
      return sharding.error();
    shardings.push_back(*sharding);
    layouts.push_back(option.layout);
  }
  return {};
}

/// `what`: `arguments` or `outputs`.
Status checkFits(const Aval &aval, const Sharding &sharding,
                 const std::optional<Layout> &layout, const char *what,
                 const std::string &path) {
  auto misfit = [&](const char *jit, const char *annotation,
                    const std::string &given, const Status &why) {
    return valueError("One of ", jit, " ", what, " with pytree key path ", path,
                      " is incompatible with its ", annotation, " annotation ",
                      given, ": ", why.error().text);
  };
  if (Status fits = sharding.checkCompatible(aval.shape); !fits)
    return misfit("pjit", "sharding", sharding.str(), fits);
  SW_TRY(sharding.shardShape(aval.shape));
  if (!layout)
    return {};
  if (Status fits = layout->checkCompatible(aval.shape); !fits)
    return misfit("jit", "layout", layout->str(), fits);
  return {};
}

/// The error for a committed argument in another place, memory or layout than
/// the options ask for, if there is one.
Status checkArgument(const TracedStage &stage, size_t i, const Aval &aval) {
  const Sharding &given = stage.inShardings[i], &own = stage.argShardings[i];
  if (given.isSpecified() && own.isSpecified() &&
      !given.spec().hasUnconstrained()) {
    int64_t rank = aval.rank();
    if (own.tileKey(rank) != given.tileKey(rank))
      return valueError("Sharding passed to jit does not match the sharding "
                        "on the respective arg. Got jit sharding: ",
                        given.str(), ",\narg sharding: ", own.str(),
                        " for arg type: ", aval.longStr());
    if (own.semanticKey(rank) != given.semanticKey(rank))
      return valueError("Memory kinds passed to jax.jit does not match memory "
                        "kind on the respective arg. Got jit memory kind: ",
                        given.memoryKind(),
                        ", arg memory kind: ", own.memoryKind(),
                        " for arg type: ", aval.longStr());
  }
  const auto &layout = stage.inLayouts[i], &ownLayout = stage.argLayouts[i];
  if (!layout || !ownLayout || *layout == *ownLayout)
    return {};
  return valueError(
      "Layout passed to jit does not match the layout on the respective arg. "
      "Got jit layout: ",
      layout->str(), ",\narg layout: ", ownLayout->str(/*ofArray=*/true),
      " for arg type: ", aval.longStr(), ".",
      layout->isAuto()
          ? " The layout given to `jax.jit` is `Layout.AUTO` but the "
            "corresponding argument passed is a `jax.Array` with a concrete "
            "layout. Consider passing a `jax.ShapeDtypeStruct` instead of "
            "`jax.Array` as an argument to the jitted function  when using "
            "`Layout.AUTO`."
          : "");
}

/// `{'x', 'y'}`.
std::string argName(const JitOptions &options, size_t position) {
  return position < options.argNames.size() ? options.argNames[position]
                                            : cat("args[", position, "]");
}

} // namespace

Status checkDonation(const JitOptions &options, const TreeNode &arguments) {
  auto count = static_cast<int64_t>(arguments.children.size());
  for (int64_t position : options.donate)
    if (position < -count || position >= count)
      return valueError(
          "Jitted function has donate_argnums=", tupleText(options.donate),
          ", but only accepts ", count, " positional arguments.");
  std::vector<std::string> unknown, both;
  for (const std::string &name : options.donateNames)
    if (std::find(options.argNames.begin(), options.argNames.end(), name) ==
        options.argNames.end())
      unknown.push_back(name);
  if (!unknown.empty())
    return valueError("Jitted function has invalid argnames {",
                      quotedNames(unknown),
                      "} in donate_argnames. Function does not take these "
                      "args.");
  for (int64_t i = 0; i < count; ++i)
    if (arguments.children[i].kind == TreeNode::Kind::Static &&
        isDonated(options, i, count))
      both.push_back(argName(options, i));
  if (both.empty())
    return {};
  return valueError("static_argnames and donate_argnames cannot intersect. "
                    "Argument names {",
                    quotedNames(both),
                    "} appear in both static_argnames and donate_argnames");
}

bool isDonated(const JitOptions &options, int64_t position, int64_t count) {
  auto has = [](const auto &list, const auto &value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  return has(options.donate, position) ||
         has(options.donate, position - count) ||
         (position < static_cast<int64_t>(options.argNames.size()) &&
          has(options.donateNames, options.argNames[position]));
}

Status chooseShardings(TracedStage &stage) {
  // Static arguments are no values.
  TreeNode dynamic = withoutStatic(stage.trees.in);
  SW_TRY(chooseFor(stage.options.inShardings, dynamic, "in_shardings",
                   stage.jaxpr->inAvals(), stage.inShardings, stage.inLayouts));
  return chooseFor(stage.options.outShardings, stage.trees.out, "out_shardings",
                   stage.jaxpr->outAvals(), stage.outShardings,
                   stage.outLayouts);
}

/// A value as Python prints it.
static std::string optionText(const CompilerOption &value) {
  if (const auto *flag = std::get_if<bool>(&value))
    return *flag ? "True" : "False";
  if (const auto *number = std::get_if<int64_t>(&value))
    return std::to_string(*number);
  if (const auto *real = std::get_if<double>(&value))
    return paramText(Param(*real));
  return quotedKey(std::get<std::string>(value));
}

std::map<std::string, std::string> optionTexts(const CompilerOptions &options) {
  std::map<std::string, std::string> out;
  for (const auto &[name, value] : options) {
    const auto *word = std::get_if<std::string>(&value);
    out[name] = word ? *word : optionText(value);
  }
  return out;
}

/// The options as a parameter of an equation; null: none.
static std::shared_ptr<const CompilerOptionsParam>
optionsParam(const CompilerOptions &options) {
  if (options.empty())
    return nullptr;
  std::string list;
  for (const auto &[name, value] : options)
    list +=
        cat(list.empty() ? "" : ", ", quotedKey(name), ": ", optionText(value));
  return std::make_shared<const CompilerOptionsParam>(optionTexts(options),
                                                      cat("{", list, "}"));
}

Expected<JitEqn> nestedCall(const TracedStage &stage, size_t numCaptured) {
  JitEqn eqn{stage.options.name};
  eqn.compilerOptions = optionsParam(stage.options.compilerOptions);
  std::vector<Aval> ins = stage.jaxpr->inAvals(),
                    outs = stage.jaxpr->outAvals();
  eqn.ins.resize(numCaptured);
  eqn.inLayouts.resize(numCaptured);
  eqn.donated.resize(numCaptured);
  for (size_t i = 0; i < stage.argNames.size(); ++i) {
    SW_TRY(checkFits(ins[numCaptured + i], stage.inShardings[i],
                     stage.inLayouts[i], "arguments", stage.argNames[i]));
    eqn.ins.push_back(stage.inShardings[i]);
    eqn.inLayouts.push_back(stage.inLayouts[i]);
    eqn.donated.push_back(stage.donated[i]);
  }
  for (size_t i = 0; i < outs.size(); ++i)
    SW_TRY(checkFits(outs[i], stage.outShardings[i], stage.outLayouts[i],
                     "outputs", stage.resultPaths[i]));
  eqn.outs = stage.outShardings;
  eqn.outLayouts = stage.outLayouts;
  eqn.keepUnused = stage.options.keepUnused;
  return eqn;
}

Expected<std::vector<Sharding>> resolveInputs(const TracedStage &stage) {
  std::vector<Sharding> out;
  for (size_t i = 0; i < stage.argShardings.size(); ++i) {
    const Sharding &given = stage.inShardings[i];
    const Aval &aval = stage.jaxpr->types[stage.jaxpr->ins[i]];
    SW_TRY(checkFits(aval, given, stage.inLayouts[i], "arguments",
                     stage.argNames[i]));
    SW_TRY(checkArgument(stage, i, aval));
    out.push_back(given.isSpecified() ? given : stage.argShardings[i]);
  }
  return out;
}

bool keepsUnused(const TracedStage &stage) {
  return stage.options.keepUnused ||
         std::any_of(
             stage.inShardings.begin(), stage.inShardings.end(),
             [](const Sharding &s) { return s.spec().hasUnconstrained(); });
}

bool asksForSearch(const JitOptions &options) {
  for (const ShardingTree *tree : {&options.inShardings, &options.outShardings})
    for (const PlacedOption &leaf : leavesOf(*tree))
      if (leaf.option.autoMesh)
        return true;
  return false;
}

Expected<std::vector<Sharding>> resolveOutputs(const TracedStage &stage) {
  for (size_t i = 0; i < stage.jaxpr->outs.size(); ++i)
    SW_TRY(checkFits(stage.jaxpr->aval(stage.jaxpr->outs[i]),
                     stage.outShardings[i], stage.outLayouts[i], "outputs",
                     i < stage.resultPaths.size() ? stage.resultPaths[i]
                                                  : "result"));
  return stage.outShardings;
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
