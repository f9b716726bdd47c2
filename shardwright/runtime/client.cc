//===- client.cc - virtual devices and their threads ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/client.h"

using namespace shardwright;

Client &Client::shared() {
  // Never destroyed: runs may be in flight in other threads at exit.
  static Client *client = new Client();
  return *client;
}
