//===- jit.h - jit and its stages -------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_JIT_H
#define SHARDWRIGHT_FRONTEND_API_JIT_H

#include "shardwright/frontend/api/function.h"
#include "shardwright/frontend/api/sharding_tree.h"
#include "shardwright/frontend/jit/explain_query.h"

#include <source_location>
#include <variant>

namespace shardwright::frontend {

struct Jaxpr;
struct LoweredProgram;
class CompiledProgram;
struct JitCache;

/// Options of the compiler by name: those of `docs/jax.md`. XLA's change
/// nothing, but their values are checked; others are an error when the program
/// is compiled.
using CompilerOption = std::variant<bool, int64_t, double, std::string>;
using CompilerOptions = std::map<std::string, CompilerOption>;

struct JitOptions {
  /// A prefix of the tuple of arguments that are not Static. None: the sharding
  /// of the argument, if that is committed.
  ShardingTree inShardings = {};
  /// A prefix of the result. None: propagation decides.
  ShardingTree outShardings = {};
  /// Positions of arguments whose buffers may be reused; negative ones count
  /// from the end. Donation is off while config::debugNans or debugInfs is set.
  std::vector<int64_t> donate = {};
  /// More of them, by `argNames`.
  std::vector<std::string> donateNames = {};
  /// Keeps arguments that the function does not use in the compiled program.
  bool keepUnused = false;
  /// Inside another traced function: splices the equations of this one instead
  /// of calling it, if there are no shardings.
  bool inlined = false;
  /// An error where another function that is traced calls this one. Under vmap
  /// and jvp they hold.
  CompilerOptions compilerOptions = {};
  /// In messages and in the module's name.
  std::string name = "<lambda>";
  std::vector<std::string> argNames;
  /// Of the call of jit, which sets it.
  std::source_location source = {};
};

/// The per-device costs of a program.
struct MemoryStats {
  int64_t arguments = 0, results = 0, temporaries = 0, aliased = 0;
};

/// An argument of a stage: its type, and whether its buffer may be reused.
struct ArgInfo {
  std::string name;
  Aval type;
  bool donated = false;
};

/// Structures of the arguments, Static ones included, and of the result.
struct CallTrees {
  CallTrees() = default;
  /// From the texts of a TreeDef; that of the arguments has a comma after each.
  CallTrees(std::string arguments, std::string result)
      : inText(std::move(arguments)), outText(std::move(result)),
        in(parseArguments(inText)), out(parseTree(outText)) {}
  std::string inText, outText;
  TreeNode in, out;
};

/// A compiled program. Calls check the structure, types and shardings of the
/// arguments.
class CompiledStage {
public:
  /// The leaves of the result. The arguments are those of the function; Static
  /// ones may be left out.
  template <typename... Args> Tensors operator()(const Args &...args) const {
    Flattener f(/*keepPaths=*/false);
    f.keysNumbers = true;
    ((TreeTraits<Args>::flatten(args, f), f.open(",")), ...);
    return callTree(f.def.text, f.leaves);
  }
  /// The result as a tree of this type; an error if the function returned
  /// another one.
  template <typename Result, typename... Args>
  Expected<Result> callAs(const Args &...args) const {
    Tensors leaves = (*this)(args...);
    if (const Error *error = errorIn(leaves))
      return *error;
    Result result{};
    TreeTraits<Result>::resize(result, trees.out);
    Flattener f;
    TreeTraits<Result>::flatten(result, f);
    if (Status same = checkResultTree(f.def.text); !same)
      return same.error();
    return treeWith(std::move(result), leaves);
  }
  /// The same with the leaves of all arguments.
  Tensors call(const Tensors &leaves) const;
  /// As `operator()`; `tree`: the structures of the arguments, with a comma
  /// after each.
  Tensors callTree(std::string_view tree, const Tensors &leaves) const;
  /// Of the kept arguments and of the results, leaf by leaf.
  const std::vector<Sharding> &inputShardings() const;
  const std::vector<Sharding> &outputShardings() const;
  std::vector<Format> inputFormats() const, outputFormats() const;
  /// One for each leaf of the arguments, those that the program does not use
  /// included.
  std::vector<ArgInfo> argsInfo() const;
  std::vector<Aval> outInfo() const;
  std::map<std::string, double> costAnalysis() const;
  MemoryStats memoryAnalysis() const;
  /// The program with its machine code, for `loadProgram` in this or another
  /// process.
  Expected<std::string> serialize() const;
  /// Shardings of arguments and results, collectives with the bytes that they
  /// send, and memory per device.
  Expected<std::string> report(const ReportQuery &query = {}) const;

