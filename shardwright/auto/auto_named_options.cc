//===- auto_named_options.cc - options of automatic sharding by name ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/auto_named_options.h"

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
  } else if (name == "shardwright_auto_mesh") {
    auto axes = parseMesh(name, value);
    if (!axes)
      return axes.takeError();
    request.options.mesh = std::move(*axes);
  } else if (name == "shardwright_auto_effort") {
    if (value.getAsInteger(10, request.options.effort) ||
        request.options.effort < 0 || request.options.effort > 2)
      return bad(name, value, "0, 1 or 2");
  } else if (name == "shardwright_machine") {
    llvm::Expected<MachineModel> machine = MachineModel::read(value);
    if (!machine)
      return llvm::createStringError(
          "option '" + name + "': " + llvm::toString(machine.takeError()));
    request.options.machine = std::move(*machine);
  } else if (name == "shardwright_memory") {
    request.options.memory = parseMemory(value);
    if (!request.options.memory)
      return bad(name, value, "bytes, as 16GiB");
  } else {
    return false;
  }
  return true;
}

LogicalResult shardAsAsked(OwningOpRef<ModuleOp> &module,
                           const AutoRequest &request) {
  FailureOr<AutoResult> found = autoShard(*module, request.options);
  if (failed(found))
    return failure();
  if (!found->found.fits)
    return module->emitError()
           << "no shardings fit in " << formatBytes(found->memoryLimit)
           << " per device (shardwright_memory): the least memory found is "
           << formatBytes(found->found.peak)
           << "; use more devices, donate arguments or rematerialise";
  module = std::move(found->module);
  return success();
}

} // namespace shardwright
