//===- placement.h - where new buffers go, and what they are ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_API_PLACEMENT_H
#define SHARDWRIGHT_PJRT_API_PLACEMENT_H

#include "shardwright/pjrt/api/objects.h"

namespace shardwright::pjrt {

/// Where a new buffer goes.
struct Place {
  std::shared_ptr<PJRT_Client> client;
  MemorySpace *memory = nullptr;

  DeviceId device() const { return memory->device->id(); }
  PJRT_Buffer *add(Buffer buffer, MinorToMajor layout = {}) const {
    return newBuffer(client, memory, std::move(buffer), std::move(layout));
  }
};

/// One of `device` and `memory` says where.
PJRT_Error *findPlace(PJRT_Client *client, PJRT_Device *device,
                      PJRT_Memory *memory, Place &place);

/// Refuses types that we do not have, and shapes that no memory holds. `shape`
/// points to `dims`.
PJRT_Error *readShape(const int64_t *dims, size_t rank, PJRT_Buffer_Type type,
                      ElementType &element, llvm::ArrayRef<int64_t> &shape);

/// Refuses bytes that a buffer does not have.
PJRT_Error *checkRange(const Buffer &buffer, int64_t offset, int64_t size);

/// The layout that a new buffer is to have; `given` may be null.
PJRT_Error *readLayout(const PJRT_Buffer_MemoryLayout *given,
                       llvm::ArrayRef<int64_t> shape, ElementType type,
                       MinorToMajor &layout);

/// A buffer that a client asks for.
struct NewBuffer : Place {
  ElementType type = ElementType::Pred;
  llvm::ArrayRef<int64_t> shape;
  MinorToMajor layout;

  PJRT_Buffer *add(Buffer buffer) const {
    return Place::add(std::move(buffer), layout);
  }
  /// Its elements are to come with `ready`.
  PJRT_Buffer *promise(std::shared_ptr<DeviceStorage> elements,
                       Event ready) const {
    return add(Buffer(device(), memory->kind, type, shape, std::move(elements),
                      std::move(ready)));
  }
};

/// `shape` points into `dims`; `layout` may be null.
PJRT_Error *readNewBuffer(PJRT_Client *client, PJRT_Device *device,
                          PJRT_Memory *memory, const int64_t *dims, size_t rank,
                          PJRT_Buffer_Type type,
                          const PJRT_Buffer_MemoryLayout *layout,
                          NewBuffer &buffer);

/// As the arguments of a function say that names type and shape so.
template <typename Args>
PJRT_Error *readNewBuffer(const Args &args, PJRT_Device *device,
                          NewBuffer &buffer) {
  return readNewBuffer(args.client, device, args.memory, args.shape_dims,
                       args.shape_num_dims, args.shape_element_type,
                       args.shape_layout, buffer);
}

/// Memory for an array, not written yet, that the host can write.
PJRT_Error *allocate(const Place &place, ElementType type,
                     llvm::ArrayRef<int64_t> shape,
                     std::shared_ptr<DeviceStorage> &storage);
/// Stands for memory that nobody looks at.
std::shared_ptr<DeviceStorage> noStorage();

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_API_PLACEMENT_H
