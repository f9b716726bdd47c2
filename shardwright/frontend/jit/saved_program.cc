//===- saved_program.cc - compiled programs as bytes ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/saved_program.h"

#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/jit/compile_module.h"
#include "shardwright/frontend/jit/compiled_program.h"
#include "shardwright/frontend/jit/module_context.h"
#include "shardwright/support/byte_stream.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

#include <map>

namespace shardwright::frontend {
namespace {

constexpr llvm::StringLiteral kMagic = "shardwright front end program\n";
constexpr int64_t kVersion = 2;

class Writer {
public:
  cpu::ByteWriter bytes;

  void names(const AxisNames &list) {
    bytes.list(list, [&](const std::string &name) { bytes.string(name); });
  }
  void set(const std::set<std::string> &list) {
    names(AxisNames(list.begin(), list.end()));
  }
  void bits(const std::vector<bool> &list) {
    bytes.list(list, [&](bool bit) { bytes.integer(bit); });
  }
  void devices(const std::vector<Device> &list) {
    bytes.list(list, [&](Device d) { bytes.integer(d.id); });
  }
  void mesh(const AbstractMesh &mesh) {
    bytes.integers(mesh.sizes());
    names(mesh.names());
    bytes.integers(mesh.types());
    bytes.integer(mesh.device().has_value());
    if (const auto &device = mesh.device()) {
      bytes.string(device->deviceKind);
      bytes.integer(device->numCores.value_or(-1));
      bytes.string(device->platform);
    }
  }
  void spec(const PartitionSpec &spec) {
    bytes.list(spec.entries(), [&](const SpecEntry &entry) {
      bytes.integer(entry.unconstrained);
      names(entry.axes);
    });
    set(spec.unreduced());
    set(spec.reduced());
  }
  void sharding(const Sharding &s) {
    bytes.integer(static_cast<int64_t>(s.kind()));
    if (!s.isSpecified())
      return;
    devices(s.devices());
    bytes.string(s.memoryKind());
    if (!s.isNamed())
      return;
    mesh(s.abstractMesh());
    spec(s.spec());
  }
  /// Row-major ones are null.
  void layout(const std::shared_ptr<const Layout> &layout) {
    bytes.integer(layout != nullptr);
    if (layout)
      bytes.integers(layout->majorToMinor());
  }
  void aval(const Aval &aval) {
    bytes.integer(static_cast<int64_t>(aval.dtype));
    bytes.integers(aval.shape);
    bytes.integer(aval.weak);
    bytes.integer(aval.onHost);
    names(aval.varying);
    bytes.integer(aval.sharding != nullptr);
    if (aval.sharding) {
      mesh(aval.sharding->mesh);
      spec(aval.sharding->spec);
    }
  }
};

/// Reads what Writer wrote. After the first problem `error` is set, or
/// `bytes.failed()`, and what is read means nothing.
class Reader {
public:
  Reader(llvm::StringRef input, const std::vector<Device> &given)
      : bytes(input), given(given) {}
  cpu::ByteReader bytes;
  std::optional<Error> error;
  std::map<int32_t, Device> newDevices; ///< by the number in the bytes

