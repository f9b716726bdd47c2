//===- jit.h - jit and its stages -------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_JIT_H
#define SHARDWRIGHT_FRONTEND_API_JIT_H

#include "shardwright/frontend/api/function.h"
#include "shardwright/frontend/jit/explain_query.h"

namespace shardwright::frontend {

struct Jaxpr;
struct LoweredProgram;
class CompiledProgram;
struct JitCache;

/// A sharding in JitOptions: a Sharding, a PartitionSpec over the mesh in
/// context at the call, or nothing (None).
struct ShardingOption {
  ShardingOption() = default;
  ShardingOption(std::nullopt_t) {}
  ShardingOption(Sharding s) : sharding(std::move(s)) {}
  /// An error is that of the call.
  ShardingOption(const Expected<Sharding> &s) : sharding(*s) {
    if (!s)
      error = s.error();
  }
  ShardingOption(PartitionSpec s) : spec(std::move(s)) {}
  Sharding sharding;
  std::optional<PartitionSpec> spec;
  std::optional<Error> error;
};

struct JitOptions {
  /// One for all arguments, one for each argument or one for each of their
  /// leaves; empty: those of the arguments.
  std::vector<ShardingOption> inShardings;
  /// One for the result, one for each of its children or one for each leaf;
  /// empty: propagation decides.
  std::vector<ShardingOption> outShardings;
  /// Positions of arguments whose buffers may be reused; negative ones count
  /// from the end.
  std::vector<int64_t> donate;
  bool keepUnused = false;
  /// In messages and in the module's name.
  std::string name = "<lambda>";
  std::vector<std::string> argNames;
};

/// The per-device costs of a program.
struct MemoryStats {
  int64_t arguments = 0, results = 0, temporaries = 0, aliased = 0;
};

/// A compiled program. Calls check types and shardings.
class CompiledStage {
public:
  Tensors call(const Tensors &leaves) const;
  const std::vector<Sharding> &inputShardings() const;
  const std::vector<Sharding> &outputShardings() const;
  std::map<std::string, double> costAnalysis() const;
  MemoryStats memoryAnalysis() const;
  /// The program with its machine code, for `loadProgram` in this or another
  /// process.
  Expected<std::string> serialize() const;
  /// Shardings of arguments and results, collectives with the bytes that they
  /// send, and memory per device.
  Expected<std::string> report() const;

  std::shared_ptr<const CompiledProgram> program;
  std::vector<Aval> types;
  std::vector<std::string> argNames;
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
  Expected<std::string> asText(std::string_view dialect = "stablehlo") const;
  /// Why values are sharded as they are, or why there are collectives. Names
  /// and lines are those of `asText`.
  Expected<std::string> explain(const ExplainQuery &query = {}) const;
  /// As CompiledStage::report, without compiling for devices: also for abstract
  /// meshes of any size.
  Expected<std::string> report() const;
  /// `devices`: only for programs without devices of their own.
  Expected<CompiledStage> compile(std::vector<Device> devices = {}) const;

  std::shared_ptr<const LoweredProgram> program;
  std::vector<Aval> types;
  std::vector<std::string> argNames;
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

  JitOptions options;
  /// Of the arguments, and those that the options ask for, per leaf.
  std::vector<Sharding> argShardings, inShardings, outShardings;
  std::vector<bool> donated;
  std::vector<std::string> argNames, resultPaths;
  /// Numbers of leaves of the children of the result; empty: one leaf.
  std::vector<size_t> resultSizes;
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
    /// Structure of the result, known after the function was traced.
    const TreeDef &results;
  };
  Tensors call(const Call &call, const Tensors &leaves) const;
  /// Runs a finished program for these arguments, whose structure is `tree`.
  /// False if there is none, or a transformation records the call.
  bool callFinished(const std::string &tree, const Tensors &leaves,
                    Tensors &results, std::shared_ptr<void> &prototype) const;
  /// A result of the function for arguments of this structure, which has the
  /// structure of all of them. Null before one is kept.
  std::shared_ptr<void> prototype(const std::string &tree) const;
  void keepPrototype(const std::string &tree,
                     std::shared_ptr<void> prototype) const;
  Expected<TracedStage> trace(const Call &call, const Tensors &leaves) const;

private:
  std::shared_ptr<JitCache> cache;
};

/// A function that is traced and compiled at its first call for each types and
/// shardings of its arguments. JAX: jax.jit.
template <typename F> class Jitted {
public:
  Jitted(F f, JitOptions options)
      : function(std::move(f)), core(std::move(options)) {}

  template <typename... Args> auto operator()(const Args &...args) const {
    using Function = TreeFunction<F, std::decay_t<Args>...>;
    return run<Function>(args...);
  }
  template <typename... Args>
  Expected<TracedStage> trace(const Args &...args) const {
    TreeFunction<F, std::decay_t<Args>...> tree(function, {args...});
    Parts parts = flatten(true, args...);
    FlatFunction flat = tree;
    auto traced =
        core.trace({flat, parts.def, parts.sizes, tree.def()}, parts.leaves);
    keepPrototype(parts.def, tree);
    return traced;
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
  template <typename... Args>
  static Parts flatten(bool keepPaths, const Args &...args) {
    Flattener f(keepPaths);
    Parts parts;
    size_t index = 0;
    f.leaves.reserve(sizeof...(Args));
    auto one = [&](const auto &arg) {
      size_t before = f.leaves.size();
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
  void keepPrototype(const TreeDef &def, const Function &tree) const {
    if (tree.prototype())
      core.keepPrototype(def.text, std::make_shared<typename Function::Result>(
                                       *tree.prototype()));
  }
  template <typename Function, typename... Args>
  auto run(const Args &...args) const -> Expected<typename Function::Result> {
    using Result = typename Function::Result;
    // What a finished program needs, first.
    Parts parts = flatten(false, args...);
    Tensors outs;
    std::shared_ptr<void> kept;
    if (!core.callFinished(parts.def.text, parts.leaves, outs, kept)) {
      Parts named = flatten(true, args...);
      Function tree(function, {args...});
      FlatFunction flat = tree;
      outs =
          core.call({flat, named.def, named.sizes, tree.def()}, named.leaves);
      // The structure of the result is that of the first trace, kept by the
      // structure of the arguments.
      if (!errorIn(outs))
        keepPrototype(parts.def, tree);
      kept = core.prototype(parts.def.text);
    }
    if (const Error *error = errorIn(outs))
      return Expected<Result>(*error);
    if (!kept)
      return Expected<Result>(makeError(
          ErrorKind::Runtime, "the structure of the result is not known"));
    return Expected<Result>(
        treeWith(*static_cast<const Result *>(kept.get()), outs));
  }

  F function;
  JitCore core;
};

template <typename F> Jitted<F> jit(F function, JitOptions options = {}) {
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

/// Asks the compiler to shard a value; inside jit. JAX:
/// with_sharding_constraint.
Tensor withShardingConstraint(const Tensor &x, const Sharding &sharding);
Tensor withShardingConstraint(const Tensor &x, const PartitionSpec &spec);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_JIT_H
