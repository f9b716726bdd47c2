//===- ffi_targets.cc - functions that programs call by name --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/ffi/ffi.h"
#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/callbacks/ffi_function.h"
#include "shardwright/frontend/callbacks/host_guard.h"
#include "shardwright/frontend/trace/primitive.h"
#include "shardwright/runtime/custom_call.h"

namespace shardwright::frontend::ffi {

int64_t Buffer::elements() const { return Shape(shape).elements(); }

static Value valueOf(const cpu::LibraryAttribute &attribute) {
  using Kind = cpu::LibraryAttribute::Kind;
  auto type = static_cast<DType>(attribute.type);
  switch (attribute.kind) {
  case Kind::Text:
    return Value(attribute.text);
  case Kind::Dictionary: {
    Attributes fields;
    for (const cpu::LibraryAttribute &field : attribute.fields)
      fields.insert_or_assign(field.name, valueOf(field));
    return Value(std::move(fields));
  }
  case Kind::Integers:
  case Kind::Reals:
    break;
  }
  bool isReal = attribute.kind == Kind::Reals;
  if (!attribute.isArray)
    return isReal
               ? Value(type, attribute.reals.empty() ? 0 : attribute.reals[0])
               : Value(type,
                       attribute.integers.empty() ? 0 : attribute.integers[0]);
  auto n = static_cast<int64_t>(isReal ? attribute.reals.size()
                                       : attribute.integers.size());
  Aval aval{type, Shape{n}};
  std::shared_ptr<void> elements = allocateHost(bytesOf(aval));
  for (int64_t i = 0; elements && i < n; ++i)
    if (isReal)
      writeNumber(elements.get(), type, i, attribute.reals[i]);
    else
      writeInt(elements.get(), type, i, attribute.integers[i]);
  return elements ? Value(arrayOfHost(aval, std::move(elements))) : Value();
}

static std::vector<Buffer> buffersOf(llvm::ArrayRef<CustomCallBuffer> buffers) {
  std::vector<Buffer> out;
  for (const CustomCallBuffer &buffer : buffers)
    out.push_back({static_cast<DType>(buffer.type),
                   Ints(buffer.shape.begin(), buffer.shape.end()),
                   buffer.data});
  return out;
}

static Attributes
attributesOf(llvm::ArrayRef<cpu::LibraryAttribute> attributes) {
  Attributes out;
  for (const cpu::LibraryAttribute &attribute : attributes)
    out.insert_or_assign(attribute.name, valueOf(attribute));
  return out;
}

static llvm::Error failure(const std::string &name, const std::string &why) {
  return llvm::createStringError("INTERNAL: foreign function '" + name +
                                 "': " + why);
}

/// The function that programs call for the user's.
static CustomCallFunction guarded(const std::string &name, Handler handler) {
  return [name, handler = std::move(handler)](const CustomCall &call) {
    auto fail = [&](const std::string &why) { return failure(name, why); };
    return callForProgram(
        "FFI function '" + name + "'",
        [&] {
          Status status =
              handler({buffersOf(call.operands), buffersOf(call.results),
                       attributesOf(call.attributes), call.device});
          return status ? llvm::Error::success() : fail(status.error().str());
        },
        fail);
  };
}

/// The call without memory, as the program declares it.
static Call declaredCall(const cpu::LibraryCall &site) {
  auto buffers = [](const auto &types) {
    std::vector<Buffer> out;
    for (const auto &type : types)
      out.push_back({static_cast<DType>(type.type),
                     Ints(type.shape.begin(), type.shape.end()), nullptr});
    return out;
  };
  Call call{buffers(site.inputs), buffers(site.outputs), {}, /*device=*/-1};
  for (const cpu::LibraryAttribute &attribute : site.attributes)
    if (attribute.name != cpu::apiVersionName &&
        attribute.name != cpu::operandTokensName &&
        attribute.name != cpu::resultTokensName)
      call.attributes.insert_or_assign(attribute.name, valueOf(attribute));
  return call;
}

/// An error if the name belongs to a handler that was compiled against XLA's
/// headers.
static Status checkName(const std::string &name) {
  if (!::shardwright::ffi::isTypedTarget(name) &&
      !::shardwright::ffi::isUntypedTarget(name))
    return {};
  return makeError(ErrorKind::Runtime, "custom call target '", name,
                   "' is registered already, as a handler of XLA's FFI");
}

Status registerTarget(const std::string &name, Handler handler) {
  if (!handler)
    return valueError("registerTarget got an empty function for '", name, "'");
  SW_TRY(checkName(name));
  if (llvm::Error error =
          registerCustomCall(name, guarded(name, std::move(handler))))
    return fromLlvm(std::move(error));
  return {};
}

Status registerTarget(const std::string &name, Function function) {
  if (!function.check || !function.run)
    return valueError("registerTarget got an empty function for '", name, "'");
  SW_TRY(checkName(name));
  auto make =
      [name, check = std::move(function.check),
       run = guarded(name, std::move(function.run))](
          const cpu::LibraryCall &site) -> llvm::Expected<CustomCallFunction> {
    if (Status status = check(declaredCall(site)); !status)
      return llvm::createStringError("INVALID_ARGUMENT: foreign function '" +
                                     name + "': " + status.error().text);
    return run;
  };
  if (llvm::Error error = registerCustomCallFactory(name, std::move(make)))
    return fromLlvm(std::move(error));
  return {};
}

bool unregisterTarget(const std::string &name) {
  return unregisterCustomCall(name);
}

} // namespace shardwright::frontend::ffi
