//===- client_texts.cc - error texts in XLA's wording ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/base/client_texts.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

std::string shardwright::pjrt::inWordsOfXla(StringRef text) {
  // `not enough memory for result 0 of device 0, 64 bytes`
  if (size_t at = text.find("not enough memory"); at != StringRef::npos) {
    StringRef bytes = text.substr(at);
    bytes = bytes.substr(bytes.find(", ")).ltrim(", ").take_while(isDigit);
    return ("RESOURCE_EXHAUSTED: Out of memory allocating " +
            (bytes.empty() ? "" : bytes + " ") + "bytes. (" + text + ")")
        .str();
  }
  // `process 1 (host, pid 47) has gone (connection closed); ..`, also as the
  // report of another process
  if (StringRef rest = text; rest.consume_front("process ")) {
    StringRef head = rest.take_front(400);
    if (head.contains(") has gone (") || head.ends_with(" has ended"))
      return ("UNAVAILABLE: " + text).str();
    if (head.contains(" has not started within "))
      return ("DEADLINE_EXCEEDED: " + text).str();
    if (head.contains(" runs ") && head.contains(" where process "))
      return ("INVALID_ARGUMENT: " + text).str();
  }
  // `f.py:3:4: custom call 'name': the cpu has no target of this name; ..`
  auto [before, after] = text.split("custom call '");
  auto [name, rest] = after.split("': ");
  if (rest.starts_with("the cpu has no target of this name"))
    return ("NOT_FOUND: No FFI handler registered for " + name +
            " on a platform Host (canonical host)" +
            (before.empty() ? "" : " (" + before.rtrim(": ") + ")"))
        .str();
  return text.str();
}
