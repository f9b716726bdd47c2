//===- load_module.cc - read a module -------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/load_module.h"

#include "shardwright/interop/hlo/read_hlo.h"
#include "shardwright/interop/input/bool_hex.h"
#include "shardwright/interop/input/guarded_read.h"
#include "shardwright/interop/input/input_limits.h"
#include "shardwright/interop/input/newer_types.h"
#include "shardwright/interop/portable/portable.h"
#include "shardwright/support/bytecode_producer.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace shardwright {
namespace {

enum class Format { Text, Bytecode, PortableArtifact, HloText, HloProto };

Format detectFormat(StringRef content) {
  if (artifactVersion(content))
    return Format::PortableArtifact;
  if (isBytecode(content))
    return Format::Bytecode;
  if (hlo::isHloModule(content))
    return Format::HloProto;
  return content.ltrim().starts_with("HloModule") ? Format::HloText
                                                  : Format::Text;
}

OwningOpRef<ModuleOp> readHloSource(const llvm::SourceMgr &sources,
                                    hlo::Wrapping wrapping,
                                    MLIRContext *context,
                                    hlo::DeviceCounts counts = {}) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  Location file =
      FileLineColLoc::get(context, buffer->getBufferIdentifier(), 0, 0);
  OwningOpRef<ModuleOp> module =
      hlo::readHlo(buffer->getBuffer(), wrapping, file, counts);
  if (module && failed(checkModule(*module, /*attributes=*/true)))
    return {};
  return module;
}

OwningOpRef<ModuleOp>
readSource(const std::shared_ptr<llvm::SourceMgr> &sources,
           MLIRContext *context, Format format,
           AsmParserState *positions = nullptr) {
  if (format == Format::PortableArtifact)
    return readPortableArtifact(sources, context);
  if (format == Format::HloProto)
    return readHloSource(*sources, hlo::Wrapping::Any, context);
  // Check bytecode before the verifier, which recurses, runs.
  ParserConfig config(context, /*verifyAfterParse=*/format == Format::Text);
  addNewerTypes(config);
  const llvm::MemoryBuffer *buffer =
      sources->getMemoryBuffer(sources->getMainFileID());
  StringRef name = buffer->getBufferIdentifier();
  if (format == Format::Bytecode) {
    ReadsBytecodeOf producer(buffer->getBuffer());
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, config);
    if (!module || failed(checkModule(*module, /*attributes=*/true)) ||
        failed(verify(*module)))
      return {};
    return module;
  }
  if (failed(checkText(buffer->getBuffer(), name, context)))
    return {};
  Block block;
  if (failed(parseAsmSourceFile(*sources, &block, config, positions)))
    return {};
  OwningOpRef<ModuleOp> module =
      mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(
          &block, context, FileLineColLoc::get(context, name, 0, 0));
  if (module && failed(checkModule(*module, /*attributes=*/false)))
    return {};
  return module;
}

} // namespace

OwningOpRef<ModuleOp>
loadModule(StringRef path, MLIRContext *context,
           const std::shared_ptr<llvm::SourceMgr> &sources, Trust trust,
           AsmParserState *positions) {
  StringRef name = path == "-" ? "<stdin>" : path;
  // Without a line, errors are reported at the file.
  Location file = FileLineColLoc::get(context, name, 0, 0);
  auto read =
      llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false,
                                         /*RequiresNullTerminator=*/true);
  if (!read) {
    emitError(file) << "cannot read the module: " << read.getError().message();
    return {};
  }
  return readModule(std::move(*read), context, sources, trust, positions);
}

OwningOpRef<ModuleOp>
readModule(std::unique_ptr<llvm::MemoryBuffer> buffer, MLIRContext *context,
           const std::shared_ptr<llvm::SourceMgr> &sources, Trust trust,
           AsmParserState *positions) {
  std::string name = buffer->getBufferIdentifier().str();
  Location file = FileLineColLoc::get(context, name, 0, 0);
  StringRef content = buffer->getBuffer();
  if (content.trim().empty()) {
    emitError(file) << "the file is empty, expected a StableHLO module";
    return {};
  }
  Format format = detectFormat(content);
  switch (format) {
  case Format::HloText:
    emitError(file) << "HLO text is not supported, expected a StableHLO module "
                       "as MLIR text or bytecode, or a HloModuleProto";
    return {};
  case Format::PortableArtifact:
  case Format::Bytecode: {
    if (trust == Trust::None) {
      GuardedRead first =
          readBytecodeInChild(content, context->getDialectRegistry(),
                              [&](const auto &sources, MLIRContext *context) {
                                (void)readSource(sources, context, format);
                              });
      if (first != GuardedRead::Survived) {
        emitError(file) << describe(first);
        return {};
      }
    }
    // Bytecode sections must be aligned, which a file read into memory may not
    // be; a mapped file is, and the module's blobs stay in the mapping.
    if (llvm::isAddrAligned(llvm::Align(64), content.data()))
      break;
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
    buffer = boolBytesToBits(std::move(buffer));
    break;
  case Format::HloProto:
    break;
  }
  sources->AddNewSourceBuffer(std::move(buffer), SMLoc());
  return readSource(sources, context, format, positions);
}

OwningOpRef<ModuleOp>
readHloModule(std::unique_ptr<llvm::MemoryBuffer> buffer, bool hasConfig,
              MLIRContext *context,
              const std::shared_ptr<llvm::SourceMgr> &sources, int64_t replicas,
              int64_t partitions) {
  sources->AddNewSourceBuffer(std::move(buffer), SMLoc());
  return readHloSource(
      *sources, hasConfig ? hlo::Wrapping::WithConfig : hlo::Wrapping::None,
      context, {replicas, partitions});
}

void printModule(ModuleOp module, llvm::raw_ostream &os,
                 const OpPrintingFlags &flags) {
  std::string text;
  llvm::raw_string_ostream printed(text);
  module.print(printed, flags);
  os << boolBitsToBytes(std::move(text));
}

} // namespace shardwright
