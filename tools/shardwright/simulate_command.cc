//===- simulate_command.cc - shardwright simulate -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "session.h"

#include "shardwright/compile/simulate.h"
#include "shardwright/mesh/did_you_mean.h"
#include "shardwright/report/short_texts.h"
#include "shardwright/report/text_table.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace shardwright {
namespace {

constexpr int64_t kMostDevices = 1 << 20;

/// The axis that grows, or -1: the error has been printed. Of a program of
/// several replicas, the first axis is theirs and does not grow.
int32_t growingAxis(const SimulateOptions &options, const Mesh &mesh,
                    bool hasReplicas, int64_t each) {
  if (!options.axis.empty()) {
    std::optional<int32_t> axis = mesh.find(options.axis);
    if (!axis) {
      SmallVector<StringRef> names;
      for (const MeshAxis &known : mesh.axes())
        names.push_back(known.name);
      badInput("--axis: the mesh " + meshText(mesh) + " has no axis '" +
                   options.axis + "'" + didYouMean(options.axis, names),
               "name one of its axes: " + join(names, ", "));
      return -1;
    }
    if (hasReplicas && *axis == 0) {
      badInput("--axis: axis '" + options.axis +
                   "' is that of the replicas, whose number the program "
                   "fixes",
               "name another axis of the mesh " + meshText(mesh));
      return -1;
    }
    for (int64_t processes : options.processes)
      if (!growMesh(mesh, *axis, processes * each)) {
        badInput("--processes: " + Twine(processes) + " processes of " +
                     Twine(each) + " devices do not make a mesh of " +
                     Twine(mesh.numDevices() / mesh.axisSize(*axis)) +
                     " devices times axis \"" + options.axis + "\"",
                 "choose a number of processes or of --devices-per-process "
                 "that the other axes of the mesh (" +
                     meshText(mesh) + ") divide");
        return -1;
      }
    return *axis;
  }
  for (int32_t axis = hasReplicas; axis < mesh.numAxes(); ++axis)
    if (all_of(options.processes, [&](int64_t processes) {
          return growMesh(mesh, axis, processes * each).has_value();
        }))
      return axis;
  badInput("--processes: no axis of the mesh " + meshText(mesh) +
               " can grow to all of these numbers of processes of " +
               Twine(each) + " devices",
           "choose --devices-per-process or other numbers of processes, so "
           "that the axes that do not grow divide the devices; --axis names "
           "the axis that grows");
  return -1;
}

/// What the rows show together: `from 64 processes on, ...`.
std::vector<std::string> notesOn(ArrayRef<SimulatedJob> jobs) {
  std::vector<std::string> notes;
  auto from = [&](const SimulatedJob &job) {
    return "from " + std::to_string(job.processes) +
           (job.processes == 1 ? " process on, " : " processes on, ");
  };
  const auto *undivided = find_if(
      jobs, [](const SimulatedJob &job) { return !job.undivided.empty(); });
  if (undivided != jobs.end())
    notes.push_back(from(*undivided) +
                    "a shape does not divide: " + undivided->undivided);
  const auto *late = find_if(jobs, [](const SimulatedJob &job) {
    return job.step.communication > job.step.compute;
  });
  if (late != jobs.end())
    notes.push_back(from(*late) + "communication takes longer than computing");
  if (any_of(jobs,
             [](const SimulatedJob &job) { return job.step.unknownTripCount; }))
    notes.push_back("loops of unknown trip count are counted once");
  return notes;
}

json::Value toJson(const SimulatedJob &job) {
  json::Object mesh;
  for (const MeshAxis &axis : job.mesh.axes())
    mesh[axis.name] = axis.size;
  json::Array collectives;
  for (const SimulatedCollective &one : job.collectives)
    collectives.push_back(
        json::Object{{"kind", one.kind},
                     {"axes", one.axes},
                     {"executions", one.executions},
                     {"seconds", one.seconds},
                     {"bytes_between_processes", one.bytesBetweenProcesses}});
  json::Object row{{"processes", job.processes},
                   {"devices", job.devices},
                   {"mesh", std::move(mesh)},
                   {"step_seconds", job.step.total()},
                   {"compute_seconds", job.step.compute},
                   {"communication_seconds", job.step.communication},
                   {"exposed_communication_seconds", job.step.exposed},
                   {"bytes_between_processes", job.bytesBetweenProcesses},
                   {"bytes_per_device", job.bytesPerDevice},
                   {"import_seconds", job.importSeconds},
                   {"partition_seconds", job.partitionSeconds},
                   {"collectives", std::move(collectives)}};
  if (!job.undivided.empty())
    row["undivided"] = job.undivided;
  return row;
}

void printText(raw_ostream &os, const SimulateOptions &options,
               StringRef machine, StringRef axis, int64_t each,
               ArrayRef<SimulatedJob> jobs) {
  os << options.module << " on " << machine
     << ": the same program on more processes of " << each
     << (each == 1 ? " device" : " devices") << " (strong scaling), axis \""
     << axis << "\" grows\n";
  TextTable table({"processes", "devices", "mesh", "step", "computing",
                   "communication", "not hidden", "sent by a process",
                   "device memory", "partitioned in"});
  for (const SimulatedJob &job : jobs)
    table.add(
        {std::to_string(job.processes), std::to_string(job.devices),
         meshText(job.mesh), durationText(job.step.total()),
         durationText(job.step.compute), durationText(job.step.communication),
         durationText(job.step.exposed), formatBytes(job.bytesBetweenProcesses),
         formatBytes(job.bytesPerDevice), durationText(job.partitionSeconds)});
  table.print(os, "");
  for (const std::string &note : notesOn(jobs))
    os << note << "\n";
}

} // namespace

