//===- npz_rewrite.cc - reads and writes an npz file ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// npz-rewrite IN.npz OUT.npz TYPE...: reads the arrays as these types (the last
// type applies to all further arrays) and writes them again. For
// test/oracle/npz.py.
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/npz/npz.h"

#include "llvm/Support/raw_ostream.h"

using namespace shardwright;

static int fail(llvm::Error e) {
  llvm::errs() << toString(std::move(e)) << '\n';
  return 2;
}

static std::optional<ElementType> typeNamed(llvm::StringRef name) {
  for (int i = 0; i <= int(ElementType::C128); ++i)
    if (str(ElementType(i)) == name)
      return ElementType(i);
  return std::nullopt;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    llvm::errs() << "npz-rewrite IN.npz OUT.npz TYPE...\n";
    return 2;
  }
  llvm::Expected<std::vector<NamedArray>> arrays = readNpz(argv[1]);
  if (!arrays)
    return fail(arrays.takeError());
  for (size_t i = 0; i < arrays->size(); ++i) {
    llvm::StringRef name = argv[std::min<int>(3 + i, argc - 1)];
    std::optional<ElementType> type = typeNamed(name);
    if (!type)
      return fail(llvm::createStringError("no type " + name));
    llvm::Expected<Array> typed = fromNumpyBits((*arrays)[i].array, *type);
    if (!typed)
      return fail(typed.takeError());
    (*arrays)[i].array = std::move(*typed);
  }
  if (llvm::Error e = writeNpz(argv[2], *arrays))
    return fail(std::move(e));
  return 0;
}
