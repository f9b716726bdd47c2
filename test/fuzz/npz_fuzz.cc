//===- npz_fuzz.cc - npz files and npy headers ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte selects the input: the header of an array (the checksum of a
// zip would block the fuzzer), or a complete archive.
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/npz/npy_header.h"
#include "shardwright/runtime/npz/npz.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Error.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

using namespace shardwright;

namespace {

void readHeader(llvm::StringRef bytes) {
  if (llvm::Expected<size_t> length = npyHeaderBytes(bytes))
    (void)*length;
  else
    llvm::consumeError(length.takeError());
  llvm::Expected<NpyHeader> header = parseNpyHeader(bytes);
  if (!header) {
    llvm::consumeError(header.takeError());
    return;
  }
  if (header->dataOffset > bytes.size())
    abort();
  // An archive that was read can be written and read again.
  std::string text = npyHeader(header->type, header->shape);
  llvm::Expected<NpyHeader> again = parseNpyHeader(text);
  if (!again || again->type != header->type || again->shape != header->shape)
    abort();
}

void readArchive(llvm::StringRef bytes) {
  static std::string path = [] {
    const char *folder = std::getenv("TMPDIR");
    std::string name = std::string(folder && *folder ? folder : "/tmp") +
                       "/npz_fuzz." + std::to_string(getpid()) + ".npz";
    std::atexit([] { std::remove(path.c_str()); });
    return name;
  }();
  FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    return;
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
  if (auto arrays = readNpz(path))
    arrays->clear();
  else
    llvm::consumeError(arrays.takeError());
  if (auto arrays = readNumberedNpz(path, "arg", 1))
    arrays->clear();
  else
    llvm::consumeError(arrays.takeError());
  for (NpzAccess access : {NpzAccess::Sequential, NpzAccess::Random}) {
    auto readers = openNumberedNpz(path, "arg", {ElementType::F32}, access);
    if (!readers)
      llvm::consumeError(readers.takeError());
    else if (auto whole = readWhole(*readers->front()); !whole)
      llvm::consumeError(whole.takeError());
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  if (bytes.empty())
    return -1;
  if (bytes.front() & 1)
    readArchive(bytes.drop_front());
  else
    readHeader(bytes.drop_front());
  return 0;
}
