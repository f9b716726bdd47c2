//===- trial_context.cc - a copy of the module for trials -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/search/trial_context.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace shardwright {

std::vector<Operation *> numberedOps(ModuleOp module) {
  std::vector<Operation *> ops;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  return ops;
}

void collectOpNumbers(LocationAttr location,
                      SmallVectorImpl<int32_t> &numbers) {
  if (auto line = dyn_cast<FileLineColLoc>(location)) {
    if (line.getFilename().empty())
      numbers.push_back(line.getLine());
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      collectOpNumbers(part, numbers);
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    collectOpNumbers(name.getChildLoc(), numbers);
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collectOpNumbers(call.getCallee(), numbers);
  }
}

/// A plan that cannot be partitioned is no error of the user's.
static LogicalResult dropDiagnostic(Diagnostic &) { return success(); }

/// A copy of the module in its context, with numbers as locations.
static OwningOpRef<ModuleOp> numberedCopy(ModuleOp imported) {
  OwningOpRef<ModuleOp> copy = imported.clone();
  StringAttr noFile = StringAttr::get(imported.getContext(), "");
  for (auto [n, op] : llvm::enumerate(numberedOps(*copy))) {
    auto number = FileLineColLoc::get(noFile, n, 0);
    op->setLoc(number);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setLoc(number);
  }
  return copy;
}

std::unique_ptr<llvm::MemoryBuffer>
TrialContext::bytecodeOf(ModuleOp imported) {
  ScopedDiagnosticHandler quiet(imported.getContext(), dropDiagnostic);
  OwningOpRef<ModuleOp> copy = numberedCopy(imported);
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (failed(writeBytecodeToFile(*copy, os)))
    return nullptr;
  // The reader needs this alignment.
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      bytes.size(), "", llvm::Align(64));
  if (buffer)
    llvm::copy(bytes, buffer->getBufferStart());
  return buffer;
}

void TrialContext::mapValues(ModuleOp imported) {
  llvm::DenseMap<Operation *, Operation *> copies;
  for (auto [op, copy] :
       llvm::zip_equal(numberedOps(imported), numberedOps(*base)))
    copies[op] = copy;
  for (const SiteClass &cls : problem.classes)
    for (const Site &site : cls.sites) {
      if (!site.value)
        continue;
      if (auto result = dyn_cast<OpResult>(site.value)) {
        baseOf[result] =
            copies[result.getOwner()]->getResult(result.getResultNumber());
        continue;
      }
      auto argument = cast<BlockArgument>(site.value);
      Region *region = argument.getOwner()->getParent();
      Operation *copy = copies[region->getParentOp()];
      baseOf[argument] = copy->getRegion(region->getRegionNumber())
                             .front()
                             .getArgument(argument.getArgNumber());
    }
}

std::unique_ptr<TrialContext>
TrialContext::createInContext(ModuleOp imported, const AutoProblem &problem) {
  std::unique_ptr<TrialContext> made(new TrialContext(problem));
  made->base = numberedCopy(imported);
  made->mapValues(imported);
  return made;
}

std::unique_ptr<TrialContext>
TrialContext::create(ModuleOp imported, llvm::MemoryBufferRef bytecode,
                     const AutoProblem &problem) {
  std::unique_ptr<TrialContext> made(new TrialContext(problem));
  MLIRContext &user = *imported.getContext();
  made->own = std::make_unique<MLIRContext>(user.getDialectRegistry(),
                                            MLIRContext::Threading::DISABLED);
  made->own->allowUnregisteredDialects(user.allowsUnregisteredDialects());
  made->own->loadAllAvailableDialects();
  made->own->getDiagEngine().registerHandler(dropDiagnostic);
  ParserConfig config(made->own.get(), /*verifyAfterParse=*/false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(bytecode,
                                       /*RequiresNullTerminator=*/false),
      SMLoc());
  made->base = parseSourceFile<ModuleOp>(sources, config);
  if (!made->base ||
      numberedOps(*made->base).size() != numberedOps(imported).size())
    return nullptr;
  made->mapValues(imported);
  return made;
}

OwningOpRef<ModuleOp> TrialContext::annotated(const Plan &plan) const {
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>((*base)->clone(mapping));
  annotate(*copy, problem, plan,
           [&](Value value) { return mapping.lookup(baseOf.at(value)); });
  return copy;
}

uint64_t TrialContext::hashShardings(ModuleOp propagated) {
  std::vector<uint64_t> words;
  auto add = [&](Attribute attr) {
    if (!attr)
      return words.push_back(0);
    auto [it, isNew] = hashOf.try_emplace(attr, 0);
    if (isNew) {
      std::string text;
      llvm::raw_string_ostream(text) << attr;
      it->second = llvm::xxh3_64bits(text);
    }
    words.push_back(it->second);
  };
  propagated->walk([&](Operation *op) {
    if (auto func = dyn_cast<func::FuncOp>(op)) {
      add(func.getArgAttrsAttr());
      add(func.getResAttrsAttr());
    }
    // Manual computations, constraints and groups have shardings of their own.
    if (isa_and_nonnull<sdy::SdyDialect>(op->getDialect()))
      add(op->getAttrDictionary());
    else
      add(op->getDiscardableAttr(sdy::kShardingAttr));
  });
  return std::max<uint64_t>(
      1, llvm::xxh3_64bits(
             ArrayRef(reinterpret_cast<const uint8_t *>(words.data()),
                      words.size() * sizeof(uint64_t))));
}

} // namespace shardwright
