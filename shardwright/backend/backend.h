//===- backend.h - what compiles and runs per-device programs ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The seam between what is the same for all devices (signatures, shardings,
// buffers, ownership: runtime/, compile/, pjrt/) and what is not. An
// implementation compiles a module of local shapes, runs it on its devices, and
// is the only one to look into the memory of arrays. The CPU's is
// cpu/backend/cpu_backend.h.
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

/// How a backend compiles.
struct ProgramOptions {
  /// By argument; arguments beyond its end are not donated.
  std::vector<ArgumentDonation> donations;
  /// Directory where compiled code is kept; empty: nowhere.
  std::string cacheDir;
  /// Threads that compile; 0: one a core.
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

  /// `cpu`: saved programs name the backend that loads them.
  llvm::StringRef name() const { return ownName; }
  /// For people: the hardware, and the version of what runs on it.
  virtual std::string description() const = 0;
  /// Differs wherever compiled programs may: part of the keys of caches. Equal
  /// in all processes of a job.
  virtual std::string codeIdentity() const = 0;

  /// Devices of all processes, in order of id: 0, 1, 2, ...
  llvm::ArrayRef<DeviceInfo> devices() const { return allDevices; }
  /// True if programs may run on that device from this process.
  virtual bool isAddressable(DeviceId device) const = 0;
  /// An error that names the device, and the process that it belongs to, if it
  /// is not addressable.
  llvm::Error checkAddressable(DeviceId device) const;

  /// Compiles @main of `module`, which has local shapes and no sdy ops, and may
  /// change the module. A failure has emitted a diagnostic.
  virtual llvm::FailureOr<std::shared_ptr<LoadedProgram>>
  compile(mlir::ModuleOp module, const ProgramOptions &options) = 0;
  /// What LoadedProgram::serialize gave. Errors: damaged bytes, or a machine
  /// that cannot run them. Bytes that were changed on purpose can do anything
  /// that this process can.
  virtual llvm::Expected<std::shared_ptr<LoadedProgram>>
  load(llvm::StringRef bytes) = 0;

  /// Memory for an array, not written yet. Errors: no memory there, or a device
  /// that is not addressable, as for the functions below.
  virtual llvm::Expected<std::shared_ptr<DeviceStorage>>
  allocate(ElementType type, llvm::ArrayRef<int64_t> shape,
           MemoryPlace place) = 0;
  /// A copy of an array of the host, which has been read when this returns.
  virtual llvm::Expected<StorageTransfer> copyFromHost(const HostArray &array,
                                                       MemoryPlace place) = 0;
  /// The same of a dense array that does not change until `release` is called,
  /// which happens once, and not at all on an error: the backend may use the
  /// host's memory instead of a copy, and never writes it.
  virtual llvm::Expected<StorageTransfer>
  viewHost(const HostArray &array, MemoryPlace place,
           llvm::unique_function<void()> release) = 0;
  /// The same of a dense array, aligned to 64 bytes, that its owner gives away:
  /// programs may also overwrite it, once nobody else holds `memory`.
  virtual llvm::Expected<StorageTransfer>
  adoptHost(std::shared_ptr<void> memory, ElementType type,
            llvm::ArrayRef<int64_t> shape, MemoryPlace place) = 0;

  /// Waits until no run is under way.
  virtual void drain() = 0;

protected:
  explicit Backend(llvm::StringLiteral name) : ownName(name) {}
  llvm::StringRef ownName;
  std::vector<DeviceInfo> allDevices;
};

} // namespace shardwright

#endif // SHARDWRIGHT_BACKEND_BACKEND_H
