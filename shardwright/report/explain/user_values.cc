//===- user_values.cc - values under the user's names ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain/user_values.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/interop/load_module.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace shardwright {
namespace {

constexpr llvm::StringLiteral kTag = "sw.value";

Location withTag(Location location, int64_t id) {
  MLIRContext *context = location.getContext();
  Builder builder(context);
  auto tag = builder.getDictionaryAttr(
      builder.getNamedAttr(kTag, builder.getI64IntegerAttr(id)));
  return FusedLoc::get(context, {location}, tag);
}

/// The number in a location, of the callee if a call was inlined; -1 if there
/// is none.
int64_t tagOf(LocationAttr location) {
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    if (auto dict = dyn_cast_if_present<DictionaryAttr>(fused.getMetadata()))
      if (auto id = dict.getAs<IntegerAttr>(kTag))
        return id.getInt();
    for (Location part : fused.getLocations())
      if (int64_t id = tagOf(part); id >= 0)
        return id;
    return -1;
  }
  if (auto name = dyn_cast<NameLoc>(location))
    return tagOf(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    int64_t id = tagOf(call.getCallee());
    return id >= 0 ? id : tagOf(call.getCaller());
  }
  return -1;
}

/// Names and positions that the parser recorded, by value.
struct Written {
  llvm::DenseMap<Value, std::pair<std::string, unsigned>> found;

  Written(const AsmParserState *state, const llvm::SourceMgr *sources) {
    if (!state || !sources)
      return;
    auto read = [&](Value value, llvm::SMRange range, std::string suffix) {
      if (!range.isValid())
        return;
      llvm::StringRef text(range.Start.getPointer(),
                           range.End.getPointer() - range.Start.getPointer());
      if (!text.starts_with("%"))
        return;
      found[value] = {text.take_while([](char c) {
                            return c != ':' && c != '#' && c != ' ';
                          }).str() +
                          suffix,
                      sources->getLineAndColumn(range.Start).first};
    };
    for (const AsmParserState::OperationDefinition &def : state->getOpDefs()) {
      for (const auto &[i, group] : llvm::enumerate(def.resultGroups)) {
        unsigned begin = group.startIndex,
                 end = i + 1 < def.resultGroups.size()
                           ? def.resultGroups[i + 1].startIndex
                           : def.op->getNumResults();
        for (unsigned r = begin; r < end; ++r)
          read(def.op->getResult(r), group.definition.loc,
               end - begin > 1 ? "#" + std::to_string(r - begin) : "");
      }
    }
    for (const AsmParserState::BlockDefinition &def : state->getBlockDefs())
      for (auto [arg, definition] :
           llvm::zip(def.block->getArguments(), def.arguments))
        read(arg, definition.loc, "");
  }
};

} // namespace

std::string sourceNameOf(Location location) {
  if (auto fused = dyn_cast<FusedLoc>(location);
      fused && fused.getLocations().size() == 1)
    location = fused.getLocations().front();
  auto name = dyn_cast<NameLoc>(location);
  return name ? name.getName().str() : "";
}

UserValues::UserValues(ModuleOp module, const AsmParserState *positions,
                       const llvm::SourceMgr *sources) {
  Written written(positions, sources);
  AsmState state(module);
  func::FuncOp main = sdy::getMainFunc(module);
  auto add = [&](Value value, StringRef function, StringRef op,
                 Location location) -> UserValue & {
    UserValue user{.location = location};
    if (auto it = written.found.find(value); it != written.found.end()) {
      std::tie(user.name, user.line) = it->second;
    } else {
      llvm::raw_string_ostream os(user.name);
      value.printAsOperand(os, state);
    }
    user.function = function;
    user.isInEntry = main && function == StringRef(main.getSymName());
    user.op = op;
    user.type = value.getType();
    values.push_back(std::move(user));
    return values.back();
  };
  auto visit = [&](auto &self, Operation *op, StringRef function) -> void {
    if (auto func = dyn_cast<func::FuncOp>(op))
      function = func.getSymName();
    if (op->getNumResults() > 0) {
      int64_t first = values.size();
      for (OpResult result : op->getResults())
        add(result, function, op->getName().getStringRef(), op->getLoc())
            .result = result.getResultNumber();
      op->setLoc(withTag(op->getLoc(), first));
    }
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        for (BlockArgument arg : block.getArguments()) {
          bool ofFunc = isa<func::FuncOp>(op);
          UserValue &user =
              add(arg, function,
                  ofFunc ? StringRef() : op->getName().getStringRef(),
                  arg.getLoc());
          if (ofFunc)
            user.sourceName = sourceNameOf(arg.getLoc());
          if (main && op == main.getOperation())
            user.argument = arg.getArgNumber();
          arg.setLoc(withTag(arg.getLoc(), values.size() - 1));
        }
        for (Operation &nested : block)
          self(self, &nested, function);
      }
  };
  visit(visit, module, "");
  if (main)
    for (unsigned i = 0, e = main.getNumResults(); i < e; ++i) {
      auto info = main.getResultAttrOfType<StringAttr>(i, "jax.result_info");
      resultNames.push_back(info ? info.str() : "");
    }
}

