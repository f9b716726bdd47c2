//===- state_types.cc - types of FFI states ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/ffi/ffi.h"
#include "shardwright/support/id_map.h"

#include "llvm/ADT/StringMap.h"

using namespace shardwright;
using namespace shardwright::ffi;

namespace {
struct Types {
  std::mutex mutex;
  llvm::StringMap<int64_t> ids;
  IdMap<void (*)(void *)> deleters;
};
} // namespace

static Types &types() {
  static auto *types = new Types();
  return *types;
}

llvm::Error ffi::registerFfiType(llvm::StringRef name, int64_t &id,
                                 const XLA_FFI_TypeInfo *info) {
  auto fail = [](const llvm::Twine &why) {
    return llvm::createStringError("INTERNAL: " + why);
  };
  Types &t = types();
  std::lock_guard lock(t.mutex);
  auto it = t.ids.find(name);
  if (it != t.ids.end()) {
    if (id == 0)
      return fail("Type name " + name + " already registered with type id " +
                  llvm::Twine(it->second));
    if (id != it->second)
      return fail("Type name " + name + " already registered with type id " +
                  llvm::Twine(it->second) + " vs " + llvm::Twine(id) + ")");
  } else {
    if (t.deleters.contains(id))
      return fail("type id " + llvm::Twine(id) +
                  " belongs to another type than " + name);
    int64_t &kept = t.ids[name];
    // Use an address as the id: no other library assigns numbers that large.
    if (id == 0)
      id = reinterpret_cast<int64_t>(&kept);
    kept = id;
    t.deleters[id] = nullptr;
  }
  if (info && info->deleter)
    t.deleters[id] = info->deleter;
  return llvm::Error::success();
}

void (*ffi::ffiDeleter(int64_t type))(void *) {
  Types &t = types();
  std::lock_guard lock(t.mutex);
  auto it = t.deleters.find(type);
  return it == t.deleters.end() ? nullptr : it->second;
}

bool ffi::isFfiType(int64_t type) {
  Types &t = types();
  std::lock_guard lock(t.mutex);
  return t.deleters.contains(type);
}
