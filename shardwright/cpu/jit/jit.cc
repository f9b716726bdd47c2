//===- jit.cc - compilation of clusters to machine code -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/jit/jit.h"

#include "shardwright/cpu/codegen/kernel_emitter.h"
#include "shardwright/cpu/graph/kernel_work.h"
#include "shardwright/cpu/jit/build_identity.h"
#include "shardwright/cpu/jit/code_generator.h"
#include "shardwright/cpu/jit/host_target.h"
#include "shardwright/cpu/jit/kernel_cache.h"
#include "shardwright/cpu/jit/linked_code.h"
#include "shardwright/support/start_thread.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>

using namespace llvm;

namespace shardwright::cpu {

static constexpr size_t kernelsPerModule = 10;

/// Estimated run times up to which code is generated at level Quick: of one run
/// of a straight-line kernel, of one with loops that carry values, of a sort
/// (whose estimates are mostly far too high), and of all kernels of a program.
static constexpr double briefMapNs = 4000, briefLoopsNs = 1000,
                        briefSortNs = 20000, briefProgramNs = 40000;

static double briefNs(const KernelPlan &plan) {
  return plan.getIf<MapPlan>()    ? briefMapNs
         : plan.getIf<SortPlan>() ? briefSortNs
                                  : briefLoopsNs;
}
/// In longer programs, the cheapest kernels up to this fraction of the run time
/// are compiled at level Quick.
static constexpr double quickShare = 0.05;

static std::string hash(StringRef text) {
  BLAKE3 hasher;
  hasher.update(text);
  BLAKE3Result<16> result = hasher.final<16>();
  return toHex(ArrayRef<uint8_t>(result), /*LowerCase=*/true);
}

std::string kernelSymbol(const Cluster &cluster) {
  return "sw_" + hash(serialize(cluster));
}

/// Identifies the build and the target machine in the names of cached kernels.
static std::string targetKey() {
  const CodeTarget &target = codeTarget();
  return buildIdentity() + ";" + target.version + ";" + target.triple + ";" +
         target.cpu + ";" + target.features;
}

static void emitAll(Module &module, const CodeGenerator &generator,
                    ArrayRef<const Cluster *> clusters,
                    ArrayRef<KernelPlan> plans, ArrayRef<std::string> symbols) {
  generator.setTarget(module);
  for (size_t i = 0; i < clusters.size(); ++i)
    emitKernel(module, *clusters[i], plans[i], symbols[i], hostTarget());
}

static Expected<std::unique_ptr<MemoryBuffer>>
compileModule(ArrayRef<const Cluster *> clusters, ArrayRef<KernelPlan> plans,
              ArrayRef<std::string> symbols, CodeGenerator &generator) {
  LLVMContext context;
  Module module(symbols.front(), context);
  emitAll(module, generator, clusters, plans, symbols);
  if (Error e = generator.optimize(module))
    return std::move(e);
  return generator.generate(module);
}

namespace {

/// A kernel that is loaded into the process.
struct Loaded {
  std::weak_ptr<const LinkedCode> code;
  KernelFn function;
};

/// Kernels of the process by symbol, shared by programs. The latest modules
/// stay loaded when their programs are destroyed: JAX compiles the same small
/// programs repeatedly.
struct LoadedKernels {
  static constexpr size_t kept = 256;
  std::mutex mutex;
  StringMap<Loaded> bySymbol;
  std::deque<std::shared_ptr<const LinkedCode>> latest;
  size_t sweepAt = 1024;

  std::shared_ptr<const LinkedCode> find(StringRef symbol, KernelFn &function) {
    std::lock_guard lock(mutex);
    auto it = bySymbol.find(symbol);
    if (it == bySymbol.end())
      return nullptr;
    function = it->second.function;
    return it->second.code.lock();
  }

