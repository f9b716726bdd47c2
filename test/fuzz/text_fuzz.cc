//===- text_fuzz.cc - text of modules: parse, verify, print, again --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module that verifies must print as text that parses, verifies and prints
// the same.
//
//===----------------------------------------------------------------------===//

#include "fuzz_context.h"

using namespace shardwright;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  fuzz::context();
  if (fuzz::crashesMlirParser(text))
    return -1;
  auto module = fuzz::parse(text);
  if (!module)
    return 0;
  std::string printed = fuzz::print(*module);
  auto again = fuzz::parse(printed);
  if (!again)
    fuzz::finding("what was printed does not parse", printed);
  // If a context already has a resource of this name, it gives the resource
  // another name.
  if (printed.find("dialect_resources") != std::string::npos)
    return 0;
  std::string second = fuzz::print(*again);
  if (second != printed)
    fuzz::finding("printing what was printed gives another text", printed,
                  second);
  return 0;
}
