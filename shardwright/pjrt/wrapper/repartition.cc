//===- repartition.cc - programs for another vendor's compiler ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/wrapper/repartition.h"

#include "shardwright/auto/auto_named_options.h"
#include "shardwright/auto/plan_inside.h"
#include "shardwright/compile/compile.h"
#include "shardwright/compile/named_options.h"
#include "shardwright/interop/gspmd/export_gspmd.h"
#include "shardwright/interop/portable/portable.h"
#include "shardwright/mesh/hlo/proto_wire.h"
#include "shardwright/pjrt/calls/expand_calls.h"
#include "shardwright/pjrt/calls/propagate_calls.h"
#include "shardwright/pjrt/request/compile_request.h"
#include "shardwright/pjrt/request/prepare_module.h"
#include "shardwright/pjrt/request/program_reader.h"

#include "llvm/Support/LEB128.h"

#include <cstdlib>

using namespace mlir;

namespace shardwright::pjrt {

/// The version to write: that of the artifact, but none that is too new.
static std::string versionFor(StringRef code,
                              std::optional<vhlo::Version> newest) {
  constexpr vhlo::Version kSafeVersion{1, 9, 0};
  vhlo::Version version =
      artifactVersion(code).value_or(newest.value_or(kSafeVersion));
  version = std::min(version, newest.value_or(version));
  std::string text;
  llvm::raw_string_ostream(text)
      << std::clamp(version, vhlo::kMinimumVersion, vhlo::kCurrentVersion);
  return text;
}

static bool isWanted(ModuleOp module) {
  const char *programs = std::getenv("SHARDWRIGHT_BACKEND_PROGRAMS");
  return !programs || StringRef(programs) != "marked" ||
         module.getSymName().value_or("").contains("_shardwright_");
}

/// Applies the options of ours. True if partition effort 3 is asked for.
static llvm::Expected<bool> applyOwnOptions(llvm::ArrayRef<NamedText> overrides,
                                            CompileOptions &options) {
  AutoRequest request;
  for (const NamedText &option : overrides) {
    StringRef name = option.name;
    if (!name.starts_with("shardwright_"))
      continue;
    // The other compiler takes the shardings of arguments as JAX gives them:
    // there is no search for these.
    if (name == "shardwright_partition_effort" ||
        name == "shardwright_machine") {
      llvm::Expected<bool> isDone =
          applyAutoOption(name, option.value, request);
      if (!isDone)
        return isDone.takeError();
      if (*isDone)
        continue;
    }
    if (llvm::Error e = applyNamedOption(name, option.value, options))
      return e;
  }
  request.chooseMachine(options);
  return request.plansInside;
}

llvm::Expected<std::optional<Repartitioned>>
repartition(const PJRT_Program &program, StringRef options,
            std::optional<vhlo::Version> newest, Target target) {
  if (!program.code || !program.format ||
      StringRef(program.format, program.format_size) != "mlir" ||
      (options.size() && !options.data()))
    return std::nullopt;
  llvm::Expected<CompileRequest> request = readCompileOptions(options);
  if (!request)
    return request.takeError();
  if (request->numPartitions < 2)
    return std::nullopt;
  StringRef code(program.code, program.code_size);
  CompileOptions compileOptions;
  compileOptions.partition.target = target;
  llvm::Expected<bool> plansInside =
      applyOwnOptions(request->overrides, compileOptions);
  if (!plansInside)
    return plansInside.takeError();
  ProgramReader reader;
  KeptSources kept;
  OwningOpRef<ModuleOp> module = reader.read(code);
  if (!module)
    return reader.error();
  if (!isWanted(*module))
    return std::nullopt;
  closeShardings(*module, *request);
  Builder b(&reader.context);
  module.get()->setAttr("mhlo.num_partitions",
                        b.getI32IntegerAttr(request->numPartitions));
  module.get()->setAttr("mhlo.num_replicas",
                        b.getI32IntegerAttr(request->numReplicas));
  compileOptions.import.devices = request->numDevices();
  if (!request->usesShardy)
    compileOptions.beforePropagate = [&](ModuleOp module) {
      return propagateThroughClientCalls(module, request->numPartitions);
    };
  compileOptions.beforePartition = [&](ModuleOp module) {
    return expandClientCalls(module, request->numPartitions, kept);
  };
  compileOptions.form = ProgramForm::Region;
  compileOptions.stopAfter = Stage::Local;
  if (*plansInside && failed(planInside(*module, compileOptions)))
    return reader.error();
  if (failed(compile(*module, compileOptions)))
    return reader.error();
  // Without Shardy the other compiler reads GSPMD's shardings only.
  if (!request->usesShardy) {
    ExportGspmdOptions gspmd;
    gspmd.propagated = true;
    if (failed(exportGspmd(*module, gspmd)))
      return reader.error();
  }
  Repartitioned result;
  result.name = module->getSymName().value_or("program").str();
  llvm::raw_string_ostream os(result.code);
  if (failed(writePortableArtifact(*module, versionFor(code, newest), os)))
    return reader.error();
  result.options = withoutOwnOptions(options);
  return result;
}

/// Reads a varint at the front of `rest`; false if there is none.
static bool takeVarint(StringRef &rest, uint64_t &value) {
  unsigned size = 0;
  const char *problem = nullptr;
  auto *begin = reinterpret_cast<const uint8_t *>(rest.data());
  value = llvm::decodeULEB128(begin, &size, begin + rest.size(), &problem);
  if (problem || size == 0 || size > 10)
    return false;
  rest = rest.drop_front(size);
  return true;
}

/// True for an entry of env_option_overrides, {1: name, 2: value}, of ours.
static bool isOwnOption(StringRef entry) {
  ProtoReader reader(entry, 0, fieldSet({1, 2}));
  while (!reader.atEnd() && reader.next())
    if (reader.field() == 1)
      return reader.bytes().starts_with("shardwright_");
  return false;
}

std::string withoutOwnOptions(StringRef options) {
  constexpr int kOverrides = 7;
  std::string kept;
  for (StringRef rest = options; !rest.empty();) {
    StringRef field = rest;
    uint64_t tag = 0, value = 0;
    bool isOwn = false, isRead = takeVarint(rest, tag);
    switch (tag & 7) {
    case 0:
      isRead = isRead && takeVarint(rest, value);
      break;
    case 2:
      isRead = isRead && takeVarint(rest, value) && value <= rest.size();
      if (isRead) {
        isOwn = tag >> 3 == kOverrides && isOwnOption(rest.take_front(value));
        rest = rest.drop_front(value);
      }
      break;
    case 1:
    case 5: {
      size_t size = (tag & 7) == 1 ? 8 : 4;
      isRead = isRead && rest.size() >= size;
      rest = rest.drop_front(std::min(size, rest.size()));
      break;
    }
    default:
      isRead = false;
    }
    if (!isRead) // malformed: the other compiler says so
      return options.str();
    if (!isOwn)
      kept += field.drop_back(rest.size());
  }
  return kept;
}

} // namespace shardwright::pjrt