  void add(const std::shared_ptr<const LinkedCode> &code,
           ArrayRef<std::string> symbols) {
    std::shared_ptr<const LinkedCode> oldest; // destroyed after the lock
    std::lock_guard lock(mutex);
    for (const std::string &symbol : symbols)
      bySymbol[symbol] = {code, reinterpret_cast<KernelFn>(code->find(symbol))};
    latest.push_back(code);
    if (latest.size() > kept) {
      oldest = std::move(latest.front());
      latest.pop_front();
    }
    if (bySymbol.size() < sweepAt)
      return;
    for (auto it = bySymbol.begin(); it != bySymbol.end();) {
      auto here = it++;
      if (here->second.code.expired())
        bySymbol.erase(here);
    }
    sweepAt = std::max<size_t>(1024, 2 * bySymbol.size());
  }
};

LoadedKernels &loadedKernels() {
  static LoadedKernels *all = new LoadedKernels;
  return *all;
}

} // namespace

static std::optional<CodegenOptLevel> optLevelOfEnvironment() {
  const char *asked = std::getenv("SHARDWRIGHT_CODE");
  if (!asked)
    return std::nullopt;
  if (StringRef(asked) == "quick")
    return CodegenOptLevel::Quick;
  if (StringRef(asked) == "full")
    return CodegenOptLevel::Full;
  return std::nullopt;
}

/// Chooses the level at which each kernel is compiled.
static std::vector<CodegenOptLevel>
chooseOptLevels(ArrayRef<KernelPlan> plans, ArrayRef<double> runs,
                std::optional<CodegenOptLevel> forced) {
  if (!forced)
    forced = optLevelOfEnvironment();
  if (forced)
    return std::vector<CodegenOptLevel>(plans.size(), *forced);
  SmallVector<std::pair<double, size_t>> byTime;
  double total = 0;
  for (auto [i, plan] : enumerate(plans)) {
    byTime.push_back({plan.costNs * (runs.empty() ? 1 : runs[i]), i});
    total += byTime.back().first;
  }
  llvm::sort(byTime);
  double limit = total <= briefProgramNs ? total : quickShare * total;
  std::vector<CodegenOptLevel> levels(plans.size(), CodegenOptLevel::Full);
  double quick = 0;
  for (auto [ns, i] : byTime)
    if ((quick += ns) <= limit && plans[i].costNs <= briefNs(plans[i]))
      levels[i] = CodegenOptLevel::Quick;
  return levels;
}

namespace {

/// Kernels that are not loaded yet.
struct Missing {
  std::vector<const Cluster *> clusters;
  std::vector<CodegenOptLevel> optLevels;
  std::vector<KernelPlan> plans;
  std::vector<std::string> symbols;
  std::vector<size_t> at; ///< their indices among all kernels
};

/// Kernels that are loaded together: from one cached object or in one module.
struct Batch {
  std::optional<KernelCache::Found> cached;
  CodegenOptLevel optLevel = CodegenOptLevel::Full; ///< of a module
  SmallVector<size_t, kernelsPerModule> kernels;    ///< indices into Missing
  std::shared_ptr<LinkedCode> code;
};

/// Loads or compiles the missing kernels, several batches in parallel.
class BatchCompiler {
public:
  BatchCompiler(const Missing &missing, const KernelCache *cache)
      : missing(missing), cache(cache) {
    std::map<sys::fs::UniqueID, size_t> byObject;
    size_t openOf[2] = {~size_t(0), ~size_t(0)};
    for (size_t i = 0; i < missing.symbols.size(); ++i) {
      std::optional<KernelCache::Found> found;
      if (cache)
        found = cache->find(missing.symbols[i]);
      if (found) {
        auto [it, isNew] = byObject.try_emplace(found->id, batches.size());
        if (isNew)
          batches.emplace_back().cached = std::move(found);
        batches[it->second].kernels.push_back(i);
        continue;
      }
      CodegenOptLevel level = missing.optLevels[i];
      size_t &open = openOf[static_cast<int>(level)];
      if (open >= batches.size() ||
          batches[open].kernels.size() == kernelsPerModule) {
        open = batches.size();
        batches.emplace_back().optLevel = level;
      }
      batches[open].kernels.push_back(i);
    }
  }

  Error run(int threads);

  std::vector<Batch> batches;
  std::vector<std::string> warnings;

private:
  void work();
  Error compile(Batch &batch, CodeGenerator &generator);
  Error load(Batch &batch);
  Error link(Batch &batch, std::unique_ptr<MemoryBuffer> object);
  void warn(std::string text) {
    std::lock_guard lock(mutex);
    // One warning is enough: the next write will fail in the same way.
    if (warnings.empty())
      warnings.push_back(std::move(text));
  }

