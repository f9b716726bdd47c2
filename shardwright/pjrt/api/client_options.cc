//===- client_options.cc - options of a client ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/client_options.h"

#include <cstdlib>

using namespace shardwright;
using namespace shardwright::pjrt;

static llvm::Error readDevices(llvm::StringRef text, const llvm::Twine &what,
                               int64_t &devices) {
  if (text.trim().getAsInteger(10, devices) || devices < 1 ||
      devices > kMaxDevices)
    return llvm::createStringError(what + " is '" + text +
                                   "', expected a number from 1 to " +
                                   llvm::Twine(kMaxDevices));
  return llvm::Error::success();
}

static llvm::Error readFlag(const NamedText &option, bool &flag) {
  if (option.value != "true" && option.value != "false")
    return llvm::createStringError("option '" + option.name + "' is '" +
                                   option.value + "', expected true or false");
  flag = option.value == "true";
  return llvm::Error::success();
}

template <typename T>
static llvm::Error readNumber(const NamedText &option, int64_t least,
                              int64_t most, T &number) {
  int64_t value = 0;
  if (llvm::StringRef(option.value).getAsInteger(10, value) || value < least ||
      value > most)
    return llvm::createStringError("option '" + option.name + "' is '" +
                                   option.value + "', expected a number from " +
                                   llvm::Twine(least) + " to " +
                                   llvm::Twine(most));
  number = value;
  return llvm::Error::success();
}

llvm::Expected<ClientOptions>
pjrt::readClientOptions(llvm::ArrayRef<NamedText> given) {
  ClientOptions options;
  constexpr const char *variable = "SHARDWRIGHT_NUM_DEVICES";
  bool isGiven = false;
  for (const NamedText &option : given) {
    if (option.name == "num_devices") {
      if (llvm::Error e = readDevices(option.value, "option 'num_devices'",
                                      options.numDevices))
        return e;
      isGiven = true;
    } else if (option.name == "platform_name") {
      if (option.value.empty())
        return llvm::createStringError("option 'platform_name' is empty");
      options.platformName = option.value;
    } else if (option.name == "packed_sizes") {
      if (llvm::Error e = readFlag(option, options.packedSizes))
        return e;
    } else if (option.name == "torch_xla") {
      if (llvm::Error e = readFlag(option, options.isTorchXla))
        return e;
    } else if (option.name == "num_nodes") {
      if (llvm::Error e = readNumber(option, 1, kMaxDevices, options.numNodes))
        return e;
    } else if (option.name == "node_id") {
      if (llvm::Error e = readNumber(option, 0, kMaxDevices - 1, options.node))
        return e;
    } else if (option.name == "partition_index") {
      if (llvm::Error e = readNumber(option, 0, INT32_MAX,
                                     options.partitionIndex.emplace()))
        return e;
    } else {
      return llvm::createStringError(
          "there is no option '" + option.name +
          "', expected 'num_devices', 'packed_sizes', 'torch_xla' or "
          "'platform_name'");
    }
  }
  if (const char *text = std::getenv(variable); text && *text && !isGiven)
    if (llvm::Error e =
            readDevices(text, llvm::Twine("environment variable ") + variable,
                        options.numDevices))
      return e;
  if (options.node >= options.numNodes)
    return llvm::createStringError(
        "option 'node_id' is '" + llvm::Twine(options.node) +
        "', expected a number below 'num_nodes', which is " +
        llvm::Twine(options.numNodes));
  return options;
}
