//===- plugin_backend.h - a plugin's devices as a backend -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CLIENT_PLUGIN_BACKEND_H
#define SHARDWRIGHT_PJRT_CLIENT_PLUGIN_BACKEND_H

#include "shardwright/backend/backend.h"
#include "shardwright/pjrt_client/client_option.h"

#include <memory>

namespace shardwright::pjrt_client {

class PluginClient;

/// The devices of a PJRT plugin of any vendor, and its compiler. Programs are
/// sent in replicas form (replicas_form.h), as a portable artifact of a version
/// that the plugin reads. Arrays stay in the plugin's memory.
class PluginBackend final : public Backend {
public:
  explicit PluginBackend(std::shared_ptr<PluginClient> client);
  /// Loads the library `path` and creates a client of it.
  static llvm::Expected<std::shared_ptr<PluginBackend>>
  create(llvm::StringRef path, llvm::ArrayRef<ClientOption> options);
  ~PluginBackend() override;

  std::string description() const override;
  std::string codeIdentity() const override;
  bool isAddressable(DeviceId device) const override;
  llvm::FailureOr<std::shared_ptr<LoadedProgram>>
  compile(mlir::ModuleOp module, const ProgramOptions &options) override;
  llvm::Expected<std::shared_ptr<LoadedProgram>>
  load(llvm::StringRef bytes) override;
  llvm::Expected<std::shared_ptr<DeviceStorage>>
  allocate(ElementType type, llvm::ArrayRef<int64_t> shape,
           MemoryPlace place) override;
  llvm::Expected<StorageTransfer> copyFromHost(const HostArray &array,
                                               MemoryPlace place) override;
  llvm::Expected<StorageTransfer>
  viewHost(const HostArray &array, MemoryPlace place,
           llvm::unique_function<void()> release) override;
  llvm::Expected<StorageTransfer> adoptHost(std::shared_ptr<void> memory,
                                            ElementType type,
                                            llvm::ArrayRef<int64_t> shape,
                                            MemoryPlace place) override;
  void drain() override;

  const std::shared_ptr<PluginClient> &client() const { return ownClient; }

private:
  std::shared_ptr<PluginClient> ownClient;
};

} // namespace shardwright::pjrt_client

#endif // SHARDWRIGHT_PJRT_CLIENT_PLUGIN_BACKEND_H
