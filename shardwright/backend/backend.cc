//===- backend.cc - compilers and runners of programs ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/backend/backend.h"

using namespace shardwright;

Backend::~Backend() = default;

llvm::Error Backend::checkAddressable(DeviceId device) const {
  if (isAddressable(device))
    return llvm::Error::success();
  std::string name = "device " + std::to_string(device.number());
  if (device.number() < 0 || size_t(device.number()) >= devices().size())
    return llvm::createStringError("there is no " + name);
  return llvm::createStringError(
      name + " belongs to process " +
      llvm::Twine(devices()[device.number()].process) + ", not to this one");
}

LoadedProgram::~LoadedProgram() = default;
