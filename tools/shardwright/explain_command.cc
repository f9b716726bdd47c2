//===- explain_command.cc - shardwright explain ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "session.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/mesh/did_you_mean.h"
#include "shardwright/report/explain.h"
#include "shardwright/report/explain_collectives.h"
#include "shardwright/report/location_text.h"

#include "mlir/AsmParser/AsmParserState.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwright {
namespace {

/// What the user asks about: values by number, results of @main.
struct Asked {
  std::vector<int32_t> values;
  std::vector<unsigned> results;
};

/// Positions that a location names, innermost last.
void collectLines(Location location,
                  std::vector<std::pair<std::string, unsigned>> &lines) {
  llvm::TypeSwitch<LocationAttr>(location)
      .Case([&](FileLineColLoc loc) {
        lines.push_back({loc.getFilename().str(), loc.getLine()});
      })
      .Case([&](NameLoc loc) { collectLines(loc.getChildLoc(), lines); })
      .Case([&](CallSiteLoc loc) {
        collectLines(loc.getCaller(), lines);
        collectLines(loc.getCallee(), lines);
      })
      .Case([&](FusedLoc loc) {
        for (Location part : loc.getLocations())
          collectLines(part, lines);
      })
      .Default([](LocationAttr) {});
}

class Selector {
public:
  Selector(const UserValues &user, func::FuncOp main, StringRef module)
      : user(user), main(main), module(module) {}

  bool value(StringRef text, Asked &asked) {
    StringRef function = main.getSymName(), name = text;
    if (text.starts_with("@")) {
      std::tie(function, name) = text.drop_front().split(':');
      if (name.empty())
        return fail("--value: expected @function:%value, found '" + text + "'");
    }
    size_t before = asked.values.size();
    for (auto [id, v] : llvm::enumerate(user.all()))
      if (v.function == function &&
          (v.name == name || (v.argument >= 0 && v.sourceName == name)))
        asked.values.push_back(id);
    // All results of an op by the name that they share.
    if (asked.values.size() == before)
      for (auto [id, v] : llvm::enumerate(user.all()))
        if (v.function == function &&
            StringRef(v.name).split('#').first == name)
          asked.values.push_back(id);
    if (asked.values.size() > before)
      return true;
    return argumentOrResult(text, asked) || unknown("value", text);
  }

  bool argument(StringRef text, Asked &asked) {
    return findArgument(text, asked) || unknown("argument", text);
  }
  bool result(StringRef text, Asked &asked) {
    return findResult(text, asked) || unknown("result", text);
  }

  bool line(StringRef text, Asked &asked) {
    auto [file, number] = text.rsplit(':');
    if (number.empty())
      std::swap(file, number);
    unsigned line = 0;
    if (number.getAsInteger(10, line) || line == 0)
      return fail("--line: expected a line number or file.py:12, found '" +
                  text + "'");
    for (auto [id, v] : llvm::enumerate(user.all())) {
      std::vector<std::pair<std::string, unsigned>> lines;
      collectLines(v.location, lines);
      if (!lines.empty() && lines.back().second == line &&
          StringRef(lines.back().first).ends_with(file))
        asked.values.push_back(id);
    }
    if (asked.values.empty() && (file.empty() || module.ends_with(file)))
      for (auto [id, v] : llvm::enumerate(user.all()))
        if (v.line == line)
          asked.values.push_back(id);
    if (!asked.values.empty())
      return true;
    return fail("--line: nothing in the program comes from line " + text,
                "name a line that computes something; without --line all "
                "arguments and results are explained");
  }

private:
  bool fail(const llvm::Twine &text, StringRef remedy = "") {
    badInput(text, remedy);
    return false;
  }
  bool unknown(StringRef what, StringRef text) {
    std::vector<StringRef> names;
    for (const UserValue &v : user.all())
      if (v.function == main.getSymName()) {
        names.push_back(v.name);
        if (!v.sourceName.empty())
          names.push_back(v.sourceName);
      }
    for (const std::string &name : user.resultNames)
      names.push_back(name);
    return fail("the program has no " + what + " '" + text + "'" +
                    didYouMean(text, names),
                "name a value as the module does, %12, or an argument or "
                "result as the source does");
  }
  bool argumentOrResult(StringRef text, Asked &asked) {
    StringRef name = text;
    if (name.consume_front("arg") && findNumber(name, asked))
      return true;
    return findResult(text, asked);
  }
  bool findNumber(StringRef text, Asked &asked) {
    int32_t number = 0;
    if (text.getAsInteger(10, number))
      return false;
    for (auto [id, v] : llvm::enumerate(user.all()))
      if (v.argument >= 0 && v.argument == number) {
        asked.values.push_back(id);
        return true;
      }
    return false;
  }
  bool findArgument(StringRef text, Asked &asked) {
    for (auto [id, v] : llvm::enumerate(user.all()))
      if (v.argument >= 0 && (v.sourceName == text || v.name == text)) {
        asked.values.push_back(id);
        return true;
      }
    text.consume_front("arg");
    return findNumber(text, asked);
  }
  bool findResult(StringRef text, Asked &asked) {
    unsigned n = main.getNumResults();
    for (unsigned i = 0; i < n; ++i)
      if (user.resultName(i) == text) {
        asked.results.push_back(i);
        return true;
      }
    if (!text.consume_front("result"))
      text.consume_front("out");
    unsigned number = 0;
    if (text.getAsInteger(10, number) || number >= n)
      return false;
    asked.results.push_back(number);
    return true;
  }

