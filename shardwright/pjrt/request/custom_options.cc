//===- custom_options.cc - options of a run for FFI handlers --------------===//
//---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/request/custom_options.h"

#include "shardwright/ffi/attributes.h"
#include "shardwright/pjrt/base/named_values.h"

#include "llvm/ADT/StringSet.h"

using namespace shardwright;
using namespace shardwright::pjrt;

using Kind = cpu::LibraryAttribute::Kind;

/// Requires that readNamedValues accepts the value.
static cpu::LibraryAttribute toAttribute(const PJRT_NamedValue &value) {
  cpu::LibraryAttribute a;
  a.name.assign(value.name, value.name_size);
  switch (value.type) {
  case PJRT_NamedValue_kString:
    a.kind = Kind::Text;
    a.text.assign(value.string_value, value.value_size);
    break;
  case PJRT_NamedValue_kInt64:
    a.integers = {value.int64_value};
    break;
  case PJRT_NamedValue_kInt64List:
    a.isArray = true;
    a.integers.assign(value.int64_array_value,
                      value.int64_array_value + value.value_size);
    break;
  case PJRT_NamedValue_kFloat:
    a.kind = Kind::Reals;
    a.type = ElementType::F32;
    a.reals = {value.float_value};
    break;
  case PJRT_NamedValue_kBool:
    a.type = ElementType::Pred;
    a.integers = {value.bool_value};
    break;
  }
  return a;
}

namespace {
struct CustomOptions {
  ffi::FfiAttributes storage;
  XLA_FFI_Attrs view;
};
} // namespace

llvm::Expected<std::shared_ptr<const XLA_FFI_Attrs>>
pjrt::makeCustomOptions(llvm::ArrayRef<PJRT_NamedValue> options) {
  auto checked = readNamedValues(options.data(), options.size());
  if (!checked)
    return checked.takeError();
  llvm::StringSet<> names;
  for (const NamedText &option : *checked)
    if (!names.insert(option.name).second)
      return llvm::createStringError("the custom option '" + option.name +
                                     "' is given twice");
  auto made = std::make_shared<CustomOptions>();
  if (llvm::Error e =
          made->storage.set(llvm::map_to_vector(options, toAttribute)))
    return e;
  made->view = made->storage.view();
  return std::shared_ptr<const XLA_FFI_Attrs>(made, &made->view);
}
