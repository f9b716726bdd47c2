//===- serialize.cc - serialization of executables ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Format: magic, checksum of the rest; format version, name of the backend;
// signature; the program as serialised by its backend.
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/executable.h"
#include "shardwright/support/byte_stream.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

using namespace shardwright;
using cpu::ByteReader;
using cpu::ByteWriter;

/// Increment it with every change of the format.
static constexpr int64_t formatVersion = 7;

static std::string checksum(llvm::StringRef bytes) {
  llvm::BLAKE3 hasher;
  hasher.update(bytes);
  llvm::BLAKE3Result<32> sum = hasher.final<32>();
  return llvm::toStringRef(llvm::ArrayRef<uint8_t>(sum)).str();
}

static void write(ByteWriter &b, const AxisList &axes) {
  b.list(axes, [&](AxisRef axis) {
    b.integer(axis.axis);
    b.integer(axis.preSize);
    b.integer(axis.size);
  });
}

/// Null if the mesh of the axes is unknown.
static AxisList readAxes(ByteReader &b, const Mesh *mesh) {
  AxisList axes;
  b.list(axes, [&] {
    AxisRef axis;
    axis.axis = b.id();
    axis.preSize = b.integer(1, INT64_MAX);
    axis.size = b.integer(1, INT64_MAX);
    if (!mesh || axis.axis < 0 || axis.axis >= mesh->numAxes() ||
        axis.preSize > mesh->axisSize(axis.axis) / axis.size ||
        mesh->axisSize(axis.axis) % (axis.preSize * axis.size) != 0)
      b.fail();
    return axis;
  });
  return axes;
}

static void write(ByteWriter &b, const ValueSpec &spec) {
  b.string(spec.name);
  b.integer(int64_t(spec.type));
  b.integers(spec.shape);
  b.integer(spec.mesh);
  b.list(spec.sharding.dims, [&](const DimSharding &dim) {
    write(b, dim.axes);
    b.integer(dim.isClosed);
    b.integer(dim.priority.has_value());
    b.integer(dim.priority.value_or(0));
  });
  write(b, spec.sharding.replicated);
  write(b, spec.sharding.unreduced);
  b.integer(int64_t(spec.sharding.unreduced.kind));
  b.integer(spec.donated);
  b.integer(spec.aliasedResult);
  b.integer(int64_t(spec.memory));
  b.integer(spec.sizeOf);
  b.integer(spec.sizeOfDim);
}

/// True if each axis shards at most one dimension, and no such axis is also
/// replicated or unreduced.
static bool usesAxesOnce(const TensorSharding &sharding) {
  AxisList seen;
  auto add = [&](const AxisList &axes) {
    return llvm::all_of(axes, [&](AxisRef axis) {
      bool isNew = !overlaps(axis, seen);
      seen.push_back(axis);
      return isNew;
    });
  };
  return llvm::all_of(sharding.dims,
                      [&](const DimSharding &dim) { return add(dim.axes); }) &&
         add(sharding.replicated) && add(sharding.unreduced);
}

static bool isShape(ElementType type, llvm::ArrayRef<int64_t> shape) {
  int64_t bytes = byteWidth(type);
  return llvm::all_of(shape, [&](int64_t size) {
    return size >= 0 &&
           !__builtin_mul_overflow(bytes, std::max<int64_t>(size, 1), &bytes);
  });
}

static ValueSpec readValue(ByteReader &b, llvm::ArrayRef<Mesh> meshes) {
  ValueSpec spec;
  spec.name = b.string().str();
  spec.type = b.integer<ElementType>(0, int64_t(ElementType::C128));
  b.integers(spec.shape);
  spec.mesh = b.integer<int32_t>(-1, int64_t(meshes.size()) - 1);
  const Mesh *mesh = spec.mesh < 0 ? nullptr : &meshes[spec.mesh];
  b.list(spec.sharding.dims, [&] {
    DimSharding dim;
    dim.axes = readAxes(b, mesh);
    dim.isClosed = b.boolean();
    bool hasPriority = b.boolean();
    int64_t priority = b.integer();
    if (hasPriority)
      dim.priority = priority;
    return dim;
  });
  spec.sharding.replicated = readAxes(b, mesh);
  spec.sharding.unreduced = readAxes(b, mesh);
  spec.sharding.unreduced.kind =
      b.integer<ReductionKind>(0, int64_t(ReductionKind::Min));
  spec.donated = b.boolean();
  spec.aliasedResult = b.id();
  spec.memory = b.integer<MemoryKind>(0, int64_t(MemoryKind::UnpinnedHost));
  spec.sizeOf = b.id();
  spec.sizeOfDim = b.id();
  if (!isShape(spec.type, spec.shape) || !usesAxesOnce(spec.sharding))
    b.fail();
  return spec;
}

