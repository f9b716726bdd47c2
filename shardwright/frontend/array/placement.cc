//===- placement.cc - device_put and arrays made of shards ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/array/value.h"

#include "shardwright/runtime/dlpack.h"

#include <map>

namespace shardwright::frontend {

Expected<Aval> typeOn(Aval aval, const Sharding &sharding) {
  aval.weak = false;
  aval.sharding = nullptr;
  aval.onHost = sharding.memoryKind() == "pinned_host";
  const AbstractMesh &mesh = sharding.abstractMesh();
  if (!mesh.anyIs(AxisType::Explicit))
    return aval;
  std::vector<SpecEntry> entries(aval.rank());
  for (int64_t d = 0; d < aval.rank(); ++d)
    for (const std::string &axis : sharding.spec()[d].axes)
      if (mesh.typeOf(axis) == AxisType::Explicit)
        entries[d].axes.push_back(axis);
  auto spec = PartitionSpec::get(entries, sharding.spec().unreduced(),
                                 sharding.spec().reduced());
  if (!spec)
    return spec.error();
  TypeSharding typed{mesh, *spec};
  SW_TRY(checkSizes(aval, typed));
  aval.sharding = std::make_shared<const TypeSharding>(std::move(typed));
  return aval;
}

Tensor shapeDtypeStruct(const Shape &shape, DType type,
                        const Sharding &sharding) {
  SW_TRY(checkShape(shape));
  Aval aval{canonicalType(type), shape};
  if (sharding.isSpecified()) {
    SW_TRY(sharding.checkCompatible(shape));
    SW_TRY(sharding.shardShape(shape));
    Expected<Aval> typed = typeOn(std::move(aval), sharding);
    if (!typed)
      return typed.error();
    aval = *typed;
  }
  auto value = std::make_shared<ArrayValue>(std::move(aval), sharding,
                                            sharding.isSpecified());
  value->isAbstract = true;
  value->state.deleted = true;
  return Tensor(std::shared_ptr<const Value>(std::move(value)));
}

Tensor shapeDtypeStruct(const Shape &shape, DType type, const Format &format) {
  Tensor out = shapeDtypeStruct(shape, type, format.sharding());
  const ArrayValue *array = asArray(out);
  if (!array || !format.layout())
    return out;
  SW_TRY(format.layout()->checkCompatible(shape));
  auto value = std::make_shared<ArrayValue>(array->aval, array->sharding,
                                            array->committed);
  value->isAbstract = true;
  value->state.deleted = true;
  if (!format.layout()->isAuto() && !format.layout()->isRowMajor())
    value->layout = std::make_shared<const Layout>(*format.layout());
  return Tensor(std::shared_ptr<const Value>(std::move(value)));
}

Status checkPut(const Tensor &x, const Sharding &sharding) {
  if (Status fits = sharding.checkCompatible(x.shape()); !fits)
    return valueError("One of device_put args is incompatible with its "
                      "sharding annotation ",
                      sharding.str(), ": ", fits.error().text);
  // JAX makes the type first.
  if (sharding.isSpecified())
    SW_TRY(typeOn(x.aval(), sharding));
  SW_TRY(sharding.shardShape(x.shape()));
  return {};
}

Tensor devicePut(const Tensor &x, const Format &format) {
  if (x.ok() && x.isTraced())
    return putTraced(x, format);
  Tensor placed = devicePut(x, format.sharding());
  if (!placed.ok() || !format.layout())
    return placed;
  const Layout &layout = *format.layout();
  if (layout.isAuto() || !format.sharding().isSpecified())
    return valueError("sharding and layout in `Layout` instance should be "
                      "concrete. Got layout: ",
                      format.str(), " for input ", x.aval().longStr());
  if (Status fits = layout.checkCompatible(x.shape()); !fits)
    return valueError("One of jit outputs with pytree key path result is "
                      "incompatible with its layout annotation ",
                      layout.str(), ": ", fits.error().text);
  const ArrayValue *array = asArray(placed);
  if (layout.isRowMajor() && !array->layout)
    return placed;
  if (x.format() == Format::ofArray(layout, placed.sharding()))
    return x;
  Expected<std::vector<Buffer>> buffers = array->buffersOn(placed.sharding());
  if (!buffers)
    return buffers.error();
  return arrayOfBuffers(
      placed.aval(), placed.sharding(), placed.committed(), std::move(*buffers),
      layout.isRowMajor() ? nullptr : std::make_shared<const Layout>(layout));
}

Tensor devicePut(const Tensor &x, const Sharding &sharding) {
  if (!x.ok())
    return x;
  if (x.isTraced())
    return putTraced(x, sharding, {}, {});
  const ArrayValue *array = asArray(x);
  if (!sharding.isSpecified()) {
    if (array->sharding.isSpecified())
      return x;
    Sharding target = Sharding::single(defaultDevice().value_or(Device{0}));
    Expected<std::vector<Buffer>> buffers = array->buffersOn(target);
    if (!buffers)
      return buffers.error();
    return arrayOfBuffers(x.aval(), target, false, std::move(*buffers));
  }
  if (!sharding.isConcrete())
    return valueError("device_put requires a sharding with a concrete mesh. "
                      "Got ",
                      sharding.str());
  SW_TRY(checkPut(x, sharding));
  if (array->committed && array->sharding == sharding && !array->layout &&
      !x.isDeleted())
    return x;
  Expected<Aval> aval = typeOn(x.aval(), sharding);
  if (!aval)
    return aval.error();
  Expected<std::vector<Buffer>> buffers = array->buffersOn(sharding);
  if (!buffers)
    return buffers.error();
  return arrayOfBuffers(std::move(*aval), sharding, true, std::move(*buffers));
}

/// New buffers with the memory of these, which are deleted.
static Expected<std::vector<Buffer>> takeOver(std::vector<Buffer> buffers) {
  std::vector<Buffer> out;
  for (Buffer &buffer : buffers) {
    llvm::SmallVector<int64_t, 4> shape(buffer.shape());
    Event ready = buffer.ready();
    auto donated = buffer.donate();
    if (!donated)
      return fromLlvm(donated.takeError());
    out.push_back(Buffer(buffer.device(), buffer.memory(), buffer.type(), shape,
                         std::move(donated->storage), std::move(ready)));
  }
  return out;
}

static Expected<std::vector<Buffer>>
copies(const std::vector<Buffer> &buffers) {
  std::vector<Buffer> out;
  for (const Buffer &buffer : buffers) {
    auto copy = buffer.copy();
    if (!copy)
      return fromLlvm(copy.takeError());
    out.push_back(std::move(*copy));
  }
  return out;
}

Tensor devicePut(const Tensor &x, const Sharding &sharding,
                 const DevicePutOptions &options) {
  if (options.donate && options.mayAlias.value_or(false))
    return valueError("may_alias and donate cannot be True at the same time.");
  if (x.isTraced())
    return putTraced(x, sharding, {}, options);
  Tensor placed = devicePut(x, sharding);
  const ArrayValue *array = asArray(placed);
  if (!array || (!options.donate && options.mayAlias.value_or(true)))
    return placed;
  Expected<std::vector<Buffer>> buffers = array->buffersOn(placed.sharding());
  if (!buffers)
    return buffers.error();
  Expected<std::vector<Buffer>> own =
      options.donate ? takeOver(std::move(*buffers)) : copies(*buffers);
  if (!own)
    return own.error();
  if (options.donate)
    SW_TRY(x.remove());
  return arrayOfBuffers(placed.aval(), placed.sharding(), placed.committed(),
                        std::move(*own));
}

Tensor devicePut(const Tensor &x, Device device) {
  if (x.isTraced())
    return putTraced(x, {}, device, {});
  return devicePut(x, Sharding::single(device));
}

Tensor devicePut(const Tensor &x, const PartitionSpec &spec) {
  if (contextMesh().empty())
    return valueError("Please set a mesh via `jax.set_mesh` if a "
                      "PartitionSpec is passed to device_put");
  Expected<Sharding> sharding = Sharding::named(contextMesh(), spec);
  return sharding ? devicePut(x, *sharding) : Tensor(sharding.error());
}

Expected<std::vector<Shard>> addressableShards(const Tensor &x) {
  if (!x.ok())
    return x.error();
  const ArrayValue *array = asArray(x);
  if (!array)
    return typeError("a traced value has no shards");
  const Sharding &sharding = x.sharding();
  Expected<std::vector<Buffer>> buffers = array->buffersOn(sharding);
  if (!buffers)
    return buffers.error();
  std::vector<Shard> out;
  std::map<IndexBox, int64_t> seen;
  for (size_t k = 0; k < buffers->size(); ++k) {
    Shard shard;
    shard.device = sharding.devices()[k];
    shard.index = sharding.boxOf(x.shape(), static_cast<int64_t>(k));
    shard.replicaId = seen[shard.index]++;
    Shape local;
    for (const IndexRange &r : shard.index)
      local.push_back(r.end - r.begin);
    shard.data =
        arrayOfBuffers(x.aval().withShape(local),
                       *Sharding::single(shard.device, sharding.memoryKind()),
                       true, {(*buffers)[k]});
    out.push_back(std::move(shard));
  }
  return out;
}

/// The shape of one shard; an error if the sharding has no devices or does not
/// divide the shape.
static Expected<Shape> shardShapeFor(const char *function, const Shape &shape,
                                     const Sharding &sharding) {
  if (!sharding.isConcrete())
    return typeError(function, " requires a sharding with devices. Got ",
                     sharding.str());
  return sharding.shardShape(shape);
}

/// Checks the type and the shape of one shard of an array.
static Status checkShard(const Tensor &part, DType expected, const Shape &local,
                         const Shape &shape, const Sharding &sharding) {
  if (part.dtype() != expected)
    return valueError("Input buffers to `Array` must have matching dtypes. "
                      "Got ",
                      name(part.dtype()), ", expected ", name(expected),
                      " for buffer: ", part.str());
  if (part.shape() == local)
    return {};
  return valueError("Expected shard shape ", tupleText(local),
                    " doesn't match the single device array shape ",
                    tupleText(part.shape()), ". Shape of Array is ",
                    part.aval().withShape(shape).longStr(), " with sharding ",
                    sharding.str());
}

Tensor
makeArrayFromCallback(const Shape &shape, const Sharding &sharding,
                      const std::function<Tensor(const IndexBox &)> &make) {
  Expected<Shape> local =
      shardShapeFor("makeArrayFromCallback", shape, sharding);
  if (!local)
    return local.error();
  if (!make)
    return typeError("makeArrayFromCallback got a null function");
  SW_TRY(checkShape(shape));
  std::map<IndexBox, Tensor> made;
  std::vector<Buffer> buffers;
  Aval aval;
  for (size_t k = 0; k < sharding.devices().size(); ++k) {
    IndexBox box = sharding.boxOf(shape, static_cast<int64_t>(k));
    auto found = made.find(box);
    if (found == made.end())
      found = made.emplace(box, make(box)).first;
    const Tensor &part = found->second;
    const ArrayValue *array = asArray(part);
    if (!array)
      return part.ok() ? Tensor(typeError("the callback returned a traced "
                                          "value"))
                       : part;
    if (Status fits = checkShard(part, made.begin()->second.dtype(), *local,
                                 shape, sharding);
        !fits)
      return fits.error();
    auto buffer = array->buffersOn(
        *Sharding::single(sharding.devices()[k], sharding.memoryKind()));
    if (!buffer)
      return buffer.error();
    buffers.push_back((*buffer)[0]);
    aval = part.aval();
  }
  Expected<Aval> typed = typeOn(aval.withShape(shape), sharding);
  if (!typed)
    return typed.error();
  return arrayOfBuffers(*typed, sharding, true, std::move(buffers));
}

/// The error that arrays and sharding are on other devices.
static Error devicesDiffer(const std::set<int32_t> &wanted,
                           const std::set<int32_t> &given) {
  auto missing = [](const std::set<int32_t> &of,
                    const std::set<int32_t> &from) {
    std::string out = "{";
    for (int32_t id : of)
      if (!from.count(id))
        out += cat(out.size() > 1 ? ", " : "", id);
    return out + "}";
  };
  return valueError(
      "Addressable devices and per-device arrays devices do not match. "
      "Sharding contains devices ",
      missing(wanted, given),
      " that are not present in per-device arrays. Per-device arrays contain "
      "devices ",
      missing(given, wanted), " that are not present in the sharding.");
}

Tensor makeArrayFromSingleDeviceArrays(const Shape &shape,
                                       const Sharding &sharding,
                                       const Tensors &arrays) {
  Expected<Shape> local =
      shardShapeFor("makeArrayFromSingleDeviceArrays", shape, sharding);
  if (!local)
    return local.error();
  if (const Error *error = errorIn(arrays))
    return *error;
  if (arrays.size() != sharding.devices().size())
    return valueError("Expected ", sharding.devices().size(),
                      " per-device arrays (this is how many devices are "
                      "addressable by the sharding), but got ",
                      arrays.size());
  std::map<int32_t, Buffer> byDevice;
  std::set<int32_t> wanted, given;
  std::vector<Device> places;
  for (const Tensor &part : arrays) {
    const ArrayValue *array = asArray(part);
    if (!array)
      return typeError("makeArrayFromSingleDeviceArrays got a traced value");
    if (part.sharding().devices().size() != 1)
      return valueError("When making an array from single-device arrays the "
                        "input arrays must have one shard each. An argument "
                        "array had ",
                        part.sharding().devices().size(), " shard(s).");
    if (Status fits =
            checkShard(part, arrays[0].dtype(), *local, shape, sharding);
        !fits)
      return fits.error();
    auto buffer = array->buffersOn(part.sharding());
    if (!buffer)
      return buffer.error();
    places.push_back(part.sharding().devices()[0]);
    given.insert(places.back().id);
    byDevice.emplace(places.back().id, (*buffer)[0]);
  }
  if (given.size() != places.size())
    return valueError("When making an array from single-device arrays, the "
                      "input arrays must be from distinct devices, but got "
                      "device IDs ",
                      idsText(places));
  std::vector<Buffer> buffers;
  for (Device d : sharding.devices())
    wanted.insert(d.id);
  if (wanted != given)
    return devicesDiffer(wanted, given);
  for (Device d : sharding.devices())
    buffers.push_back(byDevice.at(d.id));
  Expected<Aval> typed = typeOn(arrays[0].aval().withShape(shape), sharding);
  if (!typed)
    return typed.error();
  return arrayOfBuffers(*typed, sharding, true, std::move(buffers));
}

Tensor makeArrayFromProcessLocalData(const Sharding &sharding,
                                     const Tensor &local,
                                     const std::optional<Shape> &globalShape) {
  if (local.ok() && globalShape && *globalShape != local.shape())
    return valueError("When calling `make_array_from_process_local_data` on a "
                      "single process, global_shape should be None or equal to "
                      "local_data.shape.Got global_shape=",
                      tupleText(*globalShape),
                      " and local_data.shape=", tupleText(local.shape()), ".");
  return devicePut(local, sharding);
}

Expected<DLManagedTensor *> toDLPack(const Tensor &x) {
  if (!x.ok())
    return x.error();
  const ArrayValue *array = asArray(x);
  if (!array)
    return typeError("a traced value cannot be exported");
  if (x.sharding().devices().size() != 1)
    return valueError("toDLPack is supported only for unsharded arrays.");
  auto buffers = array->buffersOn(x.sharding());
  if (!buffers)
    return buffers.error();
  auto exported = shardwright::toDLPack((*buffers)[0]);
  if (!exported)
    return fromLlvm(exported.takeError());
  return *exported;
}

Tensor fromDLPack(DLManagedTensor *tensor) {
  if (!tensor)
    return typeError("fromDLPack got a null tensor");
  auto buffer = shardwright::fromDLPack(tensor, 0, client());
  if (!buffer)
    return fromLlvm(buffer.takeError());
  Aval aval{static_cast<DType>(buffer->type()),
            Shape(Ints(buffer->shape().begin(), buffer->shape().end()))};
  return arrayOfBuffers(std::move(aval), Sharding::single(Device{0}), false,
                        {*buffer});
}

} // namespace shardwright::frontend
