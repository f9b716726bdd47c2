//===- shared_blob.cc - a resource that outlives its context --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/read/shared_blob.h"

#include <map>
#include <mutex>

using namespace mlir;

namespace shardwright::cpu {
namespace {

class Owner;

/// Owners of shared blobs by their bytes, so that a blob that is shared again
/// keeps its owner. Never destroyed, because contexts may be destroyed later.
struct Owners {
  using Key = std::pair<const char *, size_t>;
  std::mutex mutex;
  std::map<Key, std::weak_ptr<Owner>> known;

  static Key key(const AsmResourceBlob &blob) {
    return {blob.getData().data(), blob.getData().size()};
  }
  static Owners &get() {
    static auto *owners = new Owners;
    return *owners;
  }
};

class Owner {
public:
  explicit Owner(AsmResourceBlob &&blob) : blob(std::move(blob)) {}
  ~Owner() {
    Owners &owners = Owners::get();
    std::lock_guard lock(owners.mutex);
    owners.known.erase(Owners::key(blob));
  }
  const AsmResourceBlob blob;
};

} // namespace

std::shared_ptr<const void>
shareBlob(DialectResourceBlobManager::BlobEntry &entry) {
  AsmResourceBlob *blob = entry.getBlob();
  if (!blob || blob->getData().empty() || !blob->getDeleter())
    return nullptr;
  Owners &owners = Owners::get();
  std::lock_guard lock(owners.mutex);
  std::weak_ptr<Owner> &known = owners.known[Owners::key(*blob)];
  std::shared_ptr<Owner> owner = known.lock();
  if (!owner) {
    // The entry gets an unmanaged blob of the same bytes that is a second
    // owner.
    ArrayRef<char> data = blob->getData();
    size_t alignment = blob->getDataAlignment();
    owner = std::make_shared<Owner>(std::move(*blob));
    known = owner;
    entry.setBlob(UnmanagedAsmResourceBlob::allocateWithAlign(
        data, alignment, [owner](void *, size_t, size_t) {}));
  }
  return {owner, owner->blob.getData().data()};
}

} // namespace shardwright::cpu
