//===- ffi_handlers.cc - foreign functions that ffi.py calls --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ffi.py compiles this against the headers of jax.ffi.include_dir(). Each
// function uses one feature of them.
//
//===----------------------------------------------------------------------===//

#include "xla/ffi/api/ffi.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <numeric>
#include <thread>

namespace ffi = xla::ffi;

using F32 = ffi::Buffer<ffi::F32>;
using F32Out = ffi::ResultBuffer<ffi::F32>;
using S64Out = ffi::ResultBuffer<ffi::S64>;

#define HANDLER(name, function, binding)                                       \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(name, function, ffi::Ffi::Bind() binding)

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static ffi::Error axpd(float k, F32 x, F32Out y) {
  for (size_t i = 0; i < x.element_count(); ++i)
    y->typed_data()[i] = k * x.typed_data()[i];
  return ffi::Error::Success();
}
HANDLER(Axpd, axpd, .Attr<float>("k").Arg<F32>().Ret<F32>());

static ffi::Error attributes(int64_t i, bool b, std::string_view s,
                             ffi::Span<const int64_t> list, ffi::Dictionary d,
                             S64Out y, F32Out z) {
  int64_t *out = y->typed_data();
  out[0] = i;
  out[1] = b;
  out[2] = s.size();
  out[3] = std::accumulate(list.begin(), list.end(), int64_t{0});
  out[4] = *d.get<int64_t>("inner");
  z->typed_data()[0] = 0.5f;
  return ffi::Error::Success();
}
HANDLER(Attributes, attributes,
        .Attr<int64_t>("i")
            .Attr<bool>("b")
            .Attr<std::string_view>("s")
            .Attr<ffi::Span<const int64_t>>("list")
            .Attr<ffi::Dictionary>("d")
            .Ret<ffi::Buffer<ffi::S64>>()
            .Ret<F32>());

template <typename T>
static int64_t sum(const ffi::Dictionary &d, std::string_view name) {
  auto value = d.get<T>(name);
  return value.has_value() ? int64_t(*value) : -1000;
}
template <typename T>
static int64_t sumOf(const ffi::Dictionary &d, std::string_view name) {
  auto value = d.get<ffi::Span<const T>>(name);
  if (!value.has_value())
    return -2000;
  return int64_t(std::accumulate(value->begin(), value->end(), T{})) +
         100 * value->size();
}

/// Every type of number, as a scalar and as an array; the number of attributes.
static ffi::Error numbers(ffi::Dictionary d, S64Out y) {
  int64_t values[] = {int64_t(d.size()),          sum<int8_t>(d, "s8"),
                      sum<int16_t>(d, "s16"),     sum<int32_t>(d, "s32"),
                      sum<int64_t>(d, "s64"),     sum<uint8_t>(d, "u8"),
                      sum<uint16_t>(d, "u16"),    sum<uint32_t>(d, "u32"),
                      sum<uint64_t>(d, "u64"),    sum<float>(d, "f32"),
                      sum<double>(d, "f64"),      sumOf<int8_t>(d, "as8"),
                      sumOf<int16_t>(d, "as16"),  sumOf<int32_t>(d, "as32"),
                      sumOf<int64_t>(d, "as64"),  sumOf<uint8_t>(d, "au8"),
                      sumOf<uint16_t>(d, "au16"), sumOf<uint32_t>(d, "au32"),
                      sumOf<uint64_t>(d, "au64"), sumOf<float>(d, "af32"),
                      sumOf<double>(d, "af64")};
  size_t count = std::min(y->element_count(), std::size(values));
  std::memcpy(y->typed_data(), values, count * sizeof(int64_t));
  return ffi::Error::Success();
}
HANDLER(Numbers, numbers, .Attrs().Ret<ffi::Buffer<ffi::S64>>());

enum class Color : int32_t { kRed = 3, kBlue = 5 };
XLA_FFI_REGISTER_ENUM_ATTR_DECODING(Color);
struct Range {
  int64_t low, high;
};
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(
    Range, ::xla::ffi::StructMember<int64_t>("low"),
    ::xla::ffi::StructMember<int64_t>("high"));

