//===- callbacks.cc - callbacks into Python that a run stubs --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "callbacks.h"

#include "command_line.h"

#include "shardwright/runtime/custom_call.h"
#include "shardwright/support/narrow_float.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <mutex>

using namespace llvm;

namespace shardwright {
namespace {

/// Elements that are printed of an array; longer ones are cut in the middle.
constexpr int64_t kMostPrinted = 8;

/// The names under which JAX lowers `pure_callback`, `io_callback`,
/// `debug.callback` and `debug.print`.
constexpr StringLiteral kTargets[] = {
    "xla_python_cpu_callback",
    "xla_python_gpu_callback",
    "xla_ffi_python_cpu_callback",
    "xla_ffi_python_gpu_callback",
    "xla_ffi_partitioned_python_cpu_callback",
    "xla_ffi_partitioned_python_gpu_callback",
};

void printReal(ElementType type, const void *data, int64_t i, raw_ostream &os) {
  if (type == ElementType::S64)
    os << static_cast<const int64_t *>(data)[i];
  else if (type == ElementType::U64)
    os << static_cast<const uint64_t *>(data)[i];
  else
    os << format("%.6g", elementAsDouble(type, data, i));
}

void printElement(const CustomCallBuffer &buffer, int64_t i, raw_ostream &os) {
  if (!isComplex(buffer.type)) {
    printReal(buffer.type, buffer.data, i, os);
    return;
  }
  ElementType part = componentType(buffer.type);
  printReal(part, buffer.data, 2 * i, os);
  os << "+";
  printReal(part, buffer.data, 2 * i + 1, os);
  os << "i";
}

/// `f32[2,3] [1, 2, 3, ..., 6]`, `f32 5`
void printBuffer(const CustomCallBuffer &buffer, raw_ostream &os) {
  os << str(buffer.type);
  if (buffer.shape.empty()) {
    os << " ";
    printElement(buffer, 0, os);
    return;
  }
  os << "[";
  interleave(buffer.shape, os, ",");
  os << "] [";
  int64_t count = buffer.elements();
  ListSeparator comma;
  for (int64_t i = 0; i < count; ++i) {
    if (count > kMostPrinted && i == kMostPrinted / 2) {
      os << comma << "...";
      i = count - kMostPrinted / 2;
    }
    os << comma;
    printElement(buffer, i, os);
  }
  os << "]";
}

/// `callback 1 on device 0: f32[4] [1, 2, 3, 4]`. JAX numbers the callbacks of
/// a program in its order.
void printCall(const CustomCall &call) {
  std::string text = "callback";
  raw_string_ostream os(text);
  const cpu::LibraryAttribute *index = call.attribute("index");
  if (index && index->integers.size() == 1)
    os << " " << index->integers.front();
  os << " on device " << call.device << ":";
  for (const CustomCallBuffer &operand : call.operands) {
    os << (&operand == call.operands.begin() ? " " : ", ");
    printBuffer(operand, os);
  }
  os << "\n";
  static std::mutex mutex; // devices call at the same time
  std::lock_guard lock(mutex);
  err() << text;
}

Error stub(const CustomCall &call, bool isPrinted) {
  if (isPrinted)
    printCall(call);
  for (const CustomCallBuffer &result : call.results)
    std::memset(result.data, 0,
                size_t(result.elements() * byteWidth(result.type)));
  return Error::success();
}

} // namespace

void stubCallbacks(Callbacks callbacks) {
  if (callbacks == Callbacks::Refuse)
    return;
  bool isPrinted = callbacks == Callbacks::Print;
  for (StringRef target : kTargets)
    consumeError(registerCustomCall(
        target, [isPrinted](const CustomCall &call) -> Error {
          return stub(call, isPrinted);
        }));
}

} // namespace shardwright
