//===- memory.cc - memory of cores and parts of it ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/cores/run/memory.h"

#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/cores/state_primitives.h"
#include "shardwright/support/box_copy.h"

#include <cstring>
#include <limits>

namespace shardwright::frontend::kernels {

void join(Clock &to, const Clock &from) {
  if (to.size() < from.size())
    to.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i)
    to[i] = std::max(to[i], from[i]);
}

int64_t elementBytes(DType type) { return bytesOf(Aval{type, {1}}); }

MemoryPtr allocate(const Aval &type) {
  auto out = std::make_shared<Memory>();
  out->type = type;
  if (type.isSemaphore()) {
    out->counters.resize(type.shape.elements());
    return out;
  }
  const int64_t n = type.shape.elements(), bytes = elementBytes(type.dtype);
  out->owner = allocateHost(std::max<int64_t>(n * bytes, 1));
  if (!out->owner)
    return nullptr;
  out->data = static_cast<std::byte *>(out->owner.get());
  if (!n)
    return out;
  // The first element is set, and copied to the others.
  std::memset(out->data, 0, bytes);
  if (isInexact(type.dtype))
    writeNumber(out->data, type.dtype, 0,
                std::numeric_limits<double>::quiet_NaN());
  else if (isSigned(type.dtype))
    writeInt(out->data, type.dtype, 0,
             std::numeric_limits<int64_t>::min() >>
                 (64 - bitWidth(type.dtype)));
  for (int64_t done = 1; done < n; done *= 2)
    std::memcpy(out->data + done * bytes, out->data,
                std::min(done, n - done) * bytes);
  return out;
}

int64_t Box::elements() const {
  int64_t n = 1;
  for (int64_t size : extent)
    n *= size;
  return n;
}

Expected<Box> resolve(const Aval &type, const View &view,
                      const Ints &positions) {
  Box box;
  box.extent = type.shape;
  box.strides.resize(type.shape.size(), 1);
  for (size_t d = box.strides.size(); d-- > 1;)
    box.strides[d - 1] = box.strides[d] * type.shape[static_cast<int64_t>(d)];
  size_t next = 0;
  for (const Indexer &indexer : view.indexers) {
    Box part;
    part.offset = box.offset;
    for (size_t d = 0; d < indexer.dims.size(); ++d) {
      const DimIndex &dim = indexer.dims[d];
      const int64_t start = dim.isDynamic ? positions[next++] : dim.start;
      const int64_t full = box.extent[d];
      const int64_t count = dim.isSlice ? dim.size : 1;
      // (count - 1) * stride fits: it has been compared with the dimension.
      if (count && (start < 0 || start >= full ||
                    start + (count - 1) * dim.stride >= full))
        return makeError(
            ErrorKind::Index, "positions ", start,
            count > 1 ? cat(" to ", start + (count - 1) * dim.stride) : "",
            " are not inside of dimension ", d, " of size ", full);
      if (count)
        part.offset += start * box.strides[d];
      if (dim.isSlice) {
        part.extent.push_back(dim.size);
        part.strides.push_back(box.strides[d] * dim.stride);
      }
    }
    box = std::move(part);
  }
  return box;
}

static Ints inBytes(const Ints &strides, int64_t width) {
  Ints out = strides;
  for (int64_t &stride : out)
    stride *= width;
  return out;
}

void copyElements(const Memory &to, const Box &toBox, const Memory &from,
                  const Box &fromBox) {
  if (!toBox.elements())
    return;
  const int64_t width = elementBytes(to.type.dtype);
  std::byte *dst = to.data + toBox.offset * width;
  const std::byte *src = from.data + fromBox.offset * width;
  if (dst == src && toBox.strides == fromBox.strides)
    return;
  // The parts may overlap: then the source is read first.
  if (to.data == from.data) {
    const size_t bytes = toBox.elements() * width;
    std::vector<std::byte> all(bytes);
    Memory middle;
    middle.type = to.type;
    middle.data = all.data();
    Box dense = *resolve(Aval{to.type.dtype, Shape(toBox.extent)}, View(), {});
    copyElements(middle, dense, from, fromBox);
    return copyElements(to, toBox, middle, dense);
  }
  cpu::copyBox(dst, inBytes(toBox.strides, width), src,
               inBytes(fromBox.strides, width), toBox.extent, width);
}

Expected<Tensor> read(const Memory &memory, const Box &box) {
  Aval type{memory.type.dtype, Shape(box.extent)};
  std::shared_ptr<void> host =
      allocateHost(std::max<int64_t>(bytesOf(type), 1));
  if (!host)
    return noMemory(type);
  Memory to;
  to.type = type;
  to.data = static_cast<std::byte *>(host.get());
  copyElements(to, *resolve(type, View(), {}), memory, box);
  return arrayOfHost(type, std::move(host));
}

void write(const Memory &memory, const Box &box, const void *elements) {
  Memory from;
  from.type = Aval{memory.type.dtype, Shape(box.extent)};
  // Only read.
  from.data = const_cast<std::byte *>(static_cast<const std::byte *>(elements));
  copyElements(memory, box, from, *resolve(from.type, View(), {}));
}

} // namespace shardwright::frontend::kernels
