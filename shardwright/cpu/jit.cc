//===- jit.cc - clusters to machine code ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/jit.h"

#include "shardwright/cpu/code_generator.h"
#include "shardwright/cpu/kernel_emitter.h"
#include "shardwright/cpu/linked_code.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <thread>

using namespace llvm;

namespace shardwright::cpu {

/// Part of every key: change it when the emitted code changes.
static constexpr const char *emitterVersion = "kernels-3";
static constexpr size_t kernelsPerModule = 10;

const TargetInfo &hostTarget() {
  static const TargetInfo target = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    sys::DynamicLibrary::LoadLibraryPermanently(nullptr);
    // Vector variants of the C library's functions.
    sys::DynamicLibrary::LoadLibraryPermanently("libmvec.so.1");
    TargetInfo info;
    info.cpu = sys::getHostCPUName().str();
    SubtargetFeatures features;
    StringMap<bool> host = sys::getHostCPUFeatures();
    std::vector<std::pair<std::string, bool>> sorted;
    for (auto &f : host)
      sorted.push_back({f.getKey().str(), f.getValue()});
    llvm::sort(sorted);
    for (auto &[name, on] : sorted)
      features.AddFeature(name, on);
    info.features = features.getString();
    info.lanes512 = host.lookup("avx512f") && host.lookup("avx512dq") &&
                    host.lookup("avx512bw") && host.lookup("avx512vl");
    info.maxLanes = info.lanes512 ? 16 : host.lookup("avx") ? 8 : 4;
    return info;
  }();
  return target;
}

static std::string hash(StringRef text) {
  BLAKE3 hasher;
  hasher.update(text);
  BLAKE3Result<16> result = hasher.final<16>();
  return toHex(ArrayRef<uint8_t>(result), /*LowerCase=*/true);
}

std::string kernelSymbol(const Cluster &cluster) {
  return "sw_" + hash(serialize(cluster));
}

static std::string targetKey() {
  const TargetInfo &target = hostTarget();
  return std::string(emitterVersion) + ";" LLVM_VERSION_STRING ";" +
         sys::getProcessTriple() + ";" + target.cpu + ";" + target.features;
}

static void emitAll(Module &module, const CodeGenerator &generator,
                    ArrayRef<const Cluster *> clusters,
                    ArrayRef<KernelPlan> plans, ArrayRef<std::string> symbols) {
  generator.setTarget(module);
  for (size_t i = 0; i < clusters.size(); ++i)
    emitKernel(module, *clusters[i], plans[i], symbols[i], hostTarget());
}

/// One module: a range of the clusters.
static Expected<std::unique_ptr<MemoryBuffer>>
compileModule(ArrayRef<const Cluster *> clusters, ArrayRef<KernelPlan> plans,
              ArrayRef<std::string> symbols, CodeGenerator &generator,
              StringRef cacheDir) {
  SmallString<128> path;
  if (!cacheDir.empty()) {
    std::string key = targetKey();
    for (const std::string &symbol : symbols)
      key += ";" + symbol;
    path = cacheDir;
    sys::path::append(path, hash(key) + ".o");
    if (auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false))
      return std::move(*file);
  }
  LLVMContext context;
  Module module(symbols.front(), context);
  emitAll(module, generator, clusters, plans, symbols);
  if (Error e = generator.optimize(module))
    return std::move(e);
  std::unique_ptr<MemoryBuffer> object = generator.generate(module);
  if (path.empty())
    return object;
  // A cache that cannot be written is no error.
  SmallString<128> temporary;
  int fd;
  if (!sys::fs::createUniqueFile(path + ".%%%%%%", fd, temporary)) {
    raw_fd_ostream os(fd, /*shouldClose=*/true);
    os << object->getBuffer();
    os.close();
    if (os.has_error()) {
      os.clear_error();
      sys::fs::remove(temporary);
    } else if (sys::fs::rename(temporary, path)) {
      sys::fs::remove(temporary);
    }
  }
  return object;
}

namespace {

/// A kernel that is in the process already.
struct Loaded {
  std::weak_ptr<LinkedCode> code;
  KernelFn function;
};

/// Kernels of the process by symbol, so that programs share them. The latest
/// modules stay when their programs go: JAX compiles the same small programs
/// again and again.
struct LoadedKernels {
  static constexpr size_t kept = 256;
  std::mutex mutex;
  StringMap<Loaded> bySymbol;
  std::deque<std::shared_ptr<LinkedCode>> latest;
  size_t sweepAt = 1024;

  std::shared_ptr<LinkedCode> find(StringRef symbol, KernelFn &function) {
    std::lock_guard lock(mutex);
    auto it = bySymbol.find(symbol);
    if (it == bySymbol.end())
      return nullptr;
    function = it->second.function;
    return it->second.code.lock();
  }

