//===- user_function.cc - calls of functions of the user ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/trace/user_function.h"

#include "shardwright/frontend/base/exceptions.h"

#include <algorithm>
#include <pthread.h>

namespace shardwright::frontend {

/// The lowest address that a function of this thread may reach and still
/// transform another one; 0: not known.
static uintptr_t lowestAddress() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return 0;
  void *begin = nullptr;
  size_t size = 0;
  bool isKnown = pthread_attr_getstack(&attributes, &begin, &size) == 0;
  pthread_attr_destroy(&attributes);
  if (!isKnown)
    return 0;
  // Between two of these checks lie some 10 KiB; what is lowered and compiled
  // below the last one needs more. A stack without a limit has one here.
  constexpr size_t reserve = size_t(1) << 20, most = size_t(1) << 26;
  size_t used = std::min(size, most);
  return reinterpret_cast<uintptr_t>(begin) + size - used +
         std::min(reserve, used / 4);
}

Status checkStack(std::string_view what) {
  static thread_local const uintptr_t lowest = lowestAddress();
  if (reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) > lowest)
    return {};
  return makeError(ErrorKind::Runtime,
                   "maximum recursion depth exceeded while ", what,
                   " a function; end the recursion by values that are known "
                   "while it is traced, such as shapes");
}

Error errorOfException(std::string_view what) {
  try {
    throw;
  } catch (const Exception &e) {
    return e.error();
  } catch (const std::bad_function_call &) {
    return typeError("a null std::function was called");
  } catch (const std::exception &e) {
    return makeError(ErrorKind::Runtime, what,
                     " threw an exception: ", e.what());
  } catch (...) {
    return makeError(ErrorKind::Runtime, what,
                     " threw an exception that is not derived from "
                     "std::exception");
  }
}

/// The innermost function with a name that this thread calls.
static std::string_view &enclosingName() {
  static thread_local std::string_view name;
  return name;
}

Tensors callFunction(const TensorsFunction &function, const Tensors &args,
                     std::string_view name, std::string_view role) {
  std::string_view outer = enclosingName();
  if (!name.empty())
    enclosingName() = name;
  Tensors outs;
  try {
    outs = function(args);
  } catch (...) {
    outs = {Tensor(errorOfException(
        !name.empty()    ? cat(role, " '", name, "'")
        : !outer.empty() ? cat("a function that '", outer, "' calls")
                         : "a function that is traced or transformed"))};
  }
  enclosingName() = outer;
  return outs;
}

} // namespace shardwright::frontend