  const Missing &missing;
  const KernelCache *cache;
  std::atomic<size_t> next{0};
  std::mutex mutex;
  Error failure = Error::success();
};

} // namespace

Error BatchCompiler::link(Batch &batch, std::unique_ptr<MemoryBuffer> object) {
  auto code = LinkedCode::link(std::move(object));
  if (!code)
    return code.takeError();
  for (size_t i : batch.kernels)
    if (!(*code)->find(missing.symbols[i]))
      return createStringError("no kernel %s in its object file",
                               missing.symbols[i].c_str());
  batch.code = std::move(*code);
  return Error::success();
}

Error BatchCompiler::load(Batch &batch) {
  auto object = cache->load(*batch.cached);
  if (!object)
    return object.takeError();
  return link(batch, std::move(*object));
}

Error BatchCompiler::compile(Batch &batch, CodeGenerator &generator) {
  SmallVector<const Cluster *> clusters;
  std::vector<KernelPlan> plans;
  SmallVector<std::string> symbols;
  for (size_t i : batch.kernels) {
    clusters.push_back(missing.clusters[i]);
    plans.push_back(missing.plans[i]);
    symbols.push_back(missing.symbols[i]);
  }
  auto object = compileModule(clusters, plans, symbols, generator);
  if (!object)
    return object.takeError();
  if (cache)
    if (Error e = cache->store(symbols, (*object)->getBuffer()))
      warn("the kernel cache is not written: " + toString(std::move(e)));
  return link(batch, std::move(*object));
}

void BatchCompiler::work() {
  auto fail = [&](Error e) {
    std::lock_guard lock(mutex);
    failure = joinErrors(std::move(failure), std::move(e));
  };
  std::optional<CodeGeneratorLease> generators[2];
  for (size_t b; (b = next++) < batches.size();) {
    Batch &batch = batches[b];
    if (batch.cached) {
      Error e = load(batch);
      if (!e)
        continue;
      warn("the file '" + batch.cached->path +
           "' of the kernel cache is ignored: " + toString(std::move(e)));
    }
    auto &generator = generators[static_cast<int>(batch.optLevel)];
    if (!generator) {
      Expected<CodeGeneratorLease> lease =
          CodeGeneratorLease::take(batch.optLevel);
      if (!lease)
        return fail(lease.takeError());
      generator.emplace(std::move(*lease));
    }
    if (Error e = compile(batch, **generator))
      return fail(std::move(e));
  }
}

Error BatchCompiler::run(int wanted) {
  size_t threads =
      wanted > 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
  threads = std::min(threads, batches.size());
  std::vector<std::thread> pool;
  for (size_t i = 1; i < threads; ++i) {
    std::thread thread;
    if (!cpu::startThread(thread, [this] { work(); }))
      break; // fewer threads take the batches of the others
    pool.push_back(std::move(thread));
  }
  work();
  for (std::thread &t : pool)
    t.join();
  return std::move(failure);
}

Expected<CompiledKernels> compileKernels(ArrayRef<const Cluster *> clusters,
                                         const JitOptions &options,
                                         ArrayRef<double> runs) {
  const TargetInfo &target = hostTarget();
  CompiledKernels result;
  result.code = std::make_shared<ProgramCode>();
  SmallPtrSet<const LinkedCode *, 8> seen;
  auto keep = [&](std::shared_ptr<const LinkedCode> code) {
    if (seen.insert(code.get()).second)
      result.code->objects.push_back(std::move(code));
  };
  std::vector<KernelPlan> plans;
  for (const Cluster *c : clusters)
    plans.push_back(planKernel(*c, target.maxLanes));
  std::vector<CodegenOptLevel> levels =
      chooseOptLevels(plans, runs, options.optLevel);
  Missing missing;
  for (auto [c, plan, level] : zip_equal(clusters, plans, levels)) {
    Kernel kernel;
    kernel.symbol = kernelSymbol(*c);
    if (level == CodegenOptLevel::Quick)
      kernel.symbol += "_quick";
    kernel.iterations = plan.iterations;
    kernel.costNs = plan.costNs;
    KernelFacts &facts = result.code->kernels.emplace_back();
    countWork(*c, facts.flops, facts.transcendentals);
    if (auto loaded = loadedKernels().find(kernel.symbol, kernel.function)) {
      keep(std::move(loaded));
    } else {
      missing.clusters.push_back(c);
      missing.optLevels.push_back(level);
      missing.plans.push_back(std::move(plan));
      missing.symbols.push_back(kernel.symbol);
      missing.at.push_back(result.kernels.size());
    }
    result.kernels.push_back(std::move(kernel));
  }

  std::optional<KernelCache> cache;
  if (!options.cacheDir.empty() && !missing.symbols.empty()) {
    cache.emplace(options.cacheDir, targetKey());
    if (std::string why = cache->distrust(); !why.empty()) {
      result.warnings.push_back("the kernel cache '" + options.cacheDir +
                                "' is not used: " + why +
                                "; use a directory of your own (chmod 700)");
      cache.reset();
    }
  }
  BatchCompiler compiler(missing, cache ? &*cache : nullptr);
  if (Error e = compiler.run(options.threads))
    return std::move(e);
  llvm::append_range(result.warnings, std::move(compiler.warnings));
  for (Batch &batch : compiler.batches) {
    SmallVector<std::string> symbols;
    for (size_t i : batch.kernels) {
      symbols.push_back(missing.symbols[i]);
      result.kernels[missing.at[i]].function =
          reinterpret_cast<KernelFn>(batch.code->find(symbols.back()));
    }
    loadedKernels().add(batch.code, symbols);
    keep(std::move(batch.code));
  }
  return result;
}

std::string kernelIR(const Cluster &cluster) {
  auto generator = CodeGeneratorLease::take(CodegenOptLevel::Full);
  if (!generator)
    return toString(generator.takeError());
  LLVMContext context;
  Module module("kernel", context);
  KernelPlan plan = planKernel(cluster, hostTarget().maxLanes);
  emitAll(module, **generator, {&cluster}, {plan}, {kernelSymbol(cluster)});
  std::string text;
  raw_string_ostream os(text);
  if (Error e = (*generator)->optimize(module))
    os << toString(std::move(e)) << "\n";
  module.print(os, nullptr);
  return text;
}

} // namespace shardwright::cpu
