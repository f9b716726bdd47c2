//===- bytecode_fields.h - attributes in bytecode as lists of fields ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Custom encodings of attributes: a varint code, then the fields in storage
/// order. Integers are zig-zag varints, lists start with their length, nested
/// attributes, types and strings are references.
///
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_BYTECODE_FIELDS_H
#define SHARDWRIGHT_DIALECT_BYTECODE_FIELDS_H

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace shardwright {

/// Writes fields one after the other.
struct FieldWriter {
  mlir::DialectBytecodeWriter &w;

  void put(bool value) { w.writeOwnedBool(value); }
  void put(int64_t value) { w.writeSignedVarInt(value); }
  void put(uint64_t value) { w.writeVarInt(value); }
  void put(llvm::APFloat value) { w.writeAPFloatWithKnownSemantics(value); }
  void put(llvm::StringRef value) { w.writeOwnedString(value); }
  void put(mlir::Attribute attr) { w.writeAttribute(attr); }
  void put(mlir::Type type) { w.writeType(type); }
  void put(std::optional<int64_t> value) {
    w.writeVarIntWithFlag(value.value_or(0), value.has_value());
  }
  template <typename A, typename B> void put(std::pair<A, B> both) {
    put(both.first);
    put(both.second);
  }
  template <typename T> void put(llvm::ArrayRef<T> list) {
    w.writeVarInt(list.size());
    for (T element : list)
      put(element);
  }
  template <typename... Ts>
  llvm::LogicalResult operator()(uint64_t code, Ts... fields) {
    w.writeVarInt(code);
    (put(fields), ...);
    return llvm::success();
  }
};

/// Reads fields one after the other; after the first failure, all reads fail.
struct FieldReader {
  mlir::DialectBytecodeReader &r;

  llvm::LogicalResult get(bool &value) { return r.readBool(value); }
  llvm::LogicalResult get(int64_t &value) { return r.readSignedVarInt(value); }
  llvm::LogicalResult get(uint64_t &value) { return r.readVarInt(value); }
  llvm::LogicalResult get(llvm::StringRef &value) {
    return r.readString(value);
  }
  /// Reads a number with the semantics of `value`.
  llvm::LogicalResult get(llvm::APFloat &value) {
    auto read = r.readAPFloatWithKnownSemantics(value.getSemantics());
    if (failed(read))
      return llvm::failure();
    value = *read;
    return llvm::success();
  }
  llvm::LogicalResult get(std::optional<int64_t> &value) {
    uint64_t number = 0;
    bool present = false;
    if (failed(r.readVarIntWithFlag(number, present)))
      return llvm::failure();
    if (present)
      value = static_cast<int64_t>(number);
    return llvm::success();
  }
  llvm::LogicalResult get(mlir::Type &type) { return r.readType(type); }
  template <typename AttrT>
    requires std::is_base_of_v<mlir::Attribute, AttrT>
  llvm::LogicalResult get(AttrT &attr) {
    return r.readAttribute(attr);
  }
  template <typename A, typename B>
  llvm::LogicalResult get(std::pair<A, B> &both) {
    return llvm::success(succeeded(get(both.first)) &&
                         succeeded(get(both.second)));
  }
  template <typename T> llvm::LogicalResult get(llvm::SmallVector<T> &list) {
    // Do not reserve memory: the length comes from the file.
    uint64_t size = 0;
    if (failed(r.readVarInt(size)))
      return llvm::failure();
    for (uint64_t i = 0; i < size; ++i) {
      if constexpr (std::is_same_v<T, llvm::APFloat>)
        list.emplace_back(0.0); // a double
      else
        list.emplace_back();
      if (failed(get(list.back())))
        return llvm::failure();
    }
    return llvm::success();
  }
  template <typename... Ts> llvm::LogicalResult operator()(Ts &...fields) {
    return llvm::success((succeeded(get(fields)) && ...));
  }
};

} // namespace shardwright

#endif // SHARDWRIGHT_DIALECT_BYTECODE_FIELDS_H
