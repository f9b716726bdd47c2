//===- dlpack.cc - buffers shared with other libraries --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/dlpack.h"

#include "shardwright/runtime/array.h"
#include "shardwright/support/box_copy.h"
#include "shardwright/support/host_memory.h"
#include "shardwright/support/packed_elements.h"
#include "shardwright/support/shape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <dlpack/dlpack.h>

using namespace shardwright;

// Type codes of DLPack 0.8, and 1.1 for floats of 8 and 4 bits.
static constexpr uint8_t boolCode = 6, f8E3M4Code = 7, f8E4M3Code = 8,
                         f8E4M3B11FNUZCode = 9, f8E4M3FNCode = 10,
                         f8E4M3FNUZCode = 11, f8E5M2Code = 12,
                         f8E5M2FNUZCode = 13, f8E8M0FNUCode = 14,
                         f4E2M1FNCode = 17;

static constexpr struct {
  ElementType type;
  uint8_t code, bits;
} typeTable[] = {
    {ElementType::Pred, boolCode, 8},
    {ElementType::S8, kDLInt, 8},
    {ElementType::S16, kDLInt, 16},
    {ElementType::S32, kDLInt, 32},
    {ElementType::S64, kDLInt, 64},
    {ElementType::U8, kDLUInt, 8},
    {ElementType::U16, kDLUInt, 16},
    {ElementType::U32, kDLUInt, 32},
    {ElementType::U64, kDLUInt, 64},
    {ElementType::F16, kDLFloat, 16},
    {ElementType::BF16, kDLBfloat, 16},
    {ElementType::F32, kDLFloat, 32},
    {ElementType::F64, kDLFloat, 64},
    {ElementType::C64, kDLComplex, 64},
    {ElementType::C128, kDLComplex, 128},
    {ElementType::F8E3M4, f8E3M4Code, 8},
    {ElementType::F8E4M3, f8E4M3Code, 8},
    {ElementType::F8E4M3B11FNUZ, f8E4M3B11FNUZCode, 8},
    {ElementType::F8E4M3FN, f8E4M3FNCode, 8},
    {ElementType::F8E4M3FNUZ, f8E4M3FNUZCode, 8},
    {ElementType::F8E5M2, f8E5M2Code, 8},
    {ElementType::F8E5M2FNUZ, f8E5M2FNUZCode, 8},
    {ElementType::F8E8M0FNU, f8E8M0FNUCode, 8},
    {ElementType::F4E2M1FN, f4E2M1FNCode, 4},
};

/// A copy in which elements share bytes, or in which each has its own. Null
/// without memory.
static std::shared_ptr<void> packed(const void *elements, int64_t n, int bits) {
  std::shared_ptr<void> out =
      cpu::allocateHost(std::max<int64_t>(packedBytes(n, bits), 1));
  if (out)
    packElements(elements, n, bits, out.get());
  return out;
}
static std::shared_ptr<void> unpacked(const void *bytes, int64_t n, int bits) {
  std::shared_ptr<void> out = cpu::allocateHost(std::max<int64_t>(n, 1));
  if (out)
    unpackElements(bytes, n, bits, /*isSigned=*/false, out.get());
  return out;
}

namespace {
/// A tensor and the memory that it points to.
struct Exported {
  DLManagedTensor tensor;
  std::shared_ptr<const void> memory;
  llvm::SmallVector<int64_t, 4> shape, strides;
};
} // namespace

llvm::Expected<DLManagedTensor *> shardwright::toDLPack(const Buffer &buffer) {
  auto row = llvm::find_if(
      typeTable, [&](const auto &row) { return row.type == buffer.type(); });
  if (row == std::end(typeTable))
    return llvm::createStringError("DLPack has no type for elements of " +
                                   str(buffer.type()));
  auto memory = buffer.await();
  if (!memory)
    return memory.takeError();
  auto *out = new Exported();
  out->memory = std::move(*memory);
  if (row->bits < 8)
    out->memory = packed(out->memory.get(), product(buffer.shape()), row->bits);
  if (!out->memory) {
    delete out;
    return llvm::createStringError("not enough memory for a packed copy");
  }
  out->shape.assign(buffer.shape().begin(), buffer.shape().end());
  out->strides = cpu::rowMajorStrides(buffer.shape(), 1);
  DLTensor &t = out->tensor.dl_tensor;
  t.data = const_cast<void *>(out->memory.get());
  t.device = {kDLCPU, 0};
  t.ndim = out->shape.size();
  t.dtype = {row->code, row->bits, 1};
  t.shape = out->shape.data();
  t.strides = out->strides.data();
  t.byte_offset = 0;
  out->tensor.manager_ctx = out;
  out->tensor.deleter = [](DLManagedTensor *self) {
    delete static_cast<Exported *>(self->manager_ctx);
  };
  return &out->tensor;
}

llvm::Expected<Buffer> shardwright::fromDLPack(DLManagedTensor *tensor,
                                               DeviceId device,
                                               Client &client) {
  const DLTensor &t = tensor->dl_tensor;
  if (t.device.device_type != kDLCPU && t.device.device_type != kDLCUDAHost)
    return llvm::createStringError(
        "the tensor is in memory of DLPack device type " +
        llvm::Twine(int(t.device.device_type)) +
        ", only CPU memory is supported");
  auto row = llvm::find_if(typeTable, [&](const auto &row) {
    return row.code == t.dtype.code && row.bits == t.dtype.bits;
  });
  if (row == std::end(typeTable) || t.dtype.lanes != 1)
    return llvm::createStringError("no element type for DLPack code " +
                                   llvm::Twine(int(t.dtype.code)) + " of " +
                                   llvm::Twine(int(t.dtype.bits)) + " bits, " +
                                   llvm::Twine(t.dtype.lanes) + " lanes");
  if (t.ndim < 0 || (t.ndim > 0 && !t.shape))
    return llvm::createStringError(
        "the tensor has no shape, and " + llvm::Twine(t.ndim) +
        " dimensions: its producer must give a size for each");
  llvm::ArrayRef<int64_t> shape(t.shape, t.ndim);
  int64_t width = byteWidth(row->type), elements = 1;
  for (int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(elements, size, &elements))
      return llvm::createStringError("the tensor's shape has no size");
  void *data = static_cast<char *>(t.data) + t.byte_offset;
  llvm::SmallVector<int64_t, 4> strides;
  for (int64_t d = 0; t.strides && d < t.ndim; ++d)
    strides.push_back(t.strides[d] * width);
  HostArray array{data, row->type, shape, strides};
  auto release = [tensor] {
    if (tensor->deleter)
      tensor->deleter(tensor);
  };
  if (row->bits < 8) {
    if (!array.isDense())
      return llvm::createStringError("a tensor of " + str(row->type) +
                                     " must be dense and row-major");
    std::shared_ptr<void> elementsOfBytes = unpacked(data, elements, row->bits);
    if (!elementsOfBytes)
      return llvm::createStringError("not enough memory for the tensor");
    auto copy = client.copyFromHost(
        HostArray{elementsOfBytes.get(), row->type, shape}, device);
    if (copy)
      release();
    return copy;
  }
  if (array.isDense())
    return client.viewHost(array, device, release);
  auto copy = client.copyFromHost(array, device);
  if (copy)
    release();
  return copy;
}
