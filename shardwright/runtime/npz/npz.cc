//===- npz.cc - reads numpy's .npz files ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/npz/npz.h"

#include "shardwright/runtime/npz/npz_archive.h"

using namespace shardwright;
using llvm::StringRef;

llvm::Expected<std::vector<NamedHeader>>
shardwright::readNpzHeaders(StringRef path) {
  llvm::Expected<NpzArchive> reader = NpzArchive::open(path);
  if (!reader)
    return reader.takeError();
  std::vector<NamedHeader> headers;
  for (int64_t i = 0, e = reader->count(); i < e; ++i) {
    llvm::Expected<OpenMember> member = reader->member(i);
    if (!member)
      return member.takeError();
    headers.push_back(
        {reader->nameOf(i).str(), {member->header.type, member->header.shape}});
  }
  return headers;
}

llvm::Expected<std::vector<NamedArray>> shardwright::readNpz(StringRef path) {
  llvm::Expected<NpzArchive> reader = NpzArchive::open(path);
  if (!reader)
    return reader.takeError();
  std::vector<NamedArray> arrays;
  for (int64_t i = 0, e = reader->count(); i < e; ++i) {
    llvm::Expected<OpenMember> member = reader->member(i);
    if (!member)
      return member.takeError();
    llvm::Expected<Array> array = reader->array(i, std::move(*member));
    if (!array)
      return array.takeError();
    arrays.push_back({reader->nameOf(i).str(), std::move(*array)});
  }
  return arrays;
}

llvm::Expected<std::vector<Array>>
shardwright::readNumberedNpz(StringRef path, StringRef prefix, int64_t count,
                             CheckHeader check) {
  llvm::Expected<NpzArchive> reader = NpzArchive::open(path);
  if (!reader)
    return reader.takeError();
  // Find and check all members before reading elements.
  auto members = reader->numbered(prefix, count);
  if (!members)
    return members.takeError();
  if (check)
    for (int64_t i = 0; i < count; ++i) {
      llvm::Expected<OpenMember> member = reader->member((*members)[i]);
      if (!member)
        return member.takeError();
      if (llvm::Error e = check(i, {member->header.type, member->header.shape}))
        return e;
    }
  std::vector<Array> arrays;
  for (int64_t index : *members) {
    llvm::Expected<OpenMember> member = reader->member(index);
    if (!member)
      return member.takeError();
    llvm::Expected<Array> array = reader->array(index, std::move(*member));
    if (!array)
      return array.takeError();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}
