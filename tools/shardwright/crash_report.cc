//===- crash_report.cc - crash reports and reproducers --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handler calls only functions that POSIX allows in a signal handler.
// Everything that it prints is prepared before.
//
//===----------------------------------------------------------------------===//

#include "crash_report.h"
#include "command_line.h"

#include "llvm/Support/ErrorHandling.h"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <new>
#include <string>
#include <unistd.h>

namespace shardwright {
namespace {

std::string commandLine;
std::string reproducerPath;
const char *moduleData = nullptr;
size_t moduleSize = 0;

void put(int fd, const char *data, size_t size) {
  while (size > 0) {
    ssize_t n = write(fd, data, size);
    if (n <= 0)
      return;
    data += n;
    size -= size_t(n);
  }
}
void put(int fd, const std::string &text) { put(fd, text.data(), text.size()); }

void onCrash(int) {
  static const std::string head =
      "internal error: this is a bug in shardwright\n";
  put(2, head);
  int fd = open(reproducerPath.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (fd >= 0) {
    // Bytecode cannot contain a comment.
    bool isText =
        moduleSize < 2 || moduleData[0] != 'M' || moduleData[1] != 'L';
    if (isText)
      put(fd, commandLine);
    put(fd, moduleData ? moduleData : "", moduleSize);
    close(fd);
    static const std::string where = "please report it with the reproducer ";
    put(2, where);
    put(2, reproducerPath);
    put(2, "\n", 1);
  }
  _exit(exitBug);
}

/// No more text can be allocated; the memory of unfinished work is lost with
/// the process.
[[noreturn]] void onOutOfMemory() {
  static const char text[] =
      "error: not enough memory to go on with the program\n"
      "remedy: free memory, or raise the limit of the process\n";
  put(2, text, sizeof text - 1);
  _exit(exitBadInput);
}

} // namespace

void installCrashReport(int argc, char **argv) {
  commandLine = "//";
  for (int i = 0; i < argc; ++i)
    commandLine += std::string(" ") + argv[i];
  commandLine += "\n";
  const char *dir = std::getenv("TMPDIR");
  reproducerPath = std::string(dir && *dir ? dir : "/tmp") +
                   "/shardwright-crash-" + std::to_string(getpid()) + ".mlir";
  std::set_terminate([] {
    try {
      if (std::exception_ptr error = std::current_exception())
        std::rethrow_exception(error);
    } catch (const std::bad_alloc &) {
      onOutOfMemory();
    } catch (...) {
    }
    std::abort();
  });
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { onOutOfMemory(); });
  // After a stack overflow the handler needs a separate stack.
  static char alternateStack[64 * 1024];
  stack_t stack{};
  stack.ss_sp = alternateStack;
  stack.ss_size = sizeof alternateStack;
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  return; // The sanitizer reports a crash itself, with its stack.
#endif
#endif
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(signal, &action, nullptr);
}

void setCrashReproducer(llvm::StringRef moduleText) {
  moduleData = moduleText.data();
  moduleSize = moduleText.size();
}

} // namespace shardwright