static ffi::Error ownTypes(Color color, Range range, S64Out y) {
  y->typed_data()[0] = int64_t(color);
  y->typed_data()[1] = range.high - range.low;
  return ffi::Error::Success();
}
HANDLER(
    OwnTypes, ownTypes,
    .Attr<Color>("color").Attr<Range>("range").Ret<ffi::Buffer<ffi::S64>>());

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

static ffi::Error variadic(ffi::RemainingArgs args, ffi::RemainingRets rets) {
  for (size_t r = 0; r < rets.size(); ++r) {
    auto out = rets.get<ffi::AnyBuffer>(r);
    float *data = static_cast<float *>((*out)->untyped_data());
    for (size_t i = 0; i < (*out)->element_count(); ++i)
      data[i] = float(args.size()) + 10 * r;
  }
  return ffi::Error::Success();
}
HANDLER(Variadic, variadic, .RemainingArgs().RemainingRets());

static ffi::Error optional(F32 x, std::optional<F32> bias, F32Out y,
                           std::optional<F32Out> count) {
  for (size_t i = 0; i < x.element_count(); ++i)
    y->typed_data()[i] = x.typed_data()[i] + (bias ? bias->typed_data()[i] : 0);
  if (count)
    (*count)->typed_data()[0] = x.element_count();
  return ffi::Error::Success();
}
HANDLER(Optional, optional,
        .Arg<F32>().OptionalArg<F32>().Ret<F32>().OptionalRet<F32>());

/// The properties of each operand.
static ffi::Error described(ffi::RemainingArgs args, S64Out y) {
  int64_t *out = y->typed_data();
  for (size_t i = 0; i < args.size(); ++i) {
    auto arg = args.get<ffi::AnyBuffer>(i);
    *out++ = int64_t(arg->element_type());
    *out++ = arg->dimensions().size();
    *out++ = arg->dimensions().size() ? arg->dimensions()[0] : -1;
    *out++ = reinterpret_cast<uintptr_t>(arg->untyped_data()) % 64;
    *out++ = arg->untyped_data() == nullptr;
  }
  return ffi::Error::Success();
}
HANDLER(Described, described, .RemainingArgs().Ret<ffi::Buffer<ffi::S64>>());

static ffi::Error rawBytes(int64_t count, ffi::AnyBuffer x,
                           ffi::ResultBuffer<ffi::U8> y) {
  std::memcpy(y->typed_data(), x.untyped_data(), count);
  return ffi::Error::Success();
}
HANDLER(
    RawBytes, rawBytes,
    .Attr<int64_t>("count").Arg<ffi::AnyBuffer>().Ret<ffi::Buffer<ffi::U8>>());

static ffi::Error fromBytes(int64_t count, ffi::Buffer<ffi::U8> x,
                            ffi::Result<ffi::AnyBuffer> y) {
  std::memcpy(y->untyped_data(), x.typed_data(), count);
  return ffi::Error::Success();
}
HANDLER(
    FromBytes, fromBytes,
    .Attr<int64_t>("count").Arg<ffi::Buffer<ffi::U8>>().Ret<ffi::AnyBuffer>());

static ffi::Error tokens(ffi::AnyBuffer token, F32 x,
                         ffi::Result<ffi::AnyBuffer> out, F32Out y) {
  y->typed_data()[0] = x.typed_data()[0] + float(token.element_type()) +
                       float(out->element_type()) * 100 +
                       token.dimensions().size();
  return ffi::Error::Success();
}
HANDLER(Tokens, tokens,
        .Arg<ffi::AnyBuffer>().Arg<F32>().Ret<ffi::AnyBuffer>().Ret<F32>());

