//===- main.cc - shardwright-lsp-server: our dialects in an editor --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Documents in an editor are untrusted, and the parsers of MLIR and JSON
// recurse once per bracket. The server must not crash, and it cannot check a
// message before it is parsed. So it runs on a stack that is large enough for
// the nesting of any document of up to a few megabytes.
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

#include <pthread.h>

namespace {

struct Arguments {
  int argc;
  char **argv;
  bool failed = false;
};

void *serve(void *pointer) {
  auto *arguments = static_cast<Arguments *>(pointer);
  mlir::DialectRegistry registry;
  shardwright::registerDialects(registry);
  arguments->failed = llvm::failed(
      mlir::MlirLspServerMain(arguments->argc, arguments->argv, registry));
  return nullptr;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments{argc, argv};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  // This reserves address space; only used pages take memory. If a limit
  // forbids this size, try smaller ones.
  for (size_t bytes = size_t(8) << 30; bytes >= size_t(8) << 20; bytes /= 2) {
    pthread_t thread;
    if (pthread_attr_setstacksize(&attributes, bytes) != 0 ||
        pthread_create(&thread, &attributes, serve, &arguments) != 0)
      continue;
    pthread_join(thread, nullptr);
    return arguments.failed;
  }
  serve(&arguments);
  return arguments.failed;
}
