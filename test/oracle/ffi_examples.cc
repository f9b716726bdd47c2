//===- ffi_examples.cc - foreign functions that frontend_ffi.py calls -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// frontend_ffi.py compiles this against the headers of jax.ffi.include_dir():
// functions as users write them, a normalization with its derivative, a table
// in the state of a call, and handlers with all stages. Those that use single
// features of the FFI are test/jax/ffi_handlers.cc.
//
//===----------------------------------------------------------------------===//

#include "xla/ffi/api/ffi.h"

#include <atomic>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace ffi = xla::ffi;

//===----------------------------------------------------------------------===//
// A normalization and its derivative, in f32 and f64
//===----------------------------------------------------------------------===//

/// The number of rows and their length.
template <ffi::DataType T>
static std::pair<int64_t, int64_t> rowsOf(const ffi::Buffer<T> &x) {
  auto dims = x.dimensions();
  int64_t length = dims.size() ? dims[dims.size() - 1] : 1;
  return {length ? int64_t(x.element_count()) / length : 0, length};
}

template <ffi::DataType T>
static ffi::Error rmsNorm(float eps, ffi::Buffer<T> x, ffi::ResultBuffer<T> y,
                          ffi::ResultBuffer<T> scale) {
  using Number = ffi::NativeType<T>;
  auto [rows, length] = rowsOf(x);
  if (x.dimensions().size() == 0)
    return ffi::Error::InvalidArgument("RmsNorm input must be an array");
  for (int64_t r = 0; r < rows; ++r) {
    const Number *in = x.typed_data() + r * length;
    Number sum = 0;
    for (int64_t i = 0; i < length; ++i)
      sum += in[i] * in[i];
    Number s = Number(1) / std::sqrt(sum / Number(length) + Number(eps));
    scale->typed_data()[r] = s;
    for (int64_t i = 0; i < length; ++i)
      y->typed_data()[r * length + i] = s * in[i];
  }
  return ffi::Error::Success();
}
template <ffi::DataType T>
static ffi::Error rmsNormGrad(ffi::Buffer<T> scale, ffi::Buffer<T> x,
                              ffi::Buffer<T> ct, ffi::ResultBuffer<T> out) {
  using Number = ffi::NativeType<T>;
  auto [rows, length] = rowsOf(x);
  for (int64_t r = 0; r < rows; ++r) {
    const Number *in = x.typed_data() + r * length;
    const Number *c = ct.typed_data() + r * length;
    Number s = scale.typed_data()[r], dot = 0;
    for (int64_t i = 0; i < length; ++i)
      dot += in[i] * c[i];
    Number factor = dot * s * s * s / Number(length);
    for (int64_t i = 0; i < length; ++i)
      out->typed_data()[r * length + i] = s * c[i] - factor * in[i];
  }
  return ffi::Error::Success();
}

#define RMS_NORM(name, grad, T)                                                \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(name, rmsNorm<T>,                              \
                                ffi::Ffi::Bind()                               \
                                    .Attr<float>("eps")                        \
                                    .Arg<ffi::Buffer<T>>()                     \
                                    .Ret<ffi::Buffer<T>>()                     \
                                    .Ret<ffi::Buffer<T>>());                   \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(grad, rmsNormGrad<T>,                          \
                                ffi::Ffi::Bind()                               \
                                    .Arg<ffi::Buffer<T>>()                     \
                                    .Arg<ffi::Buffer<T>>()                     \
                                    .Arg<ffi::Buffer<T>>()                     \
                                    .Ret<ffi::Buffer<T>>())
RMS_NORM(RmsNorm, RmsNormGrad, ffi::F32);
RMS_NORM(RmsNorm64, RmsNormGrad64, ffi::F64);

//===----------------------------------------------------------------------===//
// Arrays and dictionaries as attributes
//===----------------------------------------------------------------------===//

