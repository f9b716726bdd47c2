//===- jit.cc - clusters to machine code ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/jit.h"

#include "shardwright/cpu/kernel_emitter.h"
#include "shardwright/cpu/sort_runtime.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <atomic>
#include <mutex>
#include <thread>

using namespace llvm;

namespace shardwright::cpu {

/// Part of every key: change it when the emitted code changes.
static constexpr const char *emitterVersion = "kernels-1";
static constexpr size_t kernelsPerModule = 10;

const TargetInfo &hostTarget() {
  static const TargetInfo target = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
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

static Expected<std::unique_ptr<TargetMachine>> makeTargetMachine() {
  const TargetInfo &info = hostTarget();
  Triple triple(sys::getProcessTriple());
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError("no code generator for this machine: %s",
                             error.c_str());
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, info.cpu, info.features, TargetOptions(), Reloc::PIC_,
      CodeModel::Small, CodeGenOptLevel::Default, /*JIT=*/true));
  if (!machine)
    return createStringError("no code generator for this machine");
  return machine;
}

static Error optimize(Module &module, TargetMachine &machine) {
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(module, &os))
    return createStringError("generated code is invalid: %s", problem.c_str());
  PassBuilder builder(&machine);
  LoopAnalysisManager lam;
  FunctionAnalysisManager fam;
  CGSCCAnalysisManager cgam;
  ModuleAnalysisManager mam;
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cgam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cgam, mam);
  FunctionPassManager passes;
  if (Error e = builder.parsePassPipeline(
          passes, "early-cse,instcombine<no-verify-fixpoint>,loop-mssa(licm),"
                  "early-cse"))
    return e;
  for (Function &f : module)
    if (!f.isDeclaration())
      passes.run(f, fam);
  return Error::success();
}

static void emitAll(Module &module, TargetMachine &machine,
                    ArrayRef<const Cluster *> clusters,
                    ArrayRef<KernelPlan> plans, ArrayRef<std::string> symbols) {
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple());
  for (size_t i = 0; i < clusters.size(); ++i)
    emitKernel(module, *clusters[i], plans[i], symbols[i], hostTarget());
}

/// One module: a range of the clusters.
static Expected<std::unique_ptr<MemoryBuffer>>
compileModule(ArrayRef<const Cluster *> clusters, ArrayRef<KernelPlan> plans,
              ArrayRef<std::string> symbols, TargetMachine &machine,
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
  emitAll(module, machine, clusters, plans, symbols);
  if (Error e = optimize(module, machine))
    return std::move(e);
  Expected<std::unique_ptr<MemoryBuffer>> object =
      orc::SimpleCompiler(machine)(module);
  if (!object || path.empty())
    return object;
  // A cache that cannot be written is no error.
  SmallString<128> temporary;
  int fd;
  if (!sys::fs::createUniqueFile(path + ".%%%%%%", fd, temporary)) {
    raw_fd_ostream os(fd, /*shouldClose=*/true);
    os << (*object)->getBuffer();
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

static Expected<CompiledKernels>
compileAll(ArrayRef<const Cluster *> clusters, const JitOptions &options) {
  const TargetInfo &target = hostTarget();
  if (!options.cacheDir.empty())
    (void)sys::fs::create_directories(options.cacheDir);
  std::vector<KernelPlan> plans;
  std::vector<std::string> symbols;
  for (const Cluster *c : clusters) {
    plans.push_back(planKernel(*c, target.maxLanes));
    symbols.push_back(kernelSymbol(*c));
  }
  size_t numModules = (clusters.size() + kernelsPerModule - 1) / kernelsPerModule;
  std::vector<std::unique_ptr<MemoryBuffer>> objects(numModules);
  std::atomic<size_t> next{0};
  std::mutex mutex;
  Error failure = Error::success();
  // A TargetMachine is not thread-safe: one a thread.
  auto worker = [&] {
    auto fail = [&](Error e) {
      std::lock_guard lock(mutex);
      failure = joinErrors(std::move(failure), std::move(e));
    };
    Expected<std::unique_ptr<TargetMachine>> machine = makeTargetMachine();
    if (!machine)
      return fail(machine.takeError());
    for (size_t m; (m = next++) < numModules;) {
      size_t begin = m * kernelsPerModule;
      size_t count = std::min(kernelsPerModule, clusters.size() - begin);
      auto object = compileModule(clusters.slice(begin, count),
                                  ArrayRef(plans).slice(begin, count),
                                  ArrayRef(symbols).slice(begin, count),
                                  **machine, options.cacheDir);
      if (!object)
        return fail(object.takeError());
      objects[m] = std::move(*object);
    }
  };
  size_t threads = options.threads > 0 ? options.threads
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

  Expected<std::unique_ptr<orc::LLJIT>> made = orc::LLJITBuilder().create();
  if (!made)
    return made.takeError();
  std::shared_ptr<orc::LLJIT> jit = std::move(*made);
  orc::JITDylib &library = jit->getMainJITDylib();
  char prefix = jit->getDataLayout().getGlobalPrefix();
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix);
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  orc::SymbolMap runtime;
  runtime[jit->mangleAndIntern(sortRuntimeSymbol)] = {
      orc::ExecutorAddr::fromPtr(&sortLines), JITSymbolFlags::Exported};
  if (Error e = library.define(orc::absoluteSymbols(std::move(runtime))))
    return std::move(e);
  for (auto &object : objects)
    if (Error e = jit->addObjectFile(std::move(object)))
      return std::move(e);
  orc::SymbolLookupSet wanted;
  for (const std::string &symbol : symbols)
    wanted.add(jit->mangleAndIntern(symbol));
  auto found = jit->getExecutionSession().lookup(
      {{&library, orc::JITDylibLookupFlags::MatchAllSymbols}}, std::move(wanted));
  if (!found)
    return found.takeError();
  CompiledKernels result;
  for (size_t i = 0; i < clusters.size(); ++i) {
    Kernel kernel;
    kernel.symbol = symbols[i];
    kernel.function = (*found)[jit->mangleAndIntern(symbols[i])]
                          .getAddress()
                          .toPtr<KernelFn>();
    kernel.iterations = plans[i].iterations;
    kernel.costNs = plans[i].costNs;
    result.kernels.push_back(std::move(kernel));
  }
  result.code = std::move(jit);
  return result;
}

Expected<CompiledKernels>
compileKernels(ArrayRef<const Cluster *> clusters, const JitOptions &options) {
  Expected<CompiledKernels> compiled = compileAll(clusters, options);
  if (compiled || options.cacheDir.empty())
    return compiled;
  // Perhaps a file of the cache is damaged: it must not be in the way.
  consumeError(compiled.takeError());
  return compileAll(clusters, {"", options.threads});
}

std::string kernelIR(const Cluster &cluster) {
  auto machine = makeTargetMachine();
  if (!machine)
    return toString(machine.takeError());
  LLVMContext context;
  Module module("kernel", context);
  KernelPlan plan = planKernel(cluster, hostTarget().maxLanes);
  emitAll(module, **machine, {&cluster}, {plan}, {kernelSymbol(cluster)});
  std::string text;
  raw_string_ostream os(text);
  if (Error e = optimize(module, **machine))
    os << toString(std::move(e)) << "\n";
  module.print(os, nullptr);
  return text;
}

} // namespace shardwright::cpu
