//===- auto_named_options.cc - options of automatic sharding by name ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/auto_named_options.h"

#include "shardwright/auto/auto_report.h"
#include "shardwright/auto/plan_inside.h"
#include "shardwright/report/program_report.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace shardwright {
namespace {

llvm::Error bad(StringRef name, StringRef value, const llvm::Twine &expected) {
  return llvm::createStringError("option '" + name + "' is '" + value +
                                 "', expected " + expected);
}

llvm::Expected<SmallVector<MeshAxis, 4>> parseMesh(StringRef name,
                                                   StringRef text) {
  SmallVector<MeshAxis, 4> axes;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    auto [axis, digits] = part.trim().split('=');
    int64_t size;
    if (axis.empty() || digits.getAsInteger(10, size) || size < 1)
      return bad(name, text, "axes and sizes as data=4,model=2");
    axes.push_back({axis.str(), size});
  }
  if (Mesh::numDevicesOverflows(axes))
    return bad(name, text, "fewer devices");
  return axes;
}

/// `16GiB`, `2e9`.
std::optional<double> parseMemory(StringRef text) {
  double unit = 1;
  for (auto [suffix, bytes] :
       {std::pair("KiB", 1024.0), std::pair("MiB", 1048576.0),
        std::pair("GiB", 1073741824.0), std::pair("TiB", 1099511627776.0)})
    if (text.consume_back(suffix))
      unit = bytes;
  double number;
  if (text.trim().getAsDouble(number) || !(number > 0) || number > 1e18)
    return std::nullopt;
  return number * unit;
}

} // namespace

llvm::Error readAutoOption(StringRef what, StringRef value, StringRef name,
                           AutoOptions &options) {
  if (what == "mesh") {
    auto axes = parseMesh(name, value);
    if (!axes)
      return axes.takeError();
    options.mesh = std::move(*axes);
  } else if (what == "effort") {
    if (value.getAsInteger(10, options.effort) || options.effort < 0 ||
        options.effort > 2)
      return bad(name, value, "0, 1 or 2");
  } else if (what == "machine") {
    llvm::Expected<MachineModel> machine = MachineModel::read(value);
    if (!machine)
      return llvm::createStringError(
          "option '" + name + "': " + llvm::toString(machine.takeError()));
    options.machine = std::move(*machine);
  } else {
    assert(what == "memory" && "an option that is not known");
    options.memory = parseMemory(value);
    if (!options.memory)
      return bad(name, value, "bytes, as 16GiB");
  }
  return llvm::Error::success();
}

llvm::Expected<bool> applyAutoOption(StringRef name, StringRef value,
                                     AutoRequest &request) {
  if (name == "shardwright_auto") {
    auto asked = llvm::StringSwitch<std::optional<bool>>(value)
                     .CasesLower({"true", "1"}, true)
                     .CasesLower({"false", "0"}, false)
                     .Default(std::nullopt);
    if (!asked)
      return bad(name, value, "true or false");
    request.isAsked = *asked;
    return true;
  }
  if (name == "shardwright_partition_effort") {
    int effort;
    if (value.getAsInteger(10, effort) || effort < 0 ||
        effort > kPlanInsideEffort)
      return bad(name, value, "0, 1, 2 or 3");
    // The others are options of the partitioner.
    request.plansInside = effort == kPlanInsideEffort;
    return request.plansInside;
  }
  StringRef what = llvm::StringSwitch<StringRef>(name)
                       .Case("shardwright_auto_mesh", "mesh")
                       .Case("shardwright_auto_effort", "effort")
                       .Case("shardwright_machine", "machine")
                       .Case("shardwright_memory", "memory")
                       .Default("");
  if (what.empty())
    return false;
  if (llvm::Error e = readAutoOption(what, value, name, request.options))
    return std::move(e);
  request.namesMachine |= what == "machine";
  return true;
}

void AutoRequest::chooseMachine(CompileOptions &compile) const {
  if (isAsked || namesMachine)
    compile.partition.machine = options.machine;
}

LogicalResult shardAsAsked(OwningOpRef<ModuleOp> &module,
                           const AutoRequest &request, std::string *report) {
  FailureOr<AutoResult> found = autoShard(*module, request.options);
  if (failed(found) ||
      failed(requireFits(*module, *found, "shardwright_memory")))
    return failure();
  if (report) {
    llvm::raw_string_ostream os(*report);
    writeAutoText(*found, module->getName().value_or("module"), os);
  }
  module = std::move(found->module);
  return success();
}

} // namespace shardwright
