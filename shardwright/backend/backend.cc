//===- backend.cc - compilers and runners of programs ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/backend/backend.h"

#include "shardwright/backend/not_addressable.h"

using namespace shardwright;

Backend::~Backend() = default;

llvm::Error shardwright::notAddressable(llvm::ArrayRef<DeviceInfo> devices,
                                        DeviceId device) {
  std::string name = "device " + std::to_string(device.number());
  if (device.number() < 0 || size_t(device.number()) >= devices.size())
    return llvm::createStringError("there is no " + name);
  return llvm::createStringError(name + " belongs to process " +
                                 llvm::Twine(devices[device.number()].process) +
                                 ", not to this one");
}

llvm::Error Backend::checkAddressable(DeviceId device) const {
  return isAddressable(device) ? llvm::Error::success()
                               : notAddressable(devices(), device);
}

LoadedProgram::~LoadedProgram() = default;
StepCost LoadedProgram::stepCost(int32_t) const { return {}; }
std::vector<std::string> LoadedProgram::fusedOps(int32_t) const { return {}; }

std::vector<ProgramLoop> LoadedProgram::loops() const { return {}; }
