//===- program_reader.h - parses a client's module --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_REQUEST_PROGRAM_READER_H
#define SHARDWRIGHT_PJRT_REQUEST_PROGRAM_READER_H

#include "shardwright/interop/load_module.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Error.h"

#include <optional>

namespace shardwright::pjrt {

/// The formats of programs that clients send.
enum class ProgramFormat {
  Mlir,          ///< `mlir`: text, bytecode or a portable artifact
  Hlo,           ///< `hlo`: a HloModuleProto
  HloWithConfig, ///< `hlo_with_config`: a HloModuleProtoWithConfig
};

/// None if we do not read the format.
std::optional<ProgramFormat> programFormat(llvm::StringRef name);

/// A context for one program, which collects the emitted errors.
class ProgramReader {
public:
  ProgramReader();

  /// Returns null on failure; see `error`. The client is trusted like its
  /// process.
  mlir::OwningOpRef<mlir::ModuleOp>
  read(llvm::StringRef code, mlir::AsmParserState *positions = nullptr);
  /// Likewise for a program of one of PJRT's formats, for so many replicas and
  /// partitions of each.
  mlir::OwningOpRef<mlir::ModuleOp> read(llvm::StringRef code,
                                         ProgramFormat format, int64_t replicas,
                                         int64_t partitions);
  /// All errors so far, each with its source location.
  llvm::Error error() const;

  mlir::MLIRContext context;
  std::shared_ptr<llvm::SourceMgr> sources;

private:
  std::string errors;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_REQUEST_PROGRAM_READER_H
