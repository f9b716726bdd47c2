//===- plugin_program.h - a program that a plugin has compiled --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CLIENT_PLUGIN_PROGRAM_H
#define SHARDWRIGHT_PJRT_CLIENT_PLUGIN_PROGRAM_H

#include "shardwright/backend/loaded_program.h"
#include "shardwright/pjrt_client/plugin_layouts.h"

#include <map>

namespace shardwright::pjrt_client {

/// The name of the backend, for all plugins.
inline constexpr llvm::StringLiteral backendName("pjrt");

/// A PJRT_LoadedExecutable, for one device assignment.
class LoadedExecutable {
public:
  LoadedExecutable(std::shared_ptr<PluginClient> client,
                   PJRT_LoadedExecutable *handle)
      : client(std::move(client)), handle(handle) {}
  ~LoadedExecutable();
  LoadedExecutable(const LoadedExecutable &) = delete;
  LoadedExecutable &operator=(const LoadedExecutable &) = delete;

  const std::shared_ptr<PluginClient> client;
  PJRT_LoadedExecutable *const handle;
  PJRT_Executable *executable = nullptr; ///< owned
  /// The device of each argument list of a run.
  std::vector<DeviceId> devices;
  /// As compiledLayouts returns them.
  std::vector<std::string> argumentLayouts, resultLayouts;
};

/// The platform and its version, as programs of it are marked.
std::string platformOf(const PluginClient &client);

/// What a program is compiled from.
struct ProgramSource {
  /// A StableHLO module of replicas, or what the plugin serialised.
  std::string bytes;
  bool isSerialized = false;
  /// The platform and its version; only the same one loads serialised bytes.
  std::string platform;
};

/// The arguments or the results of one device.
struct ProgramBorder {
  std::vector<ArrayType> types;
  std::vector<Placement> placements;
};

class PluginProgram final : public LoadedProgram {
public:
  /// Compiles for the devices 0, 1, 2, ... of the client.
  static llvm::Expected<std::shared_ptr<PluginProgram>>
  create(std::shared_ptr<PluginClient> client, ProgramSource source,
         ProgramBorder arguments, ProgramBorder results, int64_t numDevices);
  /// Reads what `serialize` wrote.
  static llvm::Expected<std::shared_ptr<PluginProgram>>
  load(std::shared_ptr<PluginClient> client, llvm::StringRef bytes);

  llvm::StringRef backendName() const override {
    return pjrt_client::backendName;
  }
  llvm::Expected<StartedRun> start(Backend &backend,
                                   RunRequest &request) override;
  MemoryStatistics memory() const override { return memoryStatistics; }
  CostAnalysis cost() const override { return costAnalysis; }
  PeakMemory peakMemory() const override { return {}; }
  std::string stepName(int32_t) const override { return {}; }
  llvm::Expected<std::string> serialize() const override;

private:
  using Assignment = llvm::SmallVector<DeviceId, 8>;
  /// The program for these devices; compiles it at first use.
  llvm::Expected<std::shared_ptr<LoadedExecutable>>
  loadedFor(const std::shared_ptr<PluginClient> &client,
            const Assignment &devices);
  llvm::Expected<std::shared_ptr<LoadedExecutable>>
  compile(const std::shared_ptr<PluginClient> &client,
          const Assignment &devices) const;
  llvm::Error readDevices(LoadedExecutable &loaded,
                          const Assignment &devices) const;
  llvm::Error checkMemoriesOf(const PluginClient &client,
                              const Assignment &devices) const;
  llvm::Error checkOutputs(const LoadedExecutable &loaded) const;
  void readStatistics(const LoadedExecutable &loaded);
  struct ArgumentLists;
  llvm::Error collect(const LoadedExecutable &loaded, const RunRequest &request,
                      size_t numLocal, ArgumentLists &lists) const;
  llvm::Expected<StartedRun> execute(const LoadedExecutable &loaded,
                                     const RunRequest &request,
                                     llvm::ArrayRef<DeviceId> localDevices);
  StartedRun failedRun(const std::shared_ptr<PluginClient> &client,
                       RunRequest &request,
                       llvm::ArrayRef<DeviceId> localDevices,
                       llvm::Error error) const;

  ProgramSource source;
  std::vector<Placement> argumentPlacements, resultPlacements;
  MemoryStatistics memoryStatistics;
  CostAnalysis costAnalysis;
  std::mutex mutex;
  /// By client and devices.
  std::map<std::pair<const PluginClient *, std::vector<int32_t>>,
           std::shared_ptr<LoadedExecutable>>
      loadedPrograms;
};

} // namespace shardwright::pjrt_client

#endif // SHARDWRIGHT_PJRT_CLIENT_PLUGIN_PROGRAM_H