  AxisNames names() {
    AxisNames out;
    bytes.list(out, [&] { return bytes.string().str(); });
    return out;
  }
  std::set<std::string> set() {
    AxisNames list = names();
    return {list.begin(), list.end()};
  }
  std::vector<bool> bits() {
    std::vector<bool> out;
    bytes.list(out, [&] { return bytes.boolean(); });
    return out;
  }
  std::vector<Device> rawDevices() {
    std::vector<Device> out;
    bytes.list(out, [&] { return Device{bytes.id()}; });
    return out;
  }
  /// The list of devices that the program runs on; further lists consist of
  /// these devices.
  std::vector<Device> programDevices() {
    std::vector<Device> old = rawDevices();
    const std::vector<Device> &now = given.empty() ? old : given;
    if (bytes.failed())
      return {};
    if (now.size() != old.size()) {
      fail(valueError("The program was compiled for ", old.size(),
                      " devices, but ", now.size(), " are given"));
      return {};
    }
    int32_t available = static_cast<int32_t>(frontend::devices().size());
    for (size_t k = 0; k < old.size(); ++k) {
      if (now[k].id < 0 || now[k].id >= available)
        fail(valueError("The program runs on device ", now[k].id,
                        ", but the process has ", available,
                        " devices; setDeviceCount makes more, and loadProgram "
                        "takes a list of others"));
      newDevices[old[k].id] = now[k];
    }
    return now;
  }
  std::vector<Device> devices() {
    std::vector<Device> out = rawDevices();
    for (Device &d : out) {
      auto found = newDevices.find(d.id);
      if (found == newDevices.end())
        bytes.fail();
      else
        d = found->second;
    }
    return out;
  }
  template <typename T> T take(Expected<T> value) {
    if (!value)
      fail(value.error());
    return *value;
  }
  void fail(Error e) {
    if (!error && !bytes.failed())
      error = std::move(e);
    bytes.fail();
  }
  struct MeshParts {
    Ints sizes;
    AxisNames names;
    std::vector<AxisType> types;
    std::optional<AbstractDevice> device;
  };
  MeshParts meshParts() {
    MeshParts out;
    bytes.integers(out.sizes);
    out.names = names();
    bytes.list(out.types, [&] { return bytes.integer<AxisType>(0, 2); });
    if (!bytes.boolean())
      return out;
    out.device.emplace();
    out.device->deviceKind = bytes.string().str();
    int64_t cores = bytes.integer();
    if (cores >= 0)
      out.device->numCores = cores;
    out.device->platform = bytes.string().str();
    return out;
  }
  PartitionSpec spec() {
    std::vector<SpecEntry> entries;
    bytes.list(entries, [&] {
      SpecEntry entry;
      entry.unconstrained = bytes.boolean();
      entry.axes = names();
      return entry;
    });
    std::set<std::string> unreduced = set(), reduced = set();
    return take(PartitionSpec::get(entries, unreduced, reduced));
  }
  Sharding sharding() {
    auto kind = bytes.integer<Sharding::Kind>(0, 2);
    if (kind == Sharding::Kind::Unspecified)
      return {};
    std::vector<Device> list = devices();
    std::string memory = bytes.string().str();
    if (kind == Sharding::Kind::SingleDevice) {
      if (list.size() != 1)
        bytes.fail();
      return bytes.failed() ? Sharding()
                            : take(Sharding::single(list[0], memory));
    }
    MeshParts parts = meshParts();
    PartitionSpec partition = spec();
    if (bytes.failed())
      return {};
    Mesh mesh = take(Mesh::get(list, parts.sizes, parts.names, parts.types));
    return take(Sharding::named(mesh, partition, memory));
  }
  std::shared_ptr<const Layout> layout() {
    if (!bytes.boolean())
      return nullptr;
    Ints order;
    bytes.integers(order);
    return std::make_shared<const Layout>(std::move(order));
  }
  Aval aval() {
    Aval out;
    out.dtype = bytes.integer<DType>(0, static_cast<int64_t>(DType::Token));
    bytes.integers(out.shape);
    for (int64_t d : out.shape)
      if (d < 0)
        bytes.fail();
    out.weak = bytes.boolean();
    out.onHost = bytes.boolean();
    out.varying = names();
    if (bytes.boolean()) {
      MeshParts parts = meshParts();
      PartitionSpec partition = spec();
      if (!bytes.failed())
        out.sharding = std::make_shared<const TypeSharding>(
            TypeSharding{take(AbstractMesh::get(parts.sizes, parts.names,
                                                parts.types, parts.device)),
                         partition});
    }
    return out;
  }

private:
  const std::vector<Device> &given;
};

uint64_t checksum(llvm::StringRef bytes) { return llvm::xxh3_64bits(bytes); }

/// True if the executable's argument or result holds values of this type.
bool holds(const ValueSpec &spec, const Aval &aval) {
  llvm::SmallVector<int64_t, 4> shape(aval.shape.begin(), aval.shape.end());
  if (aval.dtype == DType::Key)
    shape.push_back(2);
  return spec.type == elementTypeOf(aval.dtype) &&
         llvm::ArrayRef<int64_t>(spec.shape) == llvm::ArrayRef<int64_t>(shape);
}

/// True if `s` places values of this type on the devices of the program.
bool places(const Sharding &s, const Aval &aval, size_t numDevices) {
  return s.devices().size() == numDevices && s.shardShape(aval.shape).ok();
}

/// True if the layout, if there is one, orders the dimensions of the type.
bool orders(const std::shared_ptr<const Layout> &layout, const Aval &aval) {
  return !layout || layout->checkCompatible(aval.shape).ok();
}

/// True if the parts of a program belong together.
bool isConsistent(const CompiledProgram &p, const std::vector<Aval> &types,
                  const std::vector<std::string> &argNames) {
  const Executable &e = *p.executable;
  if (p.kept.size() != types.size() || argNames.size() != types.size() ||
      e.numDevices() != static_cast<int64_t>(p.devices.size()) ||
      p.ins.size() != e.arguments().size() ||
      p.donated.size() != p.ins.size() || p.outs.size() != e.results().size() ||
      p.outAvals.size() != p.outs.size() ||
      p.inLayouts.size() != p.ins.size() ||
      p.outLayouts.size() != p.outs.size() ||
      llvm::count(p.kept, true) != static_cast<int64_t>(p.ins.size()))
    return false;
  size_t next = 0;
  for (size_t i = 0; i < types.size(); ++i) {
    if (!p.kept[i])
      continue;
    if (!holds(e.arguments()[next], types[i]) ||
        !orders(p.inLayouts[next], types[i]) ||
        !places(p.ins[next], types[i], p.devices.size()))
      return false;
    ++next;
  }
  for (size_t r = 0; r < p.outs.size(); ++r)
    if (!holds(e.results()[r], p.outAvals[r]) ||
        !orders(p.outLayouts[r], p.outAvals[r]) ||
        !places(p.outs[r], p.outAvals[r], p.devices.size()))
      return false;
  return true;
}

Error damaged() {
  return valueError(
      "The bytes are not a saved program, or were changed; save the "
      "program again with CompiledStage::serialize");
}

/// The report that is stored with an executable.
ProgramReport reportOf(const Executable &executable, std::string name) {
  ModuleContext &shared = moduleContext();
  ProgramReport report;
  {
    std::lock_guard lock(shared.mutex);
    readReportNotes(executable.notes(),
                    executable.meshes().empty() ? shardwright::Mesh()
                                                : executable.meshes().front(),
                    &shared.context, report);
  }
  report.module = std::move(name);
  report.devices = executable.numDevices();
  MemoryStatistics memory = executable.memory();
  report.argumentBytes = memory.arguments;
  report.resultBytes = memory.results;
  report.arenaBytes = memory.temporaries;
  report.peakBytesPerDevice = executable.peakBytesPerDevice();
  return report;
}

} // namespace

Expected<std::string> serializeProgram(const SavedProgram &saved) {
  if (const auto &forwarding = saved.program->forwarding) {
    // Another process has neither the constants nor arrays to share.
    SavedProgram whole = saved;
    Expected<CompiledPtr> compiled =
        compileModule(forwarding->lowered, saved.program->devices);
    if (!compiled)
      return compiled.error();
    whole.program = *compiled;
    return serializeProgram(whole);
  }
  const CompiledProgram &p = *saved.program;
  if (!p.callbacks.empty())
    return notImplemented("serialization of host_callbacks is not yet "
                          "implemented: the program calls the function '",
                          p.callbacks[0], "' of this process");
  llvm::Expected<std::string> code = p.executable->serialize();
  if (!code)
    return fromLlvm(code.takeError());
  Writer w;
  w.bytes.integer(kVersion);
  w.devices(p.devices);
  w.bytes.string(p.report.module);
  w.bytes.list(saved.types, [&](const Aval &type) { w.aval(type); });
  w.names(saved.argNames);
  w.bits(saved.donated);
  w.bytes.string(saved.inTree);
  w.bytes.string(saved.outTree);
  w.bytes.string(p.name);
  w.bits(p.kept);
  w.bits(p.donated);
  w.bytes.list(p.ins, [&](const Sharding &s) { w.sharding(s); });
  w.bytes.list(p.outs, [&](const Sharding &s) { w.sharding(s); });
  for (const auto *list : {&p.inLayouts, &p.outLayouts})
    w.bytes.list(*list, [&](const auto &layout) { w.layout(layout); });
  w.bytes.list(p.outAvals, [&](const Aval &type) { w.aval(type); });
  w.bytes.integer(p.committed);
  w.bytes.string(*code);
  std::string body = w.bytes.take();
  char sum[8];
  llvm::support::endian::write64le(sum, checksum(body));
  return kMagic.str() + std::string(sum, sizeof sum) + body;
}

Expected<SavedProgram> loadSavedProgram(std::string_view bytes,
                                        const std::vector<Device> &devices) {
  llvm::StringRef rest(bytes.data(), bytes.size());
  if (!rest.consume_front(kMagic) || rest.size() < 8)
    return damaged();
  uint64_t sum = llvm::support::endian::read64le(rest.data());
  rest = rest.drop_front(8);
  if (sum != checksum(rest))
    return damaged();
  Reader r(rest, devices);
  if (int64_t version = r.bytes.integer(); version != kVersion)
    return valueError("The program was saved in format ", version,
                      ", this library reads format ", kVersion,
                      "; save it again with this version");
  auto program = std::make_shared<CompiledProgram>();
  SavedProgram out;
  program->devices = r.programDevices();
  std::string name = r.bytes.string().str();
  r.bytes.list(out.types, [&] { return r.aval(); });
  out.argNames = r.names();
  out.donated = r.bits();
  out.inTree = r.bytes.string().str();
  out.outTree = r.bytes.string().str();
  program->name = r.bytes.string().str();
  program->kept = r.bits();
  program->donated = r.bits();
  r.bytes.list(program->ins, [&] { return r.sharding(); });
  r.bytes.list(program->outs, [&] { return r.sharding(); });
  for (auto *list : {&program->inLayouts, &program->outLayouts})
    r.bytes.list(*list, [&] { return r.layout(); });
  r.bytes.list(program->outAvals, [&] { return r.aval(); });
  program->committed = r.bytes.boolean();
  llvm::StringRef code = r.bytes.string();
  if (r.error)
    return *r.error;
  if (r.bytes.failed() || !r.bytes.atEnd())
    return damaged();
  auto executable = Executable::deserialize(code, client().backend());
  if (!executable)
    return fromLlvm(executable.takeError());
  program->executable = std::move(*executable);
  program->report = reportOf(*program->executable, std::move(name));
  if (!isConsistent(*program, out.types, out.argNames))
    return damaged();
  for (size_t i = 0; i < out.types.size(); ++i)
    if (program->kept[i])
      program->inAvals.push_back(out.types[i]);
  program->callsUser = true; // by name
  program->prepareCalls();
  out.program = std::move(program);
  return out;
}

} // namespace shardwright::frontend