  std::shared_ptr<const CompiledProgram> program;
  /// What it was compiled from; null if it was loaded.
  std::shared_ptr<const LoweredProgram> lowered;
  std::vector<Aval> types;
  std::vector<std::string> argNames;
  std::vector<bool> donated;
  CallTrees trees;

private:
  Status checkResultTree(std::string_view tree) const;
};

/// Reads what CompiledStage::serialize wrote, without generating code.
/// `devices`: those to run on, in the order of the devices that the program was
/// compiled for; empty: the same. Fails for changed bytes, another version, a
/// machine without features that the code needs, or devices that the process
/// does not have. Load only what you trust: it contains machine code. JAX:
/// jax.experimental.serialize_executable.deserialize_and_load.
Expected<CompiledStage> loadProgram(std::string_view bytes,
                                    std::vector<Device> devices = {});

/// A module.
class LoweredStage {
public:
  /// StableHLO with sdy, as MLIR prints it. `dialect`: "stablehlo".
  /// `debugInfo`: with locations, which name the operations as JAX does, and
  /// say where the innermost NamedScope is in the source.
  Expected<std::string> asText(std::string_view dialect = "stablehlo",
                               bool debugInfo = false) const;
  /// Why values are sharded as they are, or why there are collectives. Names
  /// and lines are those of `asText`.
  Expected<std::string> explain(const ExplainQuery &query = {}) const;
  /// As CompiledStage::report, without compiling for devices: also for abstract
  /// meshes of any size.
  Expected<std::string> report(const ReportQuery &query = {}) const;
  /// `devices`: only for programs without devices of their own. `options`: more
  /// of JitOptions::compilerOptions.
  Expected<CompiledStage> compile(std::vector<Device> devices = {},
                                  const CompilerOptions &options = {}) const;

  /// As CompiledStage.
  std::vector<ArgInfo> argsInfo() const;
  std::vector<Aval> outInfo() const;

  std::shared_ptr<const LoweredProgram> program;
  std::vector<Aval> types;
  std::vector<std::string> argNames;
  std::vector<bool> donated;
  CallTrees trees;
};

/// A traced program.
class TracedStage {
public:
  std::shared_ptr<const Jaxpr> jaxpr;
  /// As JAX prints it.
  std::string str() const;
  /// What it does beside computing results: `{Debug, OrderedIO}`.
  std::string effects() const;
  Expected<LoweredStage> lower() const;
  std::vector<Aval> inTypes() const, outTypes() const;
  std::vector<ArgInfo> argsInfo() const;