Expected<std::vector<int64_t>> parseProcesses(StringRef text) {
  auto bad = [&] {
    return createStringError(
        "--processes: expected A..B (A, 2 A, 4 A, ... up to B) or a list as "
        "8,16,100, of numbers from 1 to " +
        Twine(kMostDevices) + ", found '" + text.str() + "'");
  };
  auto number = [](StringRef digits) -> std::optional<int64_t> {
    int64_t value;
    if (digits.getAsInteger(10, value) || value < 1 || value > kMostDevices)
      return std::nullopt;
    return value;
  };
  std::vector<int64_t> counts;
  if (size_t dots = text.find(".."); dots != StringRef::npos) {
    auto first = number(text.take_front(dots));
    auto last = number(text.drop_front(dots + 2));
    if (!first || !last || *first > *last)
      return bad();
    for (int64_t count = *first; count < *last; count *= 2)
      counts.push_back(count);
    counts.push_back(*last);
    return counts;
  }
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    auto count = number(part);
    if (!count)
      return bad();
    counts.push_back(*count);
  }
  sort(counts);
  counts.erase(unique(counts), counts.end());
  return counts;
}

int simulateCommand(const SimulateOptions &options) {
  std::optional<MachineModel> given;
  if (!readMachine(options.machine, given))
    return exitBadInput;
  MachineModel machine = given.value_or(MachineModel());
  if (!machine.processes)
    machine.processes.emplace();
  if (options.devicesPerProcess)
    machine.processes->devicesPerProcess = options.devicesPerProcess;
  int64_t each = machine.processes->devicesPerProcess;
  if (options.processes.back() > kMostDevices / each)
    return badInput("--processes: " + Twine(options.processes.back()) +
                        " processes of " + Twine(each) +
                        " devices are more than the limit of " +
                        Twine(kMostDevices) + " devices",
                    "give fewer processes, or fewer --devices-per-process");

  Session session;
  if (!session.load(options.module, options.trusted))
    return exitBadInput;
  CompileOptions compileOptions;
  compileOptions.partition.effort = Effort(options.partitionEffort);
  compileOptions.overlap = options.overlap;
  auto failure = [&] {
    if (!session.finishDiagnostic())
      badInput("cannot simulate '" + options.module + "'", "");
    return exitBadInput;
  };
  mlir::FailureOr<Mesh> mesh = meshOfModule(session.module(), compileOptions);
  if (mlir::failed(mesh))
    return failure();
  if (mesh->numAxes() == 0)
    return badInput(options.module + ": the module names no mesh, so that no "
                                     "axis can grow",
                    "export it with shardings over a mesh of any size");
  int32_t axis =
      growingAxis(options, *mesh, countReplicas(session.module()) > 1, each);
  if (axis < 0)
    return exitBadInput;

  std::vector<SimulatedJob> jobs;
  for (int64_t processes : options.processes) {
    mlir::FailureOr<SimulatedJob> job =
        simulateJob(session.module(), *growMesh(*mesh, axis, processes * each),
                    machine, compileOptions);
    session.finishDiagnostic();
    if (mlir::failed(job))
      return failure();
    jobs.push_back(std::move(*job));
  }
  bool written = writeFile("-", [&](raw_ostream &os) {
    if (!options.json) {
      printText(out(), options, machine.name, mesh->axisName(axis), each, jobs);
      out().flush();
      return;
    }
    json::Array rows, notes;
    for (const SimulatedJob &job : jobs)
      rows.push_back(toJson(job));
    for (const std::string &note : notesOn(jobs))
      notes.push_back(note);
    os << formatv("{0:2}\n",
                  json::Value(json::Object{{"module", options.module},
                                           {"machine", machine.name},
                                           {"scaling", "strong"},
                                           {"axis", mesh->axisName(axis)},
                                           {"devices_per_process", each},
                                           {"jobs", std::move(rows)},
                                           {"notes", std::move(notes)}}));
  });
  return written ? exitFine : exitBadInput;
}

} // namespace shardwright