static ffi::Error arrayAttribute(ffi::Span<const int32_t> values,
                                 ffi::ResultBufferR0<ffi::S32> sum) {
  sum->typed_data()[0] = 0;
  for (int32_t value : values)
    sum->typed_data()[0] += value;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(ArrayAttribute, arrayAttribute,
                              ffi::Ffi::Bind()
                                  .Attr<ffi::Span<const int32_t>>("values")
                                  .Ret<ffi::BufferR0<ffi::S32>>());

static ffi::Error dictionaryAttribute(ffi::Dictionary fields,
                                      ffi::ResultBufferR0<ffi::S32> secret,
                                      ffi::ResultBufferR0<ffi::S32> size) {
  auto found = fields.get<int64_t>("secret");
  if (found.has_error())
    return found.error();
  secret->typed_data()[0] = static_cast<int32_t>(*found);
  size->typed_data()[0] = static_cast<int32_t>(fields.size());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(DictionaryAttribute, dictionaryAttribute,
                              ffi::Ffi::Bind()
                                  .Attr<ffi::Dictionary>("fields")
                                  .Ret<ffi::BufferR0<ffi::S32>>()
                                  .Ret<ffi::BufferR0<ffi::S32>>());

//===----------------------------------------------------------------------===//
// A table that a call makes once
//===----------------------------------------------------------------------===//

struct Table {
  static ffi::TypeId id;
  explicit Table(int64_t n) : cosines(n) {
    for (int64_t i = 0; i < n; ++i)
      cosines[i] = std::cos(float(i));
    ++alive;
  }
  ~Table() { --alive; }
  std::vector<float> cosines;
  static std::atomic<int64_t> alive;
};
ffi::TypeId Table::id = {};
std::atomic<int64_t> Table::alive = 0;

extern "C" {
ffi::TypeId *TableId() { return &Table::id; }
const XLA_FFI_TypeInfo *TableInfo() {
  static const XLA_FFI_TypeInfo info = ffi::MakeTypeInfo<Table>();
  return &info;
}
int64_t TablesAlive() { return Table::alive; }
}

static ffi::ErrorOr<std::unique_ptr<Table>> makeTable(int64_t n) {
  if (n < 1)
    return ffi::Unexpected(
        ffi::Error(ffi::ErrorCode::kOutOfRange, "a table needs entries"));
  return std::make_unique<Table>(n);
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(TableInstantiate, makeTable,
                              ffi::Ffi::BindInstantiate().Attr<int64_t>("n"));
static ffi::Error lookUp(Table *table, int64_t n, ffi::Buffer<ffi::S32> x,
                         ffi::ResultBuffer<ffi::F32> y) {
  for (size_t i = 0; i < x.element_count(); ++i) {
    int32_t at = x.typed_data()[i];
    if (at < 0 || at >= n)
      return ffi::Error(ffi::ErrorCode::kOutOfRange,
                        "entry " + std::to_string(at) + " of a table of " +
                            std::to_string(n));
    y->typed_data()[i] = table->cosines[at];
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(TableExecute, lookUp,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::State<Table>>()
                                  .Attr<int64_t>("n")
                                  .Arg<ffi::Buffer<ffi::S32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>());

//===----------------------------------------------------------------------===//
// All stages. XLA's CPU calls the first and the last.
//===----------------------------------------------------------------------===//

static std::atomic<int64_t> instantiated = 0, prepared = 0, initialized = 0,
                            executed = 0;
extern "C" {
int64_t Instantiated() { return instantiated.exchange(0); }
int64_t Prepared() { return prepared.exchange(0); }
int64_t Initialized() { return initialized.exchange(0); }
int64_t Executed() { return executed.exchange(0); }
}
static ffi::Error instantiate() {
  return ++instantiated, ffi::Error::Success();
}
static ffi::Error prepare(ffi::Buffer<ffi::F32>, ffi::ResultBuffer<ffi::F32>) {
  return ++prepared, ffi::Error::Success();
}
static ffi::Error initialize(ffi::Buffer<ffi::F32>,
                             ffi::ResultBuffer<ffi::F32>) {
  return ++initialized, ffi::Error::Success();
}
static ffi::Error execute(ffi::Buffer<ffi::F32> x,
                          ffi::ResultBuffer<ffi::F32> y) {
  ++executed;
  std::memcpy(y->typed_data(), x.typed_data(), x.size_bytes());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(StagesInstantiate, instantiate,
                              ffi::Ffi::BindInstantiate());
XLA_FFI_DEFINE_HANDLER_SYMBOL(StagesPrepare, prepare,
                              ffi::Ffi::BindPrepare()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(StagesInitialize, initialize,
                              ffi::Ffi::BindInitialize()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    StagesExecute, execute,
    ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());

//===----------------------------------------------------------------------===//
// Every element type
//===----------------------------------------------------------------------===//

/// Elements of less than 8 bits are packed.
static size_t bytesOf(const ffi::AnyBuffer &x) {
  switch (x.element_type()) {
  case ffi::S4:
  case ffi::U4:
  case ffi::F4E2M1FN:
    return (x.element_count() + 1) / 2;
  case ffi::S2:
  case ffi::U2:
    return (x.element_count() + 3) / 4;
  default:
    return x.size_bytes();
  }
}

static ffi::Error copies(ffi::RemainingArgs args, ffi::RemainingRets rets) {
  for (size_t i = 0; i < rets.size(); ++i) {
    auto from = args.get<ffi::AnyBuffer>(i);
    auto to = rets.get<ffi::AnyBuffer>(i);
    if (from.has_error() || to.has_error() ||
        from->element_type() != (*to)->element_type())
      return ffi::Error::InvalidArgument(
          "types of operands and results differ");
    std::memcpy((*to)->untyped_data(), from->untyped_data(), bytesOf(*from));
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Copies, copies,
                              ffi::Ffi::Bind().RemainingArgs().RemainingRets());
