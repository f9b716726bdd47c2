//===- diff_command.cc - shardwright diff ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report_command.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace shardwright {

static std::optional<llvm::json::Value> readJson(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) {
    badInput("cannot read '" + path + "': " + file.getError().message(), "");
    return std::nullopt;
  }
  llvm::Expected<llvm::json::Value> value =
      llvm::json::parse((*file)->getBuffer());
  if (value)
    return std::move(*value);
  badInput(path + ": not JSON: " + llvm::toString(value.takeError()),
           "give a module, or a document that shardwright report has written");
  return std::nullopt;
}

std::optional<llvm::json::Value> readDocument(const CommonOptions &options) {
  if (llvm::StringRef(options.module).ends_with(".json"))
    return readJson(options.module);
  Session session;
  session.keepModule();
  if (!session.compile(options, Stage::Local))
    return std::nullopt;
  FailureOr<llvm::json::Object> document = session.document(options, 0);
  if (failed(document))
    return std::nullopt;
  return llvm::json::Value(std::move(*document));
}

std::optional<Difference> compare(const llvm::json::Value &a,
                                  llvm::StringRef nameA,
                                  const llvm::json::Value &b,
                                  llvm::StringRef nameB) {
  llvm::Expected<DocumentView> viewA = DocumentView::create(a, nameA),
                               viewB = DocumentView::create(b, nameB);
  if (viewA && viewB)
    return compareDocuments(*viewA, *viewB);
  llvm::StringRef remedy = "write the document again with shardwright report";
  if (!viewA)
    badInput(llvm::toString(viewA.takeError()), remedy);
  if (!viewB && viewA)
    badInput(llvm::toString(viewB.takeError()), remedy);
  else if (!viewB)
    llvm::consumeError(viewB.takeError());
  return std::nullopt;
}

CommonOptions OtherOptions::of(const CommonOptions &first,
                               std::string module) const {
  CommonOptions second = first;
  second.module = std::move(module);
  if (mesh)
    second.import.meshSizes = *mesh;
  if (devices)
    second.import.devices = *devices;
  second.partitionEffort = partitionEffort.value_or(first.partitionEffort);
  second.machine = machine.value_or(first.machine);
  second.shardy = shardy.value_or(first.shardy);
  return second;
}

int diffCommand(const DiffOptionsCli &options) {
  CommonOptions other = options.other.of(options, options.second);
  std::optional<llvm::json::Value> a = readDocument(options);
  if (!a)
    return exitBadInput;
  std::optional<llvm::json::Value> b = readDocument(other);
  if (!b)
    return exitBadInput;
  std::optional<Difference> difference =
      compare(*a, options.module, *b, other.module);
  if (!difference)
    return exitBadInput;
  bool written = writeFile("-", [&](llvm::raw_ostream &os) {
    if (options.json)
      os << llvm::formatv("{0:2}", llvm::json::Value(toJson(*difference)))
         << "\n";
    else
      writeText(*difference, out());
  });
  if (!written)
    return exitBadInput;
  return difference->isEqual() ? exitFine : exitDiffers;
}

} // namespace shardwright
