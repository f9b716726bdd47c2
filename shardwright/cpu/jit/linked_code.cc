//===- linked_code.cc - object code linked into this process --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/jit/linked_code.h"

#include "shardwright/cpu/kernel_support/complex_runtime.h"
#include "shardwright/cpu/kernel_support/sort_runtime.h"
#include "shardwright/cpu/kernel_support/symbols.h"

#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/Orc/SymbolStringPool.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace llvm;

namespace shardwright::cpu {

static void *externalFunction(StringRef name) {
  if (name == sortSymbol)
    return reinterpret_cast<void *>(&sortLines);
  if (name == sortByKeySymbol)
    return reinterpret_cast<void *>(&sortLinesByKey);
  if (name == complexMathSymbol)
    return reinterpret_cast<void *>(&complexMath);
  return sys::DynamicLibrary::SearchForAddressOfSymbol(name.str());
}

/// Callbacks of JITLink. All of them run before jitlink::link returns.
class LinkContext : public jitlink::JITLinkContext {
public:
  LinkContext(LinkedCode &code, Error &failure)
      : JITLinkContext(nullptr), code(code), failure(failure) {}

  jitlink::JITLinkMemoryManager &getMemoryManager() override {
    return *code.memory;
  }

  void notifyFailed(Error e) override {
    failure = joinErrors(std::move(failure), std::move(e));
  }

  void lookup(
      const LookupMap &wanted,
      std::unique_ptr<jitlink::JITLinkAsyncLookupContinuation> next) override {
    jitlink::AsyncLookupResult found;
    for (auto &[name, flags] : wanted) {
      void *address = externalFunction(*name);
      if (!address && flags == jitlink::SymbolLookupFlags::RequiredSymbol)
        return next->run(createStringError("generated code calls %s, which is "
                                           "in no library of this process",
                                           (*name).str().c_str()));
      found[name] = {orc::ExecutorAddr::fromPtr(address),
                     JITSymbolFlags::Exported};
    }
    next->run(std::move(found));
  }

  Error notifyResolved(jitlink::LinkGraph &graph) override {
    for (jitlink::Symbol *symbol : graph.defined_symbols())
      if (symbol->hasName() && symbol->getScope() == jitlink::Scope::Default)
        code.symbols[*symbol->getName()] = symbol->getAddress().toPtr<void *>();
    return Error::success();
  }

  void notifyFinalized(
      jitlink::JITLinkMemoryManager::FinalizedAlloc allocation) override {
    code.allocation = std::move(allocation);
  }

private:
  LinkedCode &code;
  Error &failure;
};

Expected<std::shared_ptr<LinkedCode>>
LinkedCode::link(std::unique_ptr<MemoryBuffer> object) {
  std::shared_ptr<LinkedCode> code(new LinkedCode);
  code->bytes = std::move(object);
  auto memory = jitlink::InProcessMemoryManager::Create();
  if (!memory)
    return memory.takeError();
  code->memory = std::move(*memory);
  // Keeps the symbol pool alive: maps of its symbols outlive the graph.
  auto names = std::make_shared<orc::SymbolStringPool>();
  auto graph =
      jitlink::createLinkGraphFromObject(code->bytes->getMemBufferRef(), names);
  if (!graph)
    return graph.takeError();
  Error failure = Error::success();
  jitlink::link(std::move(*graph),
                std::make_unique<LinkContext>(*code, failure));
  if (failure)
    return std::move(failure);
  return code;
}

LinkedCode::~LinkedCode() {
  if (!allocation)
    return;
  std::vector<jitlink::JITLinkMemoryManager::FinalizedAlloc> all;
  all.push_back(std::move(allocation));
  // Pages that cannot be unmapped are leaked; that is not reported.
  memory->deallocate(std::move(all),
                     [](Error e) { consumeError(std::move(e)); });
}

} // namespace shardwright::cpu