static ffi::Error aliased(F32 x, F32Out y, S64Out same) {
  same->typed_data()[0] = x.untyped_data() == y->untyped_data();
  for (size_t i = 0; i < x.element_count(); ++i)
    y->typed_data()[i] = x.typed_data()[i] + 1;
  return ffi::Error::Success();
}
HANDLER(Aliased, aliased, .Arg<F32>().Ret<F32>().Ret<ffi::Buffer<ffi::S64>>());

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static ffi::Error failing(int64_t code, F32, F32Out) {
  return ffi::Error(ffi::ErrorCode(code), "nothing was found");
}
HANDLER(Failing, failing, .Attr<int64_t>("code").Arg<F32>().Ret<F32>());

static ffi::Error throwing(F32, F32Out) { throw std::runtime_error("thrown"); }
HANDLER(Throwing, throwing, .Arg<F32>().Ret<F32>());

static ffi::Future failingLater(F32, F32Out) {
  ffi::Promise promise;
  ffi::Future future(promise);
  std::thread([p = std::move(promise)]() mutable {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    p.SetError(ffi::Error(ffi::ErrorCode::kDataLoss, "lost on the way"));
  }).detach();
  return future;
}
HANDLER(FailingLater, failingLater, .Arg<F32>().Ret<F32>());

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

static ffi::Future later(F32 x, F32Out y) {
  ffi::Promise promise;
  ffi::Future future(promise);
  std::thread([=, p = std::move(promise)]() mutable {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    F32Out out = y;
    for (size_t i = 0; i < x.element_count(); ++i)
      out->typed_data()[i] = x.typed_data()[i] + 1;
    p.SetAvailable();
  }).detach();
  return future;
}
HANDLER(Later, later, .Arg<F32>().Ret<F32>());

static ffi::Future countedDown(ffi::ThreadPool pool, F32 x, F32Out y) {
  constexpr int tasks = 3;
  ffi::CountDownPromise promise(tasks);
  ffi::Future future(promise);
  for (int t = 0; t < tasks; ++t)
    pool.Schedule([=]() mutable {
      F32Out out = y;
      for (size_t i = t; i < x.element_count(); i += tasks)
        out->typed_data()[i] = -x.typed_data()[i];
      promise.CountDown();
    });
  return future;
}
HANDLER(CountedDown, countedDown,
        .Ctx<ffi::ThreadPool>().Arg<F32>().Ret<F32>());

static ffi::Error pooled(ffi::ThreadPool pool, F32 x, F32Out y) {
  constexpr int tasks = 4;
  std::atomic<int64_t> left = tasks;
  int64_t n = x.element_count();
  for (int t = 0; t < tasks; ++t)
    pool.Schedule([&, t] {
      for (int64_t i = t * n / tasks; i < (t + 1) * n / tasks; ++i)
        y->typed_data()[i] = x.typed_data()[i] * x.typed_data()[i];
      --left;
    });
  while (left)
    std::this_thread::yield();
  return pool.num_threads() > 0 ? ffi::Error::Success()
                                : ffi::Error::Internal("no threads");
}
HANDLER(Pooled, pooled, .Ctx<ffi::ThreadPool>().Arg<F32>().Ret<F32>());

//===----------------------------------------------------------------------===//
// The context of a run
//===----------------------------------------------------------------------===//

static ffi::Error device(int32_t ordinal, F32 x, F32Out y) {
  for (size_t i = 0; i < x.element_count(); ++i)
    y->typed_data()[i] = ordinal;
  return ffi::Error::Success();
}
HANDLER(Device, device, .Ctx<ffi::DeviceOrdinal>().Arg<F32>().Ret<F32>());

static ffi::Error runId(ffi::RunId id, F32, S64Out y) {
  y->typed_data()[0] = id.run_id;
  return ffi::Error::Success();
}
HANDLER(RunId, runId,
        .Ctx<ffi::RunId>().Arg<F32>().Ret<ffi::Buffer<ffi::S64>>());