static void write(ByteWriter &b, const Mesh &mesh) {
  b.list(mesh.axes(), [&](const MeshAxis &axis) {
    b.string(axis.name);
    b.integer(axis.size);
  });
  b.integers(mesh.deviceIds());
}

static Mesh readMesh(ByteReader &b) {
  llvm::SmallVector<MeshAxis, 4> axes;
  llvm::SmallVector<int64_t, 0> ids;
  b.list(axes, [&] {
    std::string name = b.string().str();
    return MeshAxis{std::move(name), b.integer(1, int64_t(1) << 40)};
  });
  b.integers(ids);
  int64_t devices = 1;
  if (!Mesh::numDevicesOverflows(axes))
    for (const MeshAxis &axis : axes)
      devices *= axis.size;
  else
    b.fail();
  // A maximal mesh has one id; other ids are a permutation of the devices.
  if (!ids.empty() && (int64_t(ids.size()) != devices))
    b.fail();
  for (auto [i, axis] : llvm::enumerate(axes))
    for (const MeshAxis &other : llvm::ArrayRef(axes).take_front(i))
      if (other.name == axis.name)
        b.fail();
  if (axes.empty() && !ids.empty() && (ids[0] < 0 || ids[0] > INT32_MAX))
    b.fail();
  if (!axes.empty() && !ids.empty()) {
    std::vector<bool> seen(ids.size());
    for (int64_t id : ids) {
      if (id < 0 || id >= devices || seen[id]) {
        b.fail();
        break;
      }
      seen[id] = true;
    }
  }
  return b.failed() ? Mesh() : Mesh(std::move(axes), std::move(ids));
}

llvm::Expected<std::string> Executable::serialize() const {
  llvm::Expected<std::string> program = parts.program->serialize();
  if (!program)
    return program.takeError();
  ByteWriter b;
  b.integer(formatVersion);
  b.string(parts.program->backendName());
  b.list(parts.meshes, [&](const Mesh &mesh) { write(b, mesh); });
  for (auto *values : {&parts.arguments, &parts.results})
    b.list(*values, [&](const ValueSpec &spec) { write(b, spec); });
  b.string(parts.notes);
  std::string body = b.take() + *program;
  return fileMagic.str() + checksum(body) + body;
}

llvm::Expected<std::unique_ptr<Executable>>
Executable::deserialize(llvm::StringRef bytes, Backend &backend) {
  auto fail = [](const llvm::Twine &why) {
    return llvm::createStringError("the executable cannot be loaded: " + why);
  };
  if (!bytes.consume_front(fileMagic))
    return fail("these bytes are not an executable of shardwright");
  constexpr size_t sumBytes = 32;
  llvm::StringRef sum = bytes.take_front(sumBytes);
  llvm::StringRef body = bytes.drop_front(sum.size());
  if (sum != checksum(body))
    return fail("it is damaged: its checksum differs");
  ByteReader b(body);
  if (int64_t version = b.integer(); version != formatVersion)
    return fail("its format is version " + llvm::Twine(version) +
                ", this library reads version " + llvm::Twine(formatVersion) +
                "; compile it again");
  if (llvm::StringRef name = b.string(); name != backend.name())
    return fail("it is for backend '" + name + "', and this one is '" +
                backend.name() + "'");
  ExecutableParts parts;
  b.list(parts.meshes, [&] { return readMesh(b); });
  for (auto *values : {&parts.arguments, &parts.results})
    b.list(*values, [&] { return readValue(b, parts.meshes); });
  parts.notes = b.string().str();
  if (b.failed())
    return fail("its signature is damaged");
  llvm::Expected<std::shared_ptr<LoadedProgram>> program =
      backend.load(b.takeRest());
  if (!program)
    return fail(llvm::toString(program.takeError()));
  parts.program = std::move(*program);
  auto executable = create(std::move(parts));
  if (!executable)
    return fail(llvm::toString(executable.takeError()));
  return executable;
}
