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
      if (option.value != "true" && option.value != "false")
        return llvm::createStringError("option 'packed_sizes' is '" +
                                       option.value +
                                       "', expected true or false");
      options.packedSizes = option.value == "true";
    } else if (option.name == "num_nodes") {
      if (option.value != "1")
        return llvm::createStringError("option 'num_nodes' is '" +
                                       option.value +
                                       "': devices are those of one process");
    } else if (option.name != "node_id") {
      return llvm::createStringError(
          "there is no option '" + option.name +
          "', expected 'num_devices', 'packed_sizes' or 'platform_name'");
    }
  }
  if (const char *text = std::getenv(variable); text && *text && !isGiven)
    if (llvm::Error e =
            readDevices(text, llvm::Twine("environment variable ") + variable,
                        options.numDevices))
      return e;
  return options;
}
