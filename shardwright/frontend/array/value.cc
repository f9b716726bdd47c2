//===- value.cc - what a Tensor points to ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/array/value.h"

#include "shardwright/frontend/mesh/device_check.h"
#include "shardwright/frontend/mesh/run_waits.h"
#include "shardwright/pjrt_abi/error_codes.h"
#include "shardwright/runtime/client.h"
#include "shardwright/support/host_memory.h"
#include "shardwright/support/narrow_float.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <map>

namespace shardwright::frontend {

Value::~Value() = default;

Error fromLlvm(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  if (std::optional<pjrt::CodedText> found = pjrt::findCode(text))
    text = cat(std::string_view(pjrt::codeName(found->code)), ": ",
               found->message);
  return makeError(ErrorKind::Runtime, text);
}
ElementType elementTypeOf(DType type) {
  if (isWithoutElements(type))
    return ElementType::Pred;
  return type == DType::Key ? ElementType::U32 : static_cast<ElementType>(type);
}
int64_t bytesOf(const Aval &aval) {
  int64_t bytes = byteWidth(aval.dtype);
  bool isTooLarge = false;
  for (int64_t size : aval.shape) {
    if (size <= 0)
      return 0;
    isTooLarge = isTooLarge || __builtin_mul_overflow(bytes, size, &bytes);
  }
  return isTooLarge ? INT64_MAX : bytes;
}

std::shared_ptr<void> allocateHost(int64_t bytes) {
  // No machine has more, and sums of such sizes do not overflow.
  constexpr int64_t most = int64_t(1) << 48;
  return bytes > most ? nullptr
                      : cpu::allocateHost(std::max<int64_t>(bytes, 1));
}

template <typename T> static T get(const void *data, int64_t i) {
  T v;
  std::memcpy(&v, static_cast<const char *>(data) + i * sizeof(T), sizeof(T));
  return v;
}
template <typename T> static void put(void *data, int64_t i, T v) {
  std::memcpy(static_cast<char *>(data) + i * sizeof(T), &v, sizeof(T));
}

int64_t readInt(const void *data, DType type, int64_t i) {
  switch (type) {
  case DType::Bool:
  case DType::U2:
  case DType::U4:
  case DType::U8:
    return get<uint8_t>(data, i);
  case DType::I2:
  case DType::I4:
  case DType::I8:
    return get<int8_t>(data, i);
  case DType::I16:
    return get<int16_t>(data, i);
  case DType::U16:
    return get<uint16_t>(data, i);
  case DType::I32:
    return get<int32_t>(data, i);
  case DType::U32:
    return get<uint32_t>(data, i);
  case DType::I64:
  case DType::U64:
    return get<int64_t>(data, i);
  case DType::Key:
    return get<uint32_t>(data, 2 * i);
  case DType::Float0:
  case DType::Token:
    return 0;
  default:
    return static_cast<int64_t>(readDouble(data, type, i));
  }
}

double readDouble(const void *data, DType type, int64_t i) {
  switch (type) {
  case DType::F32:
    return get<float>(data, i);
  case DType::F64:
    return get<double>(data, i);
  case DType::C64:
    return get<std::complex<float>>(data, i).real();
  case DType::C128:
    return get<std::complex<double>>(data, i).real();
  case DType::U64:
    return static_cast<double>(get<uint64_t>(data, i));
  default:
    if (isFloat(type))
      return elementAsDouble(elementTypeOf(type), data, i);
    return static_cast<double>(readInt(data, type, i));
  }
}

double readImag(const void *data, DType type, int64_t i) {
  if (type == DType::C64)
    return get<std::complex<float>>(data, i).imag();
  return type == DType::C128 ? get<std::complex<double>>(data, i).imag() : 0;
}

void writeInt(void *data, DType type, int64_t i, int64_t v) {
  if (isWithoutElements(type))
    return;
  if (type == DType::Key) {
    put<uint32_t>(data, 2 * i, 0);
    return put<uint32_t>(data, 2 * i + 1, static_cast<uint32_t>(v));
  }
  switch (byteWidth(type)) {
  case 1:
    if (isInteger(type) || type == DType::Bool)
      return put<int8_t>(data, i, type == DType::Bool ? v != 0 : v);
    break;
  case 2:
    if (isInteger(type))
      return put<int16_t>(data, i, v);
    break;
  case 4:
    if (isInteger(type))
      return put<int32_t>(data, i, v);
    break;
  default:
    if (isInteger(type))
      return put<int64_t>(data, i, v);
  }
  writeNumber(data, type, i, static_cast<double>(v));
}

void writeNumber(void *data, DType type, int64_t i, double v, double imag) {
  if (type == DType::F32)
    return put<float>(data, i, static_cast<float>(v));
  if (type == DType::F64)
    return put<double>(data, i, v);
  if (type == DType::C64)
    return put<std::complex<float>>(
        data, i, {static_cast<float>(v), static_cast<float>(imag)});
  if (type == DType::C128)
    return put<std::complex<double>>(data, i, {v, imag});
  if (type == DType::Bool)
    return put<uint8_t>(data, i, v != 0);
  if (!isFloat(type)) {
    double limit = 9.2e18;
    return writeInt(data, type, i,
                    std::isnan(v) ? 0
                                  : static_cast<int64_t>(
                                        std::min(limit, std::max(-limit, v))));
  }
  auto narrow = static_cast<float>(v);
  if (type == DType::BF16)
    put<uint16_t>(data, i, floatToBf16(narrow));
  else if (type == DType::F16)
    put<uint16_t>(data, i, floatToF16(narrow));
  else
    put<uint8_t>(data, i, floatToF8(elementTypeOf(type), narrow));
}

Error noMemory(const Aval &aval) {
  return makeError(ErrorKind::Runtime, "array ", aval.longStr(),
                   ": not enough memory, ", bytesOf(aval), " bytes");
}

Error ArrayValue::deletedError() const {
  if (isAbstract)
    return typeError("Argument of shape ", aval.longStr(),
                     " of type <class 'jax.ShapeDtypeStruct'> is not a valid "
                     "JAX type. It has no elements: only `trace` and `lower` "
                     "take it");
  return makeError(ErrorKind::Runtime,
                   "Array has been deleted with shape=", aval.longStr(), ".");
}

/// Copies the dense elements of a box between a global array and a shard.
static void copyBox(const char *from, char *to, const Shape &shape,
                    const IndexBox &box, int64_t width, bool toGlobal) {
  int64_t rank = shape.rank();
  if (rank == 0) {
    std::memcpy(to, from, width);
    return;
  }
  int64_t run = (box[rank - 1].end - box[rank - 1].begin) * width;
  Ints index(rank - 1);
  int64_t local = 0;
  for (const IndexRange &r : box)
    if (r.end <= r.begin)
      return;
  while (true) {
    int64_t offset = 0;
    for (int64_t d = 0; d < rank - 1; ++d)
      offset = (offset + box[d].begin + index[d]) * shape[d + 1];
    offset = (offset + box[rank - 1].begin) * width;
    if (toGlobal)
      std::memcpy(to + offset, from + local, run);
    else
      std::memcpy(to + local, from + offset, run);
    local += run;
    int64_t d = rank - 2;
    while (d >= 0 && ++index[d] == box[d].end - box[d].begin)
      index[d--] = 0;
    if (d < 0)
      return;
  }
}

/// The error that the shards are terms of a sum.
static Error partsError(const Aval &aval, const Sharding &sharding) {
  return notImplemented("reading or moving an array of type ", aval.longStr(),
                        " whose shards are partial sums, with sharding ",
                        sharding.str(),
                        ". Reshard it inside jit to a spec without unreduced "
                        "axes first.");
}

Expected<std::shared_ptr<const void>> ArrayValue::host() const {
  std::vector<Buffer> buffers;
  {
    std::lock_guard lock(mutex);
    if (state.deleted)
      return deletedError();
    if (state.host)
      return state.host;
    buffers = state.buffers;
  }
  if (!sharding.spec().unreduced().empty())
    return partsError(aval, sharding);
  for (const Buffer &buffer : buffers)
    SW_TRY(detail::checkWait(buffer.ready()));
  std::shared_ptr<const void> result;
  if (sharding.isFullyReplicated() || buffers.size() == 1) {
    auto data = buffers.front().await();
    if (!data)
      return fromLlvm(data.takeError());
    result = *data;
  } else {
    std::shared_ptr<void> all = allocateHost(bytesOf(aval));
    if (!all)
      return noMemory(aval);
    std::set<IndexBox> done;
    for (size_t k = 0; k < buffers.size(); ++k) {
      IndexBox box = sharding.boxOf(aval.shape, static_cast<int64_t>(k));
      if (!done.insert(box).second)
        continue;
      auto data = buffers[k].await();
      if (!data)
        return fromLlvm(data.takeError());
      copyBox(static_cast<const char *>(data->get()),
              static_cast<char *>(all.get()), aval.shape, box,
              byteWidth(aval.dtype), /*toGlobal=*/true);
    }
    result = all;
  }
  std::lock_guard lock(mutex);
  state.host = result;
  return result;
}

static Expected<std::vector<Buffer>> putShard(const char *data,
                                              const Aval &aval,
                                              const IndexBox &box,
                                              Device device) {
  llvm::SmallVector<int64_t, 4> local;
  int64_t elements = 1;
  for (const IndexRange &r : box) {
    local.push_back(r.end - r.begin);
    elements *= local.back();
  }
  int64_t width = byteWidth(aval.dtype);
  if (aval.dtype == DType::Key)
    local.push_back(2);
  bool isEmpty = isWithoutElements(aval.dtype);
  std::shared_ptr<void> copy =
      allocateHost(isEmpty ? elements : elements * width);
  if (!copy)
    return noMemory(aval);
  if (isEmpty && elements)
    std::memset(copy.get(), 0, elements);
  copyBox(data, static_cast<char *>(copy.get()), aval.shape, box, width,
          /*toGlobal=*/false);
  auto buffer = client().adoptHost(std::move(copy), elementTypeOf(aval.dtype),
                                   local, device.id);
  if (!buffer)
    return fromLlvm(buffer.takeError());
  return std::vector<Buffer>{std::move(*buffer)};
}

Status ArrayValue::appendBuffers(const Sharding &target,
                                 llvm::SmallVectorImpl<Buffer> &to) const {
  {
    std::lock_guard lock(mutex);
    if (!state.deleted && !state.buffers.empty() && target == sharding) {
      to.append(state.buffers.begin(), state.buffers.end());
      return {};
    }
  }
  Expected<std::vector<Buffer>> buffers = buffersOn(target);
  if (!buffers)
    return buffers.error();
  to.append(buffers->begin(), buffers->end());
  return {};
}

Expected<std::vector<Buffer>>
ArrayValue::buffersOn(const Sharding &target) const {
  const MemoryKind memory =
      memoryKindNamed(target.memoryKind()).value_or(MemoryKind::Device);
  {
    std::lock_guard lock(mutex);
    if (state.deleted)
      return deletedError();
    if (!state.buffers.empty() &&
        (target == sharding || target.isEquivalentTo(sharding, aval.rank())))
      return state.buffers;
    SW_TRY(checkDevices(target.devices()));
    // The same parts on other devices.
    if (!state.buffers.empty() &&
        target.devices().size() == state.buffers.size() &&
        target.tileKey(aval.rank()) == sharding.tileKey(aval.rank())) {
      std::vector<Buffer> moved;
      for (size_t k = 0; k < state.buffers.size(); ++k) {
        auto buffer = state.buffers[k].on(target.devices()[k].id, memory);
        if (!buffer)
          return fromLlvm(buffer.takeError());
        moved.push_back(std::move(*buffer));
      }
      return moved;
    }
  }
  if (!target.spec().unreduced().empty())
    return notImplemented("placing an array with sharding ", target.str(),
                          ", whose shards are partial sums. Use reshard or "
                          "out_sharding inside jit.");
  SW_TRY(target.shardShape(aval.shape));
  Expected<std::shared_ptr<const void>> data = host();
  if (!data)
    return data.error();
  std::vector<Buffer> out;
  std::map<IndexBox, Buffer> made;
  for (size_t k = 0; k < target.devices().size(); ++k) {
    IndexBox box = target.boxOf(aval.shape, static_cast<int64_t>(k));
    auto found = made.find(box);
    if (found == made.end()) {
      Expected<std::vector<Buffer>> buffer =
          putShard(static_cast<const char *>(data->get()), aval, box,
                   target.devices()[k]);
      if (!buffer)
        return buffer.error();
      found = made.emplace(box, (*buffer)[0]).first;
    }
    auto buffer = found->second.on(target.devices()[k].id, memory);
    if (!buffer)
      return fromLlvm(buffer.takeError());
    out.push_back(std::move(*buffer));
  }
  return out;
}

Tensor arrayOfBuffers(Aval aval, const Sharding &sharding, bool committed,
                      std::vector<Buffer> buffers,
                      std::shared_ptr<const Layout> layout) {
  auto value =
      std::make_shared<ArrayValue>(std::move(aval), sharding, committed);
  value->state.buffers = std::move(buffers);
  value->layout = std::move(layout);
  return Tensor(std::shared_ptr<const Value>(std::move(value)));
}

Tensor arrayOfHost(Aval aval, std::shared_ptr<const void> data,
                   bool isLiteral) {
  // A default device that the program chose places the array; others are placed
  // where they are needed.
  std::optional<Device> chosen = defaultDevice();
  auto value = std::make_shared<ArrayValue>(
      std::move(aval),
      chosen && !isLiteral ? Sharding::single(*chosen) : Sharding(), false);
  value->state.host = std::move(data);
  value->isLiteral = isLiteral;
  return Tensor(std::shared_ptr<const Value>(std::move(value)));
}

} // namespace shardwright::frontend
