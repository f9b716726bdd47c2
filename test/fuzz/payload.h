//===- payload.h - a dialect's payload without a container ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader and writer that MLIR passes to a dialect's custom encoding, over
// bytes and tables in memory. They test how a dialect handles hostile payloads
// without the container's reader, which crashes on them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TEST_FUZZ_PAYLOAD_H
#define SHARDWRIGHT_TEST_FUZZ_PAYLOAD_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Types.h"

#include <string>
#include <vector>

namespace shardwright::fuzz {

/// The tables into which references in a payload are indices.
struct Tables {
  std::vector<mlir::Attribute> attributes;
  std::vector<mlir::Type> types;
  std::vector<std::string> strings;
};

class PayloadReader : public mlir::DialectBytecodeReader {
public:
  PayloadReader(llvm::StringRef &bytes, const Tables &tables,
                mlir::MLIRContext *context)
      : bytes(bytes), tables(tables), context(context) {}

  using DialectBytecodeReader::readAttribute;
  using DialectBytecodeReader::readOptionalAttribute;
  using DialectBytecodeReader::readType;

  mlir::InFlightDiagnostic emitError(const llvm::Twine &msg) const override;
  mlir::FailureOr<const mlir::DialectVersion *>
  getDialectVersion(llvm::StringRef) const override {
    return mlir::failure();
  }
  mlir::MLIRContext *getContext() const override { return context; }
  uint64_t getBytecodeVersion() const override { return 6; }

  mlir::LogicalResult readAttribute(mlir::Attribute &result) override;
  mlir::LogicalResult readOptionalAttribute(mlir::Attribute &result) override;
  mlir::LogicalResult readType(mlir::Type &result) override;
  mlir::LogicalResult readVarInt(uint64_t &result) override;
  mlir::LogicalResult readSignedVarInt(int64_t &result) override;
  mlir::FailureOr<llvm::APInt> readAPIntWithKnownWidth(unsigned width) override;
  mlir::FailureOr<llvm::APFloat>
  readAPFloatWithKnownSemantics(const llvm::fltSemantics &semantics) override;
  mlir::LogicalResult readString(llvm::StringRef &result) override;
  mlir::LogicalResult readBlob(llvm::ArrayRef<char> &result) override;
  mlir::LogicalResult readBool(bool &result) override;

private:
  mlir::FailureOr<mlir::AsmDialectResourceHandle>
  readResourceHandle() override {
    return mlir::failure();
  }
  template <typename T>
  mlir::LogicalResult at(const std::vector<T> &table, uint64_t index,
                         T &result) const {
    if (index >= table.size())
      return emitError("reference beyond its table");
    result = table[index];
    return mlir::success();
  }

  llvm::StringRef &bytes;
  const Tables &tables;
  mlir::MLIRContext *context;
};

/// Appends to `bytes`, and adds new values to the tables.
class PayloadWriter : public mlir::DialectBytecodeWriter {
public:
  PayloadWriter(std::string &bytes, Tables &tables)
      : bytes(bytes), tables(tables) {}

  void writeAttribute(mlir::Attribute attr) override;
  void writeOptionalAttribute(mlir::Attribute attr) override;
  void writeType(mlir::Type type) override;
  void writeResourceHandle(const mlir::AsmDialectResourceHandle &) override {}
  void writeVarInt(uint64_t value) override;
  void writeSignedVarInt(int64_t value) override;
  void writeAPIntWithKnownWidth(const llvm::APInt &value) override;
  void writeAPFloatWithKnownSemantics(const llvm::APFloat &value) override;
  void writeOwnedString(llvm::StringRef str) override;
  void writeOwnedBlob(llvm::ArrayRef<char> blob) override;
  void writeOwnedBool(bool value) override { bytes += char(value); }
  int64_t getBytecodeVersion() const override { return 6; }
  mlir::FailureOr<const mlir::DialectVersion *>
  getDialectVersion(llvm::StringRef) const override {
    return mlir::failure();
  }

private:
  std::string &bytes;
  Tables &tables;
};

} // namespace shardwright::fuzz

#endif // SHARDWRIGHT_TEST_FUZZ_PAYLOAD_H