static ffi::Error scratch(ffi::ScratchAllocator allocator, F32 x, F32Out y) {
  size_t bytes = x.element_count() * sizeof(float);
  std::optional<void *> memory = allocator.Allocate(bytes, 256);
  if (!memory || reinterpret_cast<uintptr_t>(*memory) % 256)
    return ffi::Error::Internal("no scratch memory");
  std::memcpy(*memory, x.typed_data(), bytes);
  std::memcpy(y->typed_data(), *memory, bytes);
  return ffi::Error::Success();
}
HANDLER(Scratch, scratch, .Ctx<ffi::ScratchAllocator>().Arg<F32>().Ret<F32>());

static ffi::Error stream(void *, F32, F32Out) { return ffi::Error::Success(); }
HANDLER(Stream, stream,
        .Ctx<ffi::PlatformStream<void *>>().Arg<F32>().Ret<F32>());

struct Secret {
  static ffi::TypeId id;
  int64_t value;
};
ffi::TypeId Secret::id = {};
extern "C" ffi::TypeId *SecretId() { return &Secret::id; }

static ffi::Error userData(Secret *, F32, F32Out) {
  return ffi::Error::Success();
}
HANDLER(UserData, userData,
        .Ctx<ffi::UserData<Secret>>().Arg<F32>().Ret<F32>());

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

struct Counter {
  static ffi::TypeId id;
  explicit Counter(int64_t start) : count(start) { ++alive; }
  ~Counter() { --alive; }
  std::atomic<int64_t> count;
  static std::atomic<int64_t> alive, made;
};
ffi::TypeId Counter::id = {};
std::atomic<int64_t> Counter::alive = 0;
std::atomic<int64_t> Counter::made = 0;

extern "C" {
ffi::TypeId *CounterId() { return &Counter::id; }
const XLA_FFI_TypeInfo *CounterInfo() {
  static const XLA_FFI_TypeInfo info = ffi::MakeTypeInfo<Counter>();
  return &info;
}
int64_t CountersAlive() { return Counter::alive; }
int64_t CountersMade() { return Counter::made; }
}

static ffi::ErrorOr<std::unique_ptr<Counter>> makeCounter(int64_t start) {
  if (start < 0)
    return ffi::Unexpected(ffi::Error::InvalidArgument("cannot start there"));
  ++Counter::made;
  return std::make_unique<Counter>(start);
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    CounterInstantiate, makeCounter,
    ffi::Ffi::BindInstantiate().Attr<int64_t>("start"));
static ffi::Error nextCount(Counter *counter, int64_t, F32, S64Out y) {
  y->typed_data()[0] = counter->count++;
  return ffi::Error::Success();
}
HANDLER(CounterExecute, nextCount,
        .Ctx<ffi::State<Counter>>()
            .Attr<int64_t>("start")
            .Arg<F32>()
            .Ret<ffi::Buffer<ffi::S64>>());

//===----------------------------------------------------------------------===//
// Layouts, batches and side effects
//===----------------------------------------------------------------------===//

/// The elements of each matrix in memory order.
static ffi::Error inMemory(F32 x, F32Out y) {
  std::memcpy(y->typed_data(), x.typed_data(), x.size_bytes());
  return ffi::Error::Success();
}
HANDLER(InMemory, inMemory, .Arg<F32>().Ret<F32>());

static std::mutex shapesMutex;
static std::vector<int64_t> rows;

/// Divides by the sum along the last dimension; records the first size of each
/// call.
static ffi::Error softly(F32 x, F32Out y) {
  {
    std::lock_guard lock(shapesMutex);
    rows.push_back(x.dimensions()[0]);
  }
  int64_t last = x.dimensions()[x.dimensions().size() - 1];
  for (size_t i = 0; i < x.element_count(); i += last) {
    float total = 0;
    for (int64_t j = 0; j < last; ++j)
      total += x.typed_data()[i + j];
    for (int64_t j = 0; j < last; ++j)
      y->typed_data()[i + j] = x.typed_data()[i + j] / total;
  }
  return ffi::Error::Success();
}
HANDLER(Softly, softly, .Arg<F32>().Ret<F32>());

