//===- library_op.h - operations that call C++ code -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *library op* is a step of the per-device program that calls a C++ function
// on buffers: convolution, FFT, LAPACK, random bits, functions of the host. The
// request is plain data (LibraryCall, part of the Program). Before the program
// runs, a factory turns it into a LibraryOp, which is checked and has
// everything precomputed that does not depend on the data. Factories are found
// by name in one table (library/table.cc); each family is one file of library/.
//
// To add one: write its factory (and, for a StableHLO op, its reader) in a file
// of library/, declare both in library/families.h, and add an entry to the
// table.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_LIBRARY_LIBRARY_OP_H
#define SHARDWRIGHT_CPU_LIBRARY_LIBRARY_OP_H

#include "shardwright/cpu/program/program.h"

#include "mlir/Support/LogicalResult.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/Support/Error.h"

namespace mlir {
class Operation;
class NamedAttribute;
} // namespace mlir

namespace shardwright::cpu {

/// Buffers of one task. They are dense; see LibraryEntry for their layout. No
/// output overlaps an input, unless the call aliases them: then both are one
/// buffer.
struct LibraryBuffers {
  void *const *inputs;
  void *const *outputs;
  /// LibraryOp::scratchBytes bytes, 64-byte aligned, not initialised.
  void *scratch;
  int32_t replica = 0, partition = 0;
};

/// A prepared call. Any number of threads may run it at the same time, on
/// different buffers or on different tasks of one call.
struct LibraryOp {
  /// Number of independent tasks of one call.
  int64_t tasks = 1;
  /// Memory that each thread working on a call needs.
  int64_t scratchBytes = 0;
  /// Rough time of the whole call on one thread.
  double costNs = 1000;
  /// Runs tasks [begin, end). An error fails the run.
  llvm::unique_function<llvm::Error(const LibraryBuffers &buffers,
                                    int64_t begin, int64_t end) const>
      run;
};

/// Checks a call and prepares it. Errors describe the mismatch without a
/// location.
using LibraryFactory = llvm::Expected<LibraryOp> (*)(const LibraryCall &call);
/// Copies the attributes of a StableHLO op that the factory needs.
using LibraryReader = void (*)(mlir::Operation *op, LibraryCall &call);

struct LibraryEntry {
  LibraryFactory make = nullptr;
  /// Null for a custom call, whose dictionary is copied unchanged.
  LibraryReader read = nullptr;
  /// One letter per operand, '>', one per result: 'm' is matrices in
  /// column-major order (batch dimensions outermost), anything else row-major.
  /// May be shorter than the call.
  llvm::StringRef layouts = ">";
  /// (result, operand) pairs that share a buffer, regardless of the call's
  /// aliases.
  llvm::ArrayRef<std::pair<int, int>> aliases = {};
};

/// Returns nullopt if there is no such operation or custom call target.
std::optional<LibraryEntry> findLibraryEntry(llvm::StringRef name);

/// Prepares a call through the registry, or through the functions that the host
/// registered (host_call.h).
llvm::Expected<LibraryOp> makeLibraryOp(const LibraryCall &call);

/// Maximum number of threads that work on one call: the copies of its scratch
/// memory in the memory plan.
int64_t scratchCopies(const LibraryOp &op);

// --- attributes, for readers ---
void put(LibraryCall &call, llvm::StringRef name, int64_t value);
void put(LibraryCall &call, llvm::StringRef name,
         llvm::ArrayRef<int64_t> values);
void put(LibraryCall &call, llvm::StringRef name, llvm::StringRef text);
/// Fails for attributes that plain data cannot represent.
llvm::Expected<LibraryAttribute> readAttribute(mlir::NamedAttribute attribute);

// --- attributes, for factories ---
const LibraryAttribute *find(const LibraryCall &call, llvm::StringRef name);
llvm::Expected<int64_t> getInteger(const LibraryCall &call,
                                   llvm::StringRef name);
/// Returns an empty list if it is missing.
llvm::ArrayRef<int64_t> getIntegers(const LibraryCall &call,
                                    llvm::StringRef name);

/// Fails unless the call has this many operands and results.
llvm::Error checkArity(const LibraryCall &call, size_t inputs, size_t outputs);
/// Fails unless `got` has this type and shape; `what` names the array.
llvm::Error checkArray(const BufferType &got, ElementType type,
                       llvm::ArrayRef<int64_t> shape, const llvm::Twine &what);

/// `f32[8,16]`, for messages.
std::string str(const BufferType &type);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_LIBRARY_LIBRARY_OP_H