  void add(const std::shared_ptr<LinkedCode> &code,
           ArrayRef<std::string> symbols) {
    std::shared_ptr<LinkedCode> oldest; // goes after the lock
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

/// Compiles and links the clusters, a module for each kernelsPerModule.
static Expected<std::vector<std::shared_ptr<LinkedCode>>>
compileAll(ArrayRef<const Cluster *> clusters, ArrayRef<KernelPlan> plans,
           ArrayRef<std::string> symbols, const JitOptions &options) {
  size_t numModules =
      (clusters.size() + kernelsPerModule - 1) / kernelsPerModule;
  std::vector<std::shared_ptr<LinkedCode>> linked(numModules);
  std::atomic<size_t> next{0};
  std::mutex mutex;
  Error failure = Error::success();
  auto worker = [&] {
    auto fail = [&](Error e) {
      std::lock_guard lock(mutex);
      failure = joinErrors(std::move(failure), std::move(e));
    };
    Expected<CodeGeneratorLease> generator = CodeGeneratorLease::take();
    if (!generator)
      return fail(generator.takeError());
    for (size_t m; (m = next++) < numModules;) {
      size_t begin = m * kernelsPerModule;
      size_t count = std::min(kernelsPerModule, clusters.size() - begin);
      ArrayRef<std::string> names = symbols.slice(begin, count);
      auto object =
          compileModule(clusters.slice(begin, count), plans.slice(begin, count),
                        names, **generator, options.cacheDir);
      if (!object)
        return fail(object.takeError());
      auto code = LinkedCode::link((*object)->getMemBufferRef());
      if (!code)
        return fail(code.takeError());
      for (const std::string &name : names)
        if (!(*code)->find(name))
          return fail(createStringError("no kernel %s in its object file",
                                        name.c_str()));
      linked[m] = std::move(*code);
    }
  };
  size_t threads = options.threads > 0
                       ? options.threads
                       : std::max(1u, std::thread::hardware_concurrency());
  threads = std::min(threads, numModules);
  std::vector<std::thread> pool;
  for (size_t i = 1; i < threads; ++i)
    pool.emplace_back(worker);
  if (numModules)
    worker();
  for (std::thread &t : pool)
    t.join();
  if (failure)
    return std::move(failure);
  return linked;
}

Expected<CompiledKernels> compileKernels(ArrayRef<const Cluster *> clusters,
                                         const JitOptions &options) {
  const TargetInfo &target = hostTarget();
  if (!options.cacheDir.empty())
    (void)sys::fs::create_directories(options.cacheDir);
  CompiledKernels result;
  auto code = std::make_shared<std::vector<std::shared_ptr<LinkedCode>>>();
  std::vector<const Cluster *> missing;
  std::vector<KernelPlan> missingPlans;
  std::vector<std::string> missingSymbols;
  std::vector<size_t> missingAt;
  for (const Cluster *c : clusters) {
    KernelPlan plan = planKernel(*c, target.maxLanes);
    Kernel kernel;
    kernel.symbol = kernelSymbol(*c);
    kernel.iterations = plan.iterations;
    kernel.costNs = plan.costNs;
    if (auto loaded = loadedKernels().find(kernel.symbol, kernel.function)) {
      code->push_back(std::move(loaded));
    } else {
      missing.push_back(c);
      missingPlans.push_back(std::move(plan));
      missingSymbols.push_back(kernel.symbol);
      missingAt.push_back(result.kernels.size());
    }
    result.kernels.push_back(std::move(kernel));
  }

  auto compiled = compileAll(missing, missingPlans, missingSymbols, options);
  if (!compiled && !options.cacheDir.empty()) {
    // Perhaps a file of the cache is damaged: it must not be in the way.
    consumeError(compiled.takeError());
    compiled = compileAll(missing, missingPlans, missingSymbols,
                          {"", options.threads});
  }
  if (!compiled)
    return compiled.takeError();
  for (auto [m, linked] : llvm::enumerate(*compiled)) {
    size_t begin = m * kernelsPerModule;
    size_t count = std::min(kernelsPerModule, missing.size() - begin);
    for (size_t i = begin; i < begin + count; ++i)
      result.kernels[missingAt[i]].function =
          reinterpret_cast<KernelFn>(linked->find(missingSymbols[i]));
    loadedKernels().add(linked, ArrayRef(missingSymbols).slice(begin, count));
    code->push_back(std::move(linked));
  }
  result.code = std::move(code);
  return result;
}

std::string kernelIR(const Cluster &cluster) {
  auto generator = CodeGeneratorLease::take();
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
