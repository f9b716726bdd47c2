//===- region_query.cc - programs in region form for Python ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/region_query.h"
#include "shardwright/auto/plan_inside.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/interop/load_module.h"
#include "shardwright/pjrt/api/query_options.h"
#include "shardwright/pjrt/request/prepare_module.h"
#include "shardwright/pjrt/request/program_reader.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace shardwright::pjrt {

static llvm::SmallVector<int64_t, 8> flags(const llvm::json::Object &request,
                                           StringRef name) {
  llvm::SmallVector<int64_t, 8> flags;
  if (const llvm::json::Array *list = request.getArray(name))
    for (const llvm::json::Value &value : *list)
      flags.push_back(value.getAsBoolean().value_or(false));
  return flags;
}

/// Makes the entry a private function of this name, whose mesh is NAME_mesh,
/// for a module that calls it.
static LogicalResult embed(ModuleOp module, StringRef name) {
  func::FuncOp main = sdy::getMainFunc(module);
  Builder b(module.getContext());
  auto onlySharding = [&](DictionaryAttr attributes) {
    Attribute sharding =
        attributes ? attributes.get(sdy::kShardingAttr) : Attribute();
    return sharding ? b.getDictionaryAttr(
                          b.getNamedAttr(sdy::kShardingAttr, sharding))
                    : b.getDictionaryAttr({});
  };
  SmallVector<DictionaryAttr> arguments, results;
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    arguments.push_back(onlySharding(main.getArgAttrDict(i)));
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    results.push_back(onlySharding(main.getResultAttrDict(i)));
  main.setAllArgAttrs(arguments);
  main.setAllResultAttrs(results);
  for (auto mesh : module.getOps<sdy::MeshOp>())
    if (failed(SymbolTable::replaceAllSymbolUses(
            mesh, b.getStringAttr(name + "_mesh"), module)))
      return failure();
    else
      mesh.setSymName((name + "_mesh").str());
  for (auto func : module.getOps<func::FuncOp>()) {
    std::string given =
        func == main ? name.str() : (name + "_" + func.getSymName()).str();
    if (failed(SymbolTable::replaceAllSymbolUses(func, b.getStringAttr(given),
                                                 module)))
      return failure();
    func.setSymName(given);
    func.setPrivate();
  }
  return success();
}

llvm::Expected<llvm::json::Object>
regionForm(StringRef code, const llvm::json::Object &request) {
  CompileOptions options;
  bool plansInside = false;
  if (llvm::Error e = readPartitioning(request, options, &plansInside))
    return e;
  if (options.overlap == Overlap::On)
    return badQuery("overlap is 'on', expected off or rings: other compilers "
                    "have no async_start");
  ProgramReader reader;
  KeptSources kept;
  OwningOpRef<ModuleOp> module = reader.read(code);
  if (!module)
    return reader.error();
  askClients(options, request, *module, kept);
  CompileRequest choices;
  choices.chooseOutputs = flags(request, "choose_results");
  choices.chooseParameters = flags(request, "choose_parameters");
  closeShardings(*module, choices);
  options.import.devices = request.getInteger("devices").value_or(0);
  options.import.keepFunctions =
      request.getBoolean("functions").value_or(false);
  options.stopAfter = Stage::Local;
  options.form = ProgramForm::Region;
  if (plansInside && failed(planInside(*module, options)))
    return reader.error();
  FailureOr<Compiled> compiled = compile(*module, options);
  if (failed(compiled))
    return reader.error();

  if (auto name = request.getString("embed"))
    if (failed(embed(*module, *name)))
      return badQuery("cannot rename the entry to " + *name);

  std::string text, json;
  llvm::raw_string_ostream os(text), jsonStream(json);
  printModule(*module, os, OpPrintingFlags().enableDebugInfo());
  writeStatisticsJson(compiled->report, jsonStream);
  llvm::Expected<llvm::json::Value> statistics = llvm::json::parse(json);
  if (!statistics)
    return statistics.takeError();
  return llvm::json::Object{{"module", llvm::json::fixUTF8(text)},
                            {"statistics", std::move(*statistics)}};
}

} // namespace shardwright::pjrt
