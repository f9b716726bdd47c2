//===- backend.h - compilers and runners of programs ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface between code that is common to all devices (signatures,
// shardings, buffers, ownership: runtime/, compile/, pjrt/) and device-specific
// code. An implementation compiles a module of local shapes and runs it on its
// devices; only the implementation accesses the memory of arrays. The CPU
// backend is cpu/backend/cpu_backend.h.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_BACKEND_BACKEND_H
#define SHARDWRIGHT_BACKEND_BACKEND_H

#include "shardwright/backend/loaded_program.h"

#include "llvm/Support/LogicalResult.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace shardwright {

/// Options of compilation.
struct ProgramOptions {
  /// By argument; further arguments are not donated.
  std::vector<ArgumentDonation> donations;
  /// Directory of the cache of compiled code; empty: none.
  std::string cacheDir;
  /// Threads that compile; 0: one per core.
  int compileThreads = 0;
};

/// Devices of one kind, and the compiler for them. All functions are
/// thread-safe. The destructor waits for runs in flight, unless it is called
/// from one of them; storage and programs may outlive it.
class Backend {
public:
  virtual ~Backend();
  Backend(const Backend &) = delete;
  Backend &operator=(const Backend &) = delete;

  /// The name, like `cpu`: saved programs name the backend that loads them.
  llvm::StringRef name() const { return ownName; }
  /// A readable description: the hardware, and the version of its runtime.
  virtual std::string description() const = 0;
  /// Part of cache keys: differs whenever compiled programs may differ. Equal
  /// in all processes of a job.
  virtual std::string codeIdentity() const = 0;

  /// Devices of all processes, in order of id: 0, 1, 2, ...
  llvm::ArrayRef<DeviceInfo> devices() const { return allDevices; }
  /// True if programs may run on that device from this process.
  virtual bool isAddressable(DeviceId device) const = 0;
  /// An error that names the device, and the process that it belongs to, if it
  /// is not addressable.
  llvm::Error checkAddressable(DeviceId device) const;

  /// Compiles @main of `module`, which has local shapes and no sdy ops. May
  /// change the module. Emits a diagnostic on failure.
  virtual llvm::FailureOr<std::shared_ptr<LoadedProgram>>
  compile(mlir::ModuleOp module, const ProgramOptions &options) = 0;
  /// Loads a program from LoadedProgram::serialize. Fails for corrupted bytes,
  /// or a machine that cannot run them. Maliciously changed bytes can do
  /// anything that this process can.
  virtual llvm::Expected<std::shared_ptr<LoadedProgram>>
  load(llvm::StringRef bytes) = 0;

  /// Allocates uninitialised memory for an array. Like the functions below,
  /// fails if memory is exhausted, or if the device is not addressable.
  virtual llvm::Expected<std::shared_ptr<DeviceStorage>>
  allocate(ElementType type, llvm::ArrayRef<int64_t> shape,
           MemoryPlace place) = 0;
  /// Copies a host array; it has been read when this returns.
  virtual llvm::Expected<StorageTransfer> copyFromHost(const HostArray &array,
                                                       MemoryPlace place) = 0;
  /// Uses or copies a dense host array that does not change until `release` is
  /// called, which happens once, but not if this fails. The backend never
  /// writes to it.
  virtual llvm::Expected<StorageTransfer>
  viewHost(const HostArray &array, MemoryPlace place,
           llvm::unique_function<void()> release) = 0;
  /// Takes over a dense host array, aligned to 64 bytes. Programs may overwrite
  /// it once `memory` has no other holder.
  virtual llvm::Expected<StorageTransfer>
  adoptHost(std::shared_ptr<void> memory, ElementType type,
            llvm::ArrayRef<int64_t> shape, MemoryPlace place) = 0;

  /// Waits until no run is in flight.
  virtual void drain() = 0;

protected:
  explicit Backend(llvm::StringLiteral name) : ownName(name) {}
  llvm::StringRef ownName;
  std::vector<DeviceInfo> allDevices;
};

} // namespace shardwright

#endif // SHARDWRIGHT_BACKEND_BACKEND_H