void removeNumbers(ModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](FusedLoc location) -> std::optional<Attribute> {
    auto dict = dyn_cast_if_present<DictionaryAttr>(location.getMetadata());
    if (!dict || !dict.contains(kTag) || location.getLocations().size() != 1)
      return std::nullopt;
    return location.getLocations().front();
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/false,
                                        /*replaceLocs=*/true,
                                        /*replaceTypes=*/false);
}

void printWithoutNumbers(ModuleOp module, bool withLocations,
                         llvm::raw_ostream &os) {
  OwningOpRef<ModuleOp> plain;
  if (withLocations) { // only they have numbers
    plain = module.clone();
    removeNumbers(*plain);
  }
  printModule(plain ? *plain : module, os,
              OpPrintingFlags().enableDebugInfo(withLocations));
}

std::string UserValues::resultName(unsigned i) const {
  if (i < resultNames.size() && !resultNames[i].empty())
    return resultNames[i];
  return "result " + std::to_string(i);
}

int32_t UserValues::idOf(Value value) const {
  if (auto edge = value.getDefiningOp<sdy::DataFlowEdgeOp>())
    value = edge.getInput();
  int64_t id = tagOf(value.getLoc());
  if (id < 0)
    return -1;
  if (auto result = dyn_cast<OpResult>(value)) {
    int64_t mine = id + result.getResultNumber();
    // Skip an op of an expansion that has more results than the expanded op.
    if (mine < int64_t(values.size()) &&
        values[mine].result == int32_t(result.getResultNumber()))
      return mine;
  }
  return id < int64_t(values.size()) ? id : -1;
}

std::vector<SmallVector<Value, 1>> UserValues::findIn(ModuleOp module) const {
  std::vector<SmallVector<Value, 1>> found(values.size());
  /// The expansion ends in the last candidate of each block.
  auto add = [&](Value value, int32_t id, bool isSame) {
    auto &list = found[id];
    if (!list.empty() &&
        list.back().getParentBlock() == value.getParentBlock()) {
      bool lastIsSame = list.back().getDefiningOp() &&
                        list.back().getDefiningOp()->getName().getStringRef() ==
                            values[id].op;
      if (lastIsSame && !isSame)
        return;
      if (!lastIsSame) {
        list.back() = value;
        return;
      }
    }
    list.push_back(value);
  };
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<sdy::DataFlowEdgeOp>(op))
      for (OpResult result : op->getResults()) {
        int64_t tag = tagOf(op->getLoc());
        int64_t id = tag + result.getResultNumber();
        if (tag < 0 || id >= int64_t(values.size()) ||
            values[id].result != int32_t(result.getResultNumber()) ||
            values[id].type != result.getType())
          continue;
        bool isSame = op->getName().getStringRef() == values[id].op;
        if (!isSame && isa<sdy::ShardingConstraintOp>(op))
          continue;
        add(result, id, isSame);
      }
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument arg : block.getArguments())
          if (int64_t id = tagOf(arg.getLoc());
              id >= 0 && id < int64_t(values.size()) && values[id].result < 0)
            found[id].push_back(arg);
  });
  return found;
}

} // namespace shardwright
