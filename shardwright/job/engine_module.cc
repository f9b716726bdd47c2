//===- engine_module.cc - loads engines -----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/engine_module.h"

#include "shardwright/job/tcp_engine.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace shardwright;

/// Returns the file of a module, beside the library with this function. Tests
/// are executables in the folder beside that of the libraries.
static std::string findModule(llvm::StringRef name) {
  std::string file = ("libshardwright_" + name + ".so").str();
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&findModule), &info))
    return file;
  llvm::SmallString<256> path(info.dli_fname);
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, file);
  return std::string(path);
}

static llvm::StringRef packagesOf(llvm::StringRef name) {
  return name == "mpi" ? "Open MPI (Debian: libopenmpi3 and openmpi-bin)"
                       : "Gloo (Debian: libgloo0)";
}

llvm::Expected<std::unique_ptr<Engine>>
shardwright::makeEngine(llvm::StringRef name, const EngineOptions &options) {
  if (name == "tcp")
    return makeTcpEngine(options);
  if (name != "mpi" && name != "gloo")
    return fail("unknown transport `", name,
                "`: expected mpi, tcp, gloo or auto");
  std::string path = findModule(name);
  if (!llvm::sys::fs::exists(path))
    return fail("this build of Shardwright has no transport ", name, ": ", path,
                " does not exist; it is built where the headers of ",
                name == "mpi" ? "MPI (Debian: libopenmpi-dev)"
                              : "Gloo (Debian: libgloo-dev)",
                " are installed");
  void *module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module)
    return fail("the transport ", name, " cannot be loaded: ", dlerror(),
                "; install ", packagesOf(name));
  auto *make = reinterpret_cast<MakeEngine *>(dlsym(module, makeEngineName));
  std::string error;
  if (!make)
    return fail(path, " is not a transport of Shardwright");
  Engine *engine = make(engineInterfaceVersion, options, error);
  if (!engine)
    return fail("the transport ", name, " cannot start: ", error);
  return std::unique_ptr<Engine>(engine);
}