  const UserValues &user;
  func::FuncOp main;
  StringRef module;
};

int explainAllCollectives(const ExplainOptions &options, Session &session,
                          const UserValues &user, Explainer &explainer) {
  PlannedMoves moves(user);
  CompileOptions compileOptions;
  compileOptions.import.devices = options.import.devices;
  compileOptions.partition.effort = Effort(options.partitionEffort);
  compileOptions.partition.observer = &moves;
  MachineModel machine;
  if (!options.machine.empty()) {
    llvm::Expected<MachineModel> model = MachineModel::read(options.machine);
    if (!model)
      return badInput("--machine: " + llvm::toString(model.takeError()),
                      "docs/machines.md lists the keys of a machine and their "
                      "units");
    machine = std::move(*model);
    compileOptions.partition.machine = machine;
  }
  compileOptions.stopAfter = Stage::Local;
  OwningOpRef<ModuleOp> copy(session.module().clone());
  FailureOr<Compiled> compiled = compile(*copy, compileOptions);
  if (failed(compiled)) {
    if (!session.finishDiagnostic())
      badInput("cannot partition '" + options.module + "'", "");
    return exitBadInput;
  }
  const CollectiveCost &cost = compiled->report.collectives;
  std::vector<ExplainedCollective> collectives = explainCollectives(
      cost, moves, user, explainer, machine, compiled->report.mesh);
  bool written = writeFile("-", [&](llvm::raw_ostream &os) {
    if (!options.json) {
      writeText(collectives, cost.unknownTripCount, os,
                CollectivesTextOptions{options.full});
      return;
    }
    llvm::json::Array list;
    for (const ExplainedCollective &one : collectives)
      list.push_back(toJson(one));
    llvm::json::Object object{{"collectives", std::move(list)},
                              {"bytes_sent_per_device", cost.totalBytes()},
                              {"unknown_trip_count", cost.unknownTripCount}};
    os << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
  });
  return written ? exitFine : exitBadInput;
}

} // namespace

int explainCommand(const ExplainOptions &options) {
  Session session;
  AsmParserState positions;
  if (!session.load(options.module, options.trusted, &positions))
    return exitBadInput;
  ModuleOp module = session.module();
  UserValues user(module, &positions, &session.text());

  auto failedHere = [&](const char *what) {
    if (!session.finishDiagnostic())
      badInput(llvm::Twine("cannot ") + what + " '" + options.module + "'", "");
    return exitBadInput;
  };
  if (failed(importModule(module, options.import)))
    return failedHere("import");
  func::FuncOp main = sdy::getMainFunc(module);
  if (!main)
    return badInput("the module has no entry function, expected @main or "
                    "exactly one function",
                    "name the entry @main");
  if (failed(countDevices(module, options.import.devices)))
    return failedHere("import");

  Asked asked;
  Selector selector(user, main, options.module);
  for (const std::string &text : options.values)
    if (!selector.value(text, asked))
      return exitBadInput;
  for (const std::string &text : options.arguments)
    if (!selector.argument(text, asked))
      return exitBadInput;
  for (const std::string &text : options.results)
    if (!selector.result(text, asked))
      return exitBadInput;
  if (!options.line.empty() && !selector.line(options.line, asked))
    return exitBadInput;

  FailureOr<std::unique_ptr<Explainer>> explainer =
      Explainer::create(module, user);
  if (failed(explainer))
    return failedHere("propagate the shardings of");

  if (options.collectives) {
    if (!asked.values.empty() || !asked.results.empty())
      return badInput("--collectives: expected no value beside it",
                      "ask for values and collectives one after the other");
    return explainAllCollectives(options, session, user, **explainer);
  }

  std::string out;
  llvm::raw_string_ostream os(out);
  llvm::json::Array values;
  bool first = true;
  auto tell = [&](const ExplainedValue &value) {
    if (options.json) {
      values.push_back(toJson(value));
      return;
    }
    if (!first)
      os << "\n";
    first = false;
    writeText(value, os, {options.full});
  };
  for (int32_t id : asked.values) {
    std::vector<ExplainedValue> answers = (*explainer)->explainValue(id);
    if (answers.empty()) {
      ExplainedValue gone;
      gone.name = user.all()[id].name;
      gone.function = user.all()[id].function;
      gone.op = user.all()[id].op;
      gone.where = filePosition(user.all()[id].location);
      gone.notes.push_back("not in the program that is partitioned: nothing "
                           "uses it, or it is inside an op that was expanded");
      answers.push_back(std::move(gone));
    }
    llvm::for_each(answers, tell);
  }
  for (unsigned result : asked.results)
    tell((*explainer)->explainResult(result));

  llvm::json::Object object;
  if (asked.values.empty() && asked.results.empty()) {
    std::vector<ExplainedValue> all = (*explainer)->overview();
    std::vector<ExplainedStop> stops = (*explainer)->largestStops(10);
    if (options.json) {
      llvm::for_each(all, tell);
      llvm::json::Array list;
      for (const ExplainedStop &stop : stops)
        list.push_back(toJson(stop));
      object["stops"] = std::move(list);
    } else {
      writeOverview(all, stops, os);
    }
  }
  if (options.json) {
    object["values"] = std::move(values);
    os << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
  }
  return writeFile("-", [&](llvm::raw_ostream &o) { o << out; }) ? exitFine
                                                                 : exitBadInput;
}

} // namespace shardwright