  JitOptions options;
  /// Of the arguments, and those that the options ask for, per leaf.
  std::vector<Sharding> argShardings, inShardings, outShardings;
  /// None: row-major; those of `argLayouts` are null for arrays that are not
  /// committed.
  std::vector<std::optional<Layout>> argLayouts, inLayouts, outLayouts;
  std::vector<bool> donated;
  std::vector<std::string> argNames, resultPaths;
  CallTrees trees;
  /// A result of the function, for its structure.
  std::shared_ptr<const void> prototype;
};

/// The untyped part of a jitted function: its caches.
class JitCore {
public:
  explicit JitCore(JitOptions options);
  /// What one call needs beside the leaves.
  struct Call {
    const FlatFunction &function;
    const TreeDef &arguments;
    /// Number of leaves of each argument.
    const std::vector<size_t> &sizes;
    /// Structure of the result, and a result: known after the function was
    /// traced.
    const TreeDef &results;
    const std::function<std::shared_ptr<const void>()> &prototype;
  };
  /// The leaves of a result, and a result of that structure.
  struct Results {
    Tensors leaves;
    std::shared_ptr<const void> prototype;
  };
  Results call(const Call &call, const Tensors &leaves) const;
  /// Runs a finished program for these arguments, whose structure is `tree`.
  /// False if there is none, or a transformation records the call.
  bool callFinished(const std::string &tree, const Tensors &leaves,
                    Results &results) const;
  Expected<TracedStage> trace(const Call &call, const Tensors &leaves) const;

private:
  std::shared_ptr<JitCache> cache;
};

/// A function of trees whose calls and stages are those of an untyped part:
/// JitCore, or one with the same functions.
template <typename F, typename Core> class StagedFunction {
public:
  StagedFunction(F f, Core c) : function(std::move(f)), core(std::move(c)) {}

  template <typename... Args> auto operator()(const Args &...args) const {
    // A number that the function takes as one decides what the function does.
    if constexpr (!detail::takesTensors<F, std::decay_t<Args>...> &&
                  (std::is_arithmetic_v<Args> || ...))
      return (*this)(asStatic(args)...);
    else
      return callTrees(args...);
  }
  template <typename... Args>
  Expected<TracedStage> trace(const Args &...args) const {
    if constexpr (!detail::takesTensors<F, std::decay_t<Args>...> &&
                  (std::is_arithmetic_v<Args> || ...))
      return trace(asStatic(args)...);
    else
      return traceTrees(args...);
  }
  template <typename... Args>
  Expected<LoweredStage> lower(const Args &...args) const {
    Expected<TracedStage> traced = trace(args...);
    if (!traced)
      return traced.error();
    return traced->lower();
  }

private:
  struct Parts {
    Tensors leaves;
    TreeDef def;
    std::vector<size_t> sizes;
  };
  template <typename T> static auto asStatic(const T &arg) {
    if constexpr (std::is_arithmetic_v<T>)
      return Static<T>(arg);
    else
      return arg;
  }
  template <typename... Args> auto callTrees(const Args &...args) const {
    using Function = TreeFunction<F, std::decay_t<Args>...>;
    using Result = typename Function::Result;
    // What a finished program needs, first.
    Parts parts = flatten(false, args...);
    JitCore::Results out;
    if (!core.callFinished(parts.def.text, parts.leaves, out)) {
      Parts named = flatten(true, args...);
      Function tree(function, {args...});
      FlatFunction flat = tree;
      auto prototype = prototypeOf(tree);
      out = core.call({flat, named.def, named.sizes, tree.def(), prototype},
                      named.leaves);
    }
    if (const Error *error = errorIn(out.leaves))
      return Expected<Result>(*error);
    return Expected<Result>(treeWith(
        *static_cast<const Result *>(out.prototype.get()), out.leaves));
  }
  template <typename... Args>
  Expected<TracedStage> traceTrees(const Args &...args) const {
    TreeFunction<F, std::decay_t<Args>...> tree(function, {args...});
    Parts parts = flatten(true, args...);
    FlatFunction flat = tree;
    auto prototype = prototypeOf(tree);
    return core.trace({flat, parts.def, parts.sizes, tree.def(), prototype},
                      parts.leaves);
  }
  template <typename... Args>
  static Parts flatten(bool keepPaths, const Args &...args) {
    Flattener f(keepPaths);
    Parts parts;
    size_t index = 0;
    f.leaves.reserve(sizeof...(Args));
    auto one = [&](const auto &arg) {
      size_t before = f.leaves.size();
      // A number that is an argument of its own is a tensor of the trace.
      f.keysNumbers = !std::is_arithmetic_v<std::decay_t<decltype(arg)>>;
      if (keepPaths)
        f.child(arg, cat("args[", index++, "]"));
      else
        f.child(arg, f.path);
      f.open(",");
      if (keepPaths)
        parts.sizes.push_back(f.leaves.size() - before);
    };
    (one(args), ...);
    parts.leaves = std::move(f.leaves);
    parts.def = std::move(f.def);
    return parts;
  }
  template <typename Function>
  static std::function<std::shared_ptr<const void>()>
  prototypeOf(const Function &tree) {
    return [&tree] {
      return std::make_shared<const typename Function::Result>(
          *tree.prototype());
    };
  }

  F function;
  Core core;
};

/// A function that is traced and compiled at its first call for each types and
/// shardings of its arguments. JAX: jax.jit.
template <typename F> class Jitted : public StagedFunction<F, JitCore> {
public:
  Jitted(F f, JitOptions options)
      : StagedFunction<F, JitCore>(std::move(f), JitCore(std::move(options))) {}
};

/// `source`: in the locations of modules.
template <typename F>
Jitted<F> jit(F function, JitOptions options = {},
              std::source_location source = std::source_location::current()) {
  options.source = source;
  return Jitted<F>(std::move(function), std::move(options));
}

/// The program of a function, without running it. JAX: jax.make_jaxpr.
template <typename F, typename... Args>
Expected<std::string> jaxprText(F function, const Args &...args) {
  Expected<TracedStage> traced = jit(function).trace(args...);
  if (!traced)
    return traced.error();
  return traced->str();
}

/// Counts of the steps of jit in this process.
struct JitCounts {
  int64_t traces = 0, lowerings = 0, compiles = 0, dispatchMisses = 0;
};
JitCounts jitCounts();
/// Forgets all traced, lowered and compiled programs: functions are traced
/// again. JAX: jax.clear_caches.
void clearCaches();

/// Asks the compiler to shard a value; inside jit. JAX:
/// with_sharding_constraint.
Tensor withShardingConstraint(const Tensor &x, const Sharding &sharding);
Tensor withShardingConstraint(const Tensor &x, const PartitionSpec &spec);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_JIT_H
