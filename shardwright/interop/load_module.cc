//===- load_module.cc - reads a module from a file or standard input ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/load_module.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

namespace shardwright {
namespace {

constexpr llvm::StringLiteral bytecodeMagic("ML\xefR");

enum class Format { Text, Bytecode, PortableArtifact, HloText };

Format detectFormat(StringRef content) {
  if (content.starts_with(bytecodeMagic)) {
    // The producer string follows the version; StableHLO's serializer signs
    // there.
    return content.take_front(64).contains("StableHLO_v")
               ? Format::PortableArtifact
               : Format::Bytecode;
  }
  return content.ltrim().starts_with("HloModule") ? Format::HloText
                                                  : Format::Text;
}

/// Whether reading `content` in a child process ends normally, whatever the
/// verdict.
bool readerSurvives(StringRef content, MLIRContext *context) {
  pid_t child = fork();
  if (child < 0)
    return true; // no child to be had: the reader gets its chance here
  if (child == 0) {
    rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
    limit.rlim_cur = rlim_t(content.size()) * 64 + (rlim_t(4) << 30);
    setrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = 0;
    setrlimit(RLIMIT_CORE, &limit);
    MLIRContext own(context->getDialectRegistry(),
                    MLIRContext::Threading::DISABLED);
    own.getDiagEngine().registerHandler([](Diagnostic &) { return success(); });
    auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
        content.size(), "", llvm::Align(64));
    if (!buffer)
      _exit(1);
    llvm::copy(content, buffer->getBufferStart());
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
    (void)parseSourceFile<ModuleOp>(sources, &own);
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace

OwningOpRef<ModuleOp>
loadModule(StringRef path, MLIRContext *context,
           const std::shared_ptr<llvm::SourceMgr> &sources) {
  StringRef name = path == "-" ? "<stdin>" : path;
  // No line to point at: the file itself.
  Location file = FileLineColLoc::get(context, name, 0, 0);
  auto read =
      llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false,
                                         /*RequiresNullTerminator=*/true);
  if (!read) {
    emitError(file) << "cannot read the module: " << read.getError().message();
    return {};
  }
  std::unique_ptr<llvm::MemoryBuffer> buffer = std::move(*read);
  StringRef content = buffer->getBuffer();
  if (content.trim().empty()) {
    emitError(file) << "the file is empty, expected a StableHLO module";
    return {};
  }
  switch (detectFormat(content)) {
  case Format::PortableArtifact:
    emitError(file) << "StableHLO portable artifacts are not supported yet, "
                       "expected MLIR text or MLIR bytecode";
    return {};
  case Format::HloText:
    emitError(file) << "HLO text is not supported, expected a StableHLO module "
                       "as MLIR text or bytecode";
    return {};
  case Format::Bytecode: {
    if (!readerSurvives(content, context)) {
      emitError(file) << "malformed MLIR bytecode";
      return {};
    }
    // Sections want their alignment, which a file read into memory may lack.
    auto aligned = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
        content.size(), name, llvm::Align(64));
    if (!aligned) {
      emitError(file) << "not enough memory to read the module";
      return {};
    }
    llvm::copy(content, aligned->getBufferStart());
    buffer = std::move(aligned);
    break;
  }
  case Format::Text:
    break;
  }
  sources->AddNewSourceBuffer(std::move(buffer), SMLoc());
  return parseSourceFile<ModuleOp>(sources, context);
}

} // namespace shardwright
