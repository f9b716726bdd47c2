//===- artifact.cc - read and write artifacts -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/portable/portable.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/dialect/vhlo/vhlo.h"
#include "shardwright/interop/input/input_limits.h"
#include "shardwright/interop/input/newer_types.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace shardwright {

using vhlo::Version;

static constexpr llvm::StringLiteral kMagic("ML\xefR");
static constexpr llvm::StringLiteral kProducer("StableHLO_v");

std::optional<Version> artifactVersion(StringRef content) {
  // Magic number, bytecode version in one byte, producer.
  if (!content.consume_front(kMagic) || content.empty())
    return std::nullopt;
  StringRef producer =
      content.drop_front().take_until([](char c) { return c == '\0'; });
  if (!producer.consume_front(kProducer))
    return std::nullopt;
  // The reader reports malformed versions; do not treat the content as text.
  return Version::parse(producer).value_or(Version());
}

static std::string toString(Version version) {
  std::string text;
  llvm::raw_string_ostream(text) << version;
  return text;
}

OwningOpRef<ModuleOp>
readPortableArtifact(const std::shared_ptr<llvm::SourceMgr> &sources,
                     MLIRContext *context) {
  context->loadDialect<func::FuncDialect, stablehlo::StablehloDialect>();
  // VHLO has no verifiers, so verify after upgrading.
  ParserConfig config(context, /*verifyAfterParse=*/false);
  addNewerTypes(config);
  auto read = [&]() -> OwningOpRef<ModuleOp> {
    auto module = parseSourceFile<ModuleOp>(sources, config);
    if (!module || failed(checkModule(*module, /*attributes=*/true)) ||
        failed(legalizeVhloToStablehlo(*module, /*allowOtherDialects=*/true)) ||
        failed(verify(*module)))
      return {};
    return module;
  };
  const llvm::MemoryBuffer *buffer =
      sources->getMemoryBuffer(sources->getMainFileID());
  Version version = artifactVersion(buffer->getBuffer()).value_or(Version());
  if (version <= vhlo::kCurrentVersion)
    return read();
  // A newer artifact may be readable; if not, report its version as the reason.
  std::string reason;
  OwningOpRef<ModuleOp> module;
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      if (reason.empty())
        reason = diagnostic.str();
      return success();
    });
    module = read();
  }
  if (!module)
    emitError(FileLineColLoc::get(context, buffer->getBufferIdentifier(), 0, 0))
        << "failed to deserialize portable artifact of version "
        << toString(version) << " using StableHLO_v"
        << toString(vhlo::kCurrentVersion) << ": " << reason;
  return module;
}

/// The bytecode version that readers of `version` support.
static int64_t bytecodeVersionFor(Version version) {
  if (version < Version{0, 10, 0})
    return 0;
  if (version < Version{0, 12, 0})
    return 1;
  if (version < Version{0, 14, 0})
    return 3;
  if (version < Version{0, 15, 0})
    return 4;
  return 6;
}

LogicalResult writePortableArtifact(ModuleOp module, StringRef text,
                                    llvm::raw_ostream &os,
                                    bool allowOtherDialects) {
  auto error = [&](auto... parts) {
    std::string message;
    llvm::raw_string_ostream stream(message);
    (stream << ... << parts);
    return module.emitError(message);
  };
  std::optional<Version> version = Version::parse(text);
  if (!version)
    return error("Invalid target version argument '", text,
                 "'\nTarget version must be of the form `#.#.#`.");
  if (*version < vhlo::kMinimumVersion)
    return error("target version ", *version,
                 " is less than minimum supported ", vhlo::kMinimumVersion);
  if (*version > vhlo::kCurrentVersion)
    return error("target version ", *version,
                 " is greater than current version ", vhlo::kCurrentVersion);

  module->getContext()->loadDialect<vhlo::VhloDialect>();
  OwningOpRef<ModuleOp> copy = module.clone();
  expandForVersion(*copy, *version);
  if (failed(legalizeStablehloToVhlo(*copy, allowOtherDialects)) ||
      failed(convertVhloToVersion(*copy, *version)))
    return failure();

  std::string producer;
  llvm::raw_string_ostream(producer) << kProducer << *version;
  BytecodeWriterConfig config(producer);
  config.setDesiredBytecodeVersion(bytecodeVersionFor(*version));
  return writeBytecodeToFile(*copy, os, config);
}

} // namespace shardwright
