//===- guarded_read.cc - a first read in a child process ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM 22's bytecode reader trusts the counts and offsets of a file: for
// malicious files it allocates huge amounts and reads out of bounds. Whatever
// happens in the child, the user gets one diagnostic.
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/input/guarded_read.h"

#include "shardwright/interop/input/input_limits.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <new>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

namespace shardwright {
namespace {

constexpr int exitTooLarge = 99, exitTooDeep = 98;

/// Sanitizers map terabytes of address space, which count against the limit.
bool canLimitMemory() {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return false;
#endif
#endif
  return true;
}

void setLimit(int resource, rlim_t value) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0)
    return;
  limit.rlim_cur = std::min<rlim_t>(value, limit.rlim_max);
  setrlimit(resource, &limit);
}

[[noreturn]] void outOfMemory() { _exit(exitTooLarge); }

/// Prepares the child for the read: discards its output, and makes it exit on
/// the first failure instead of reporting a crash of the tool.
void becomeGuarded(ReadLimits limits) {
  int nowhere = open("/dev/null", O_RDWR);
  if (nowhere >= 0)
    for (int fd : {0, 1, 2})
      dup2(nowhere, fd);
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGALRM,
                     SIGXCPU, SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, SIG_DFL);
  sigset_t all;
  sigemptyset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  setLimit(RLIMIT_CORE, 0);
  setLimit(RLIMIT_CPU, limits.seconds);
  // A blocked reader uses no CPU time, so also set an alarm.
  alarm(limits.seconds * 4);
  if (canLimitMemory())
    setLimit(RLIMIT_AS, limits.bytes);
  std::set_new_handler(outOfMemory);
  llvm::remove_bad_alloc_error_handler(); // the command may have installed one
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { outOfMemory(); });
}

} // namespace

ReadLimits readLimits(uint64_t fileSize) {
  // IR takes about 20 times the size of its bytecode, plus mapped libraries and
  // stacks.
  uint64_t bytes = (uint64_t(4) << 30) + fileSize * 64;
  return {bytes, unsigned(20 + fileSize / (1 << 20))};
}

GuardedRead readInChild(llvm::function_ref<void()> read, ReadLimits limits) {
  pid_t child = fork();
  if (child < 0)
    return GuardedRead::NoProcess;
  if (child == 0) {
    becomeGuarded(limits);
    read();
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return GuardedRead::NoProcess;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return GuardedRead::Survived;
  if (WIFEXITED(status) && WEXITSTATUS(status) == exitTooLarge)
    return GuardedRead::TooLarge;
  if (WIFEXITED(status) && WEXITSTATUS(status) == exitTooDeep)
    return GuardedRead::TooDeep;
  if (WIFSIGNALED(status) &&
      (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM))
    return GuardedRead::TooSlow;
  return GuardedRead::Crashed;
}

bool isBytecode(llvm::StringRef content) {
  return content.starts_with("ML\xefR");
}

GuardedRead readBytecodeInChild(llvm::StringRef content,
                                const DialectRegistry &registry,
                                ReadBytecode read) {
  return readInChild(
      [&] {
        MLIRContext context(registry, MLIRContext::Threading::DISABLED);
        // The real read decides whether unknown ops are permitted.
        context.allowUnregisteredDialects();
        context.getDiagEngine().registerHandler(
            [](Diagnostic &) { return success(); });
        auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
            content.size(), "", llvm::Align(64));
        if (!buffer)
          outOfMemory();
        llvm::copy(content, buffer->getBufferStart());
        auto sources = std::make_shared<llvm::SourceMgr>();
        sources->AddNewSourceBuffer(std::move(buffer), SMLoc());
        if (read)
          return read(sources, &context);
        ParserConfig config(&context, /*verifyAfterParse=*/false);
        auto module = parseSourceFile<ModuleOp>(sources, config);
        if (module && failed(checkModule(*module, /*attributes=*/true)))
          _exit(exitTooDeep);
        if (module)
          (void)verify(*module);
      },
      readLimits(content.size()));
}

llvm::StringRef describe(GuardedRead result) {
  switch (result) {
  case GuardedRead::Survived:
    return "";
  case GuardedRead::Crashed:
    return "malformed MLIR bytecode: the reader crashes on it";
  case GuardedRead::TooLarge:
    return "malformed MLIR bytecode: it asks for far more memory than a file "
           "of its size needs";
  case GuardedRead::TooSlow:
    return "malformed MLIR bytecode: reading it takes far longer than a file "
           "of its size needs";
  case GuardedRead::TooDeep:
    return "the program in the MLIR bytecode nests deeper, or has more "
           "dimensions, than the limits allow";
  case GuardedRead::NoProcess:
    return "cannot start the process that reads bytecode first";
  }
  return "";
}

} // namespace shardwright
