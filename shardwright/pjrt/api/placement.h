//===- placement.h - placement of new buffers -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_API_PLACEMENT_H
#define SHARDWRIGHT_PJRT_API_PLACEMENT_H

#include "shardwright/pjrt/api/objects.h"

namespace shardwright::pjrt {

/// The location of a new buffer.
struct Place {
  std::shared_ptr<PJRT_Client> client;
  MemorySpace *memory = nullptr;

  DeviceId device() const { return memory->device->id(); }
  PJRT_Buffer *add(Buffer buffer, MinorToMajor layout = {}) const {
    return newBuffer(client, memory, std::move(buffer), std::move(layout));
  }
};

/// Finds the place that one of `device` and `memory` specifies.
PJRT_Error *findPlace(PJRT_Client *client, PJRT_Device *device,
                      PJRT_Memory *memory, Place &place);

/// Rejects unsupported types, and shapes that are too large. `shape` points to
/// `dims`.
PJRT_Error *readShape(const int64_t *dims, size_t rank, PJRT_Buffer_Type type,
                      ElementType &element, llvm::ArrayRef<int64_t> &shape);

/// Rejects bytes outside the buffer.
PJRT_Error *checkRange(const Buffer &buffer, int64_t offset, int64_t size);

/// Reads the layout of a new buffer; `given` may be null.
PJRT_Error *readLayout(const PJRT_Buffer_MemoryLayout *given,
                       llvm::ArrayRef<int64_t> shape, ElementType type,
                       MinorToMajor &layout);

/// Properties of a buffer that a client requests.
struct NewBuffer : Place {
  ElementType type = ElementType::Pred;
  llvm::ArrayRef<int64_t> shape;
  MinorToMajor layout;

  PJRT_Buffer *add(Buffer buffer) const {
    return Place::add(std::move(buffer), layout);
  }
  /// A buffer whose elements arrive with `ready`.
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

/// Reads the arguments of functions that name type and shape in this way.
template <typename Args>
PJRT_Error *readNewBuffer(const Args &args, PJRT_Device *device,
                          NewBuffer &buffer) {
  return readNewBuffer(args.client, device, args.memory, args.shape_dims,
                       args.shape_num_dims, args.shape_element_type,
                       args.shape_layout, buffer);
}

/// Allocates uninitialised memory for an array that the host can write.
PJRT_Error *allocate(const Place &place, ElementType type,
                     llvm::ArrayRef<int64_t> shape,
                     std::shared_ptr<DeviceStorage> &storage);
/// A placeholder for memory that is never accessed.
std::shared_ptr<DeviceStorage> noStorage();

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_API_PLACEMENT_H
