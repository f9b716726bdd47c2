//===- status.h - errors of the PJRT interface ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_BASE_STATUS_H
#define SHARDWRIGHT_PJRT_BASE_STATUS_H

#include "shardwright/pjrt_abi/error_codes.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <exception>
#include <string>

namespace shardwright::pjrt {

/// The object behind a PJRT_Error*; the client destroys it.
struct Failure : PJRT_Error {
  PJRT_Error_Code code;
  std::string message;
};

PJRT_Error *makeError(PJRT_Error_Code code, const llvm::Twine &message);
inline PJRT_Error *invalid(const llvm::Twine &message) {
  return makeError(PJRT_Error_Code_INVALID_ARGUMENT, message);
}

/// Returns null for an empty text. The text of an error starts with its code if
/// that is not the default, as in `NOT_FOUND: no such thing`.
PJRT_Error *errorFromText(llvm::StringRef text, PJRT_Error_Code otherwise);
PJRT_Error *toPjrt(llvm::Error error,
                   PJRT_Error_Code otherwise = PJRT_Error_Code_INTERNAL);
/// The text from which errorFromText creates the same error.
std::string textWithCode(PJRT_Error_Code code, llvm::StringRef message);

/// True if the caller's struct reaches the end of `field`, which a pointer to
/// `T` may only be used for then: structs of older clients are shorter.
#define SHARDWRIGHT_HAS_FIELD(T, given, field)                                 \
  ((given)->struct_size >= offsetof(T, field) + sizeof((given)->field))

/// The least struct_size that `T` may have: `T` without the padding of up to 7
/// bytes that may follow its last field. Structs that clients still send in an
/// older, shorter form specialize this.
template <typename T> constexpr size_t leastSize = sizeof(T) - 7;

/// Common checks of all functions of the table: missing arguments, or structs
/// shorter than `leastSize`, are an error, and no exception leaves the
/// interface. `body` returns PJRT_Error *.
template <typename Args, typename Body>
PJRT_Error *guarded(const char *function, Args *args, Body body) {
  if (!args)
    return invalid(llvm::Twine("PJRT_") + function +
                   ": the arguments are a null pointer");
  if (args->struct_size < leastSize<Args>)
    return invalid(llvm::Twine("PJRT_") + function + ": struct_size is " +
                   llvm::Twine(args->struct_size) + ", expected at least " +
                   llvm::Twine(leastSize<Args>) +
                   "; the client is older than the interface of this plugin");
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return makeError(PJRT_Error_Code_RESOURCE_EXHAUSTED,
                     llvm::Twine("PJRT_") + function + ": out of memory");
  } catch (const std::exception &e) {
    return makeError(PJRT_Error_Code_INTERNAL,
                     llvm::Twine("PJRT_") + function + ": " + e.what());
  }
}

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_BASE_STATUS_H
