//===- plugin_backend.cc - a plugin's devices as a backend ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/plugin_backend.h"

#include "shardwright/pjrt_client/plugin_client.h"
#include "shardwright/pjrt_client/plugin_program.h"
#include "shardwright/pjrt_client/plugin_storage.h"
#include "shardwright/pjrt_client/program_bytes.h"

using namespace shardwright;
using namespace shardwright::pjrt_client;

PluginBackend::PluginBackend(std::shared_ptr<PluginClient> client)
    : Backend(backendName), ownClient(std::move(client)) {
  allDevices = ownClient->deviceInfos();
}

llvm::Expected<std::shared_ptr<PluginBackend>>
PluginBackend::create(llvm::StringRef path,
                      llvm::ArrayRef<ClientOption> options) {
  auto plugin = Plugin::load(path);
  if (!plugin)
    return plugin.takeError();
  auto client = PluginClient::create(*plugin, options);
  if (!client)
    return client.takeError();
  return std::make_shared<PluginBackend>(std::move(*client));
}

PluginBackend::~PluginBackend() { drain(); }

std::string PluginBackend::description() const {
  return (ownClient->plugin().name() + ": platform " +
          ownClient->platformName() + ", " + ownClient->platformVersion() +
          ", PJRT 0." + llvm::Twine(ownClient->plugin().minorVersion()))
      .str();
}

std::string PluginBackend::codeIdentity() const {
  return platformOf(*ownClient) + " " +
         std::to_string(ownClient->plugin().minorVersion());
}

bool PluginBackend::isAddressable(DeviceId device) const {
  return device.number() >= 0 && device.number() < int32_t(allDevices.size()) &&
         allDevices[device.number()].localId;
}

llvm::FailureOr<std::shared_ptr<LoadedProgram>>
PluginBackend::compile(mlir::ModuleOp module, const ProgramOptions &options) {
  llvm::FailureOr<ProgramParts> parts = programParts(
      module, options.donations, ownClient->plugin().stablehloVersion());
  if (failed(parts))
    return mlir::failure();
  auto program = PluginProgram::create(
      ownClient, {std::move(parts->bytes), false, {}},
      {std::move(parts->arguments), std::move(parts->argumentPlacements)},
      {std::move(parts->results), std::move(parts->resultPlacements)},
      parts->numDevices);
  if (!program)
    return module.emitError() << llvm::toString(program.takeError());
  return std::shared_ptr<LoadedProgram>(std::move(*program));
}

llvm::Expected<std::shared_ptr<LoadedProgram>>
PluginBackend::load(llvm::StringRef bytes) {
  return PluginProgram::load(ownClient, bytes);
}

/// Memory of a PJRT client cannot be written to, so uninitialised memory is as
/// good as zeros: nothing but a program can fill it.
llvm::Expected<std::shared_ptr<DeviceStorage>>
PluginBackend::allocate(ElementType type, llvm::ArrayRef<int64_t> shape,
                        MemoryPlace place) {
  llvm::Expected<int64_t> bytes = checkedBytes(type, shape);
  if (!bytes)
    return bytes.takeError();
  std::unique_ptr<char, void (*)(void *)> zeros(
      static_cast<char *>(std::calloc(std::max<int64_t>(*bytes, 1), 1)),
      std::free);
  if (!zeros)
    return noMemoryFor(type, shape);
  auto made = copyFromHost({zeros.get(), type, shape, {}}, place);
  if (!made)
    return made.takeError();
  return std::move(made->storage);
}

llvm::Expected<StorageTransfer>
PluginBackend::copyFromHost(const HostArray &array, MemoryPlace place) {
  if (llvm::Error e = checkAddressable(place.device))
    return e;
  return copyToPlugin(ownClient, array, place);
}

llvm::Expected<StorageTransfer>
PluginBackend::viewHost(const HostArray &array, MemoryPlace place,
                        llvm::unique_function<void()> release) {
  if (llvm::Error e = checkAddressable(place.device))
    return e;
  return copyToPlugin(ownClient, array, place, std::move(release));
}

llvm::Expected<StorageTransfer>
PluginBackend::adoptHost(std::shared_ptr<void> memory, ElementType type,
                         llvm::ArrayRef<int64_t> shape, MemoryPlace place) {
  HostArray array{memory.get(), type, shape, {}};
  return viewHost(array, place, [memory] {});
}

void PluginBackend::drain() { ownClient->drain(); }