/// Returns the number of sizes recorded since the last call, and copies at most
/// `count` of them.
extern "C" int64_t TakeRows(int64_t *out, int64_t count) {
  std::lock_guard lock(shapesMutex);
  int64_t n = std::min<int64_t>(rows.size(), count);
  std::copy_n(rows.begin(), n, out);
  rows.clear();
  return n;
}

/// Two operands with a common batch, two results of different ranks.
static ffi::Error moments(F32 x, F32 scale, F32Out mean, F32Out largest) {
  int64_t batch = x.dimensions()[0],
          n = x.element_count() / std::max<int64_t>(batch, 1);
  for (int64_t b = 0; b < batch; ++b) {
    float total = 0, most = x.typed_data()[b * n];
    for (int64_t i = 0; i < n; ++i) {
      total += x.typed_data()[b * n + i];
      most = std::max(most, x.typed_data()[b * n + i]);
    }
    mean->typed_data()[b] = total / n * scale.typed_data()[b];
    largest->typed_data()[b * 2] = most;
    largest->typed_data()[b * 2 + 1] = -most;
  }
  return ffi::Error::Success();
}
HANDLER(Moments, moments, .Arg<F32>().Arg<F32>().Ret<F32>().Ret<F32>());

static std::atomic<int64_t> calls;
static ffi::Error counted(F32 x, F32Out y) {
  ++calls;
  std::memcpy(y->typed_data(), x.typed_data(), x.size_bytes());
  return ffi::Error::Success();
}
HANDLER(Counted, counted, .Arg<F32>().Ret<F32>());
extern "C" int64_t TakeCalls() { return calls.exchange(0); }

#if XLA_FFI_API_MINOR >= 5
/// The number of custom options of the run.
static ffi::Error options(ffi::Dictionary options, F32, F32Out y) {
  y->typed_data()[0] = options.size();
  return ffi::Error::Success();
}
HANDLER(Options, options, .Ctx<ffi::CustomOptions>().Arg<F32>().Ret<F32>());

namespace {
/// An extension of the call's context, by its number.
template <int64_t number> struct Known {
  using Type = int64_t;
  using CExtension = XLA_FFI_Extension;
  static constexpr int64_t kExtensionType = number;
  static constexpr int32_t kMajorVersion = 0, kMinorVersion = 2;
  static constexpr const char *kName = "known";
  static Type Create(const XLA_FFI_Api *, const CExtension *found) {
    return found->id.extension_type;
  }
};
} // namespace

static ffi::Error extended(int64_t, F32, F32Out) {
  return ffi::Error::Success();
}
HANDLER(Recorded, extended,
        .Ctx<ffi::Extension<Known<128>>>().Arg<F32>().Ret<F32>());
HANDLER(Collective, extended,
        .Ctx<ffi::Extension<Known<129>>>().Arg<F32>().Ret<F32>());
#endif

//===----------------------------------------------------------------------===//
// Untyped functions
//===----------------------------------------------------------------------===//

extern "C" {
/// Four numbers, doubled.
void Untyped1(void *out, const void **in) {
  for (int i = 0; i < 4; ++i)
    static_cast<float *>(out)[i] = 2 * static_cast<const float *>(in[0])[i];
}
/// Two results of four numbers.
void Untyped2(void *out, const void **in, void *) {
  for (int i = 0; i < 4; ++i) {
    static_cast<float **>(out)[0][i] = static_cast<const float *>(in[0])[i];
    static_cast<float **>(out)[1][i] = -static_cast<const float *>(in[1])[i];
  }
}
/// The length and the first byte of the configuration of the call.
void Untyped3(void *out, const void **in, const char *opaque, size_t size,
              void *) {
  static_cast<float *>(out)[0] = size;
  static_cast<float *>(out)[1] = size ? opaque[0] : -1;
  static_cast<float *>(out)[2] = static_cast<const float *>(in[0])[2];
  static_cast<float *>(out)[3] = 0;
}
}
