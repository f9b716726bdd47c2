//===- xla_handlers_test.cc - functions of XLA's FFI and of C++ -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What test/oracle/frontend_ffi.py cannot compare with JAX: user data, typed
// functions of C++, and functions that fail or run programs. The handlers here
// are written in C, without XLA's headers.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"
#include "shardwright/pjrt_abi/ffi.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>

using namespace shardwright::frontend;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

std::vector<float> floatsOf(const Tensor &x) {
  auto values = x.toVector<float>();
  EXPECT_TRUE(values) << values.error().str();
  return values ? *values : std::vector<float>();
}
std::string errorOf(const Tensor &x) {
  auto values = x.toVector<float>();
  return values ? "no error" : values.error().str();
}
std::string errorOf(const Status &status) {
  return status ? "no error" : status.error().str();
}
Tensor floats(std::vector<float> values) { return arrayOf(values); }
Tensor called(const char *name, const Tensor &x,
              const ffi::Attributes &attributes = {},
              const ffi::CallOptions &options = {}) {
  return ffi::call(name, {x}, {x}, attributes, options)[0];
}

/// Registers a typed function for the life of the object.
struct ScopedFunction {
  ScopedFunction(std::string n, ffi::Function function) : name(std::move(n)) {
    Status status = ffi::registerTarget(name, std::move(function));
    EXPECT_TRUE(status) << status.error().str();
  }
  ~ScopedFunction() { EXPECT_TRUE(ffi::unregisterTarget(name)); }
  std::string name;
};

//===----------------------------------------------------------------------===//
// Handlers in C
//===----------------------------------------------------------------------===//

/// Answers a metadata call. False if the call is not one.
bool answerMetadata(XLA_FFI_CallFrame *frame) {
  if (!frame->extension_start)
    return false;
  auto *metadata =
      reinterpret_cast<XLA_FFI_Metadata_Extension *>(frame->extension_start)
          ->metadata;
  metadata->api_version.major_version = 0;
  metadata->api_version.minor_version = 3;
  return true;
}
float *resultOf(XLA_FFI_CallFrame *frame) {
  return static_cast<float *>(
      static_cast<XLA_FFI_Buffer *>(frame->rets.rets[0])->data);
}

XLA_FFI_TypeId secretType = {0};

/// Writes the integer that is the user data.
XLA_FFI_Error *tellSecret(XLA_FFI_CallFrame *frame) {
  if (answerMetadata(frame))
    return nullptr;
  XLA_FFI_ExecutionContext_Get_Args args = {sizeof(args), nullptr, frame->ctx,
                                            &secretType, nullptr};
  if (XLA_FFI_Error *error = frame->api->XLA_FFI_ExecutionContext_Get(&args))
    return error;
  *resultOf(frame) = static_cast<float>(*static_cast<int *>(args.data));
  return nullptr;
}
XLA_FFI_Error *throwNumber(XLA_FFI_CallFrame *frame) {
  if (answerMetadata(frame))
    return nullptr;
  throw 7;
}
/// Runs a program of the front end.
XLA_FFI_Error *runProgram(XLA_FFI_CallFrame *frame) {
  if (answerMetadata(frame))
    return nullptr;
  *resultOf(frame) = static_cast<float>(*(*jit(
      [](Tensor x) { return x * 3.0; })(arrayOf(std::vector<float>{2})))[0]
                                             .item());
  return nullptr;
}
XLA_FFI_Error *tooNew(XLA_FFI_CallFrame *frame) {
  answerMetadata(frame);
  reinterpret_cast<XLA_FFI_Metadata_Extension *>(frame->extension_start)
      ->metadata->api_version.minor_version = 99;
  return nullptr;
}

} // namespace

TEST(XlaHandlers, GetUserData) {
  ASSERT_TRUE(ffi::registerXlaType("test_secret", &secretType));
  EXPECT_NE(secretType.type_id, 0);
  EXPECT_THAT(errorOf(ffi::registerXlaType("test_secret", nullptr)),
              HasSubstr("needs a name"));
  ASSERT_TRUE(ffi::registerXlaHandler("test_tell_secret", tellSecret));
  auto compiled = jit([](Tensor x) { return called("test_tell_secret", x); });
  auto run = [&] { return compiled(floats({0})); };
  EXPECT_THAT(errorOf(run()), HasSubstr("NOT_FOUND: User data with type id"));
  int one = 1, two = 2;
  {
    ffi::ScopedUserData data(secretType, &one);
    EXPECT_THAT(floatsOf(run()), ElementsAre(1));
    ffi::ScopedUserData inner(secretType, &two);
    EXPECT_THAT(floatsOf(run()), ElementsAre(2));
  }
  EXPECT_THAT(errorOf(run()), HasSubstr("not found in execution context"));
}

TEST(XlaHandlers, MayFailAndRunPrograms) {
  Tensor x = floats({0});
  ASSERT_TRUE(ffi::registerXlaHandler("test_throw_number", throwNumber));
  EXPECT_THAT(errorOf(called("test_throw_number", x)),
              HasSubstr("UNKNOWN: XLA FFI call failed"));
  ASSERT_TRUE(ffi::registerXlaHandler("test_run_program", runProgram));
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(floatsOf(called("test_run_program", x)), ElementsAre(6));
}

TEST(XlaHandlers, AreRegisteredOnce) {
  EXPECT_TRUE(ffi::registerXlaHandler("test_twice", tellSecret));
  EXPECT_TRUE(ffi::registerXlaHandler("test_twice", tellSecret));
  EXPECT_THAT(errorOf(ffi::registerXlaHandler("test_twice", throwNumber)),
              HasSubstr("Duplicate FFI handler registration for test_twice"));
  auto function = [](const ffi::Call &) -> Status { return {}; };
  EXPECT_THAT(errorOf(ffi::registerTarget("test_twice", function)),
              HasSubstr("is registered already, as a handler of XLA's FFI"));
  ASSERT_TRUE(ffi::registerTarget("test_own", function));
  EXPECT_THAT(errorOf(ffi::registerXlaHandler("test_own", tellSecret)),
              HasSubstr("registered already, as a function of C++"));
  EXPECT_TRUE(ffi::unregisterTarget("test_own"));
  EXPECT_THAT(errorOf(ffi::registerXlaHandler("", tellSecret)),
              HasSubstr("needs a name"));
  EXPECT_THAT(errorOf(ffi::registerXlaHandler("test_null", nullptr)),
              HasSubstr("must provide an execute implementation"));
  EXPECT_THAT(errorOf(ffi::registerXlaHandler("test_new", tooNew)),
              HasSubstr("handler's API version (0.99) is incompatible"));
  EXPECT_THAT(errorOf(ffi::registerXlaHandler("lapack_spotrf_ffi", tooNew)),
              HasSubstr("is built in"));
  EXPECT_THAT(errorOf(ffi::registerUntypedHandler("test_null", nullptr)),
              HasSubstr("is a null pointer"));
  EXPECT_FALSE(ffi::findSymbol("", "no_such_symbol_anywhere"));
  EXPECT_TRUE(ffi::findSymbol("", "malloc"));
  EXPECT_THAT(errorOf(ffi::registerXlaHandlerFrom("/none.so", "f")),
              HasSubstr("NOT_FOUND: cannot open '/none.so'"));
}

TEST(TypedFunctions, GetWhatTheyBind) {
  std::vector<int64_t> seen;
  ScopedFunction target(
      "test_typed",
      ffi::bind()
          .arg<float>(1)
          .anyArg()
          .result<float>()
          .result<std::complex<float>>()
          .attribute<float>("factor")
          .attribute<std::string>("text")
          .attribute<std::vector<int32_t>>("list")
          .attribute<ffi::Attributes>("inner")
          .device()
          .to([&](ffi::Elements<const float> x, const ffi::Buffer &any,
                  ffi::Elements<float> y, ffi::Elements<std::complex<float>> z,
                  float factor, const std::string &text,
                  const std::vector<int32_t> &list,
                  const ffi::Attributes &inner, int32_t device) {
            seen = {any.elements(), static_cast<int64_t>(text.size()), list[1],
                    *inner.at("x").number<int64_t>(), device};
            EXPECT_EQ(x.shape(), Ints{3});
            for (size_t i = 0; i < x.size(); ++i) {
              y[i] = factor * x[i];
              z[i] = {x[i], -1};
            }
          }));
  Tensors outs = ffi::call(
      "test_typed",
      {shapeDtypeStruct({3}, DType::F32), shapeDtypeStruct({3}, DType::C64)},
      {floats({1, 2, 3}), arange(4)},
      {{"factor", 2.0f},
       {"text", "abc"},
       {"list", arrayOf(std::vector<int32_t>{5, 6})},
       {"inner", ffi::Attributes{{"x", int64_t(9)}}}});
  EXPECT_THAT(floatsOf(outs[0]), ElementsAre(2, 4, 6));
  EXPECT_THAT(floatsOf(lax::imag(outs[1])), ElementsAre(-1, -1, -1));
  EXPECT_THAT(seen, ElementsAre(4, 3, 6, 9, 0));
}

TEST(TypedFunctions, BindAnyNumber) {
  ScopedFunction target(
      "test_sum",
      ffi::bind().remainingArgs().remainingResults().attributes().to(
          [](const std::vector<ffi::Buffer> &args,
             const std::vector<ffi::Buffer> &results,
             const ffi::Attributes &attributes) -> Status {
            if (attributes.empty())
              return valueError("no attributes");
            for (const ffi::Buffer &result : results)
              *result.as<float>() = static_cast<float>(args.size());
            return {};
          }));
  Tensor one = shapeDtypeStruct({}, DType::F32), x = floats({1});
  Tensors outs = ffi::call("test_sum", {one, one}, {x, x, x}, {{"a", 1}});
  EXPECT_THAT(floatsOf(outs[1]), ElementsAre(3));
  EXPECT_THAT(errorOf(ffi::call("test_sum", {one}, {x})[0]),
              HasSubstr("foreign function 'test_sum': ValueError: no "
                        "attributes"));
}

TEST(TypedFunctions, RefuseOtherCallsWhenTheProgramIsCompiled) {
  std::atomic<int> calls = 0;
  ScopedFunction target(
      "test_scale",
      ffi::bind().arg<float>(1).result<float>().attribute<float>("factor").to(
          [&](ffi::Elements<const float> x, ffi::Elements<float> y,
              float factor) {
            ++calls;
            for (size_t i = 0; i < x.size(); ++i)
              y[i] = factor * x[i];
          }));
  Tensor x = floats({1, 2});
  EXPECT_THAT(floatsOf(called("test_scale", x, {{"factor", 3.0f}})),
              ElementsAre(3, 6));
  EXPECT_EQ(calls.exchange(0), 1);
  auto error = [&](const Tensors &args, const Tensors &results,
                   const ffi::Attributes &attributes) {
    auto traced =
        jit([&](Tensor) {
          return ffi::call("test_scale", results, args, attributes)[0];
        }).lower(x);
    EXPECT_TRUE(traced);
    auto compiled = traced->compile();
    EXPECT_FALSE(compiled);
    std::string text = compiled ? "" : compiled.error().str();
    EXPECT_THAT(text, HasSubstr("foreign function 'test_scale': "));
    return text;
  };
  ffi::Attributes good = {{"factor", 2.0f}};
  EXPECT_THAT(error({x, x}, {x}, good),
              HasSubstr("Wrong number of arguments: expected 1 but got 2"));
  EXPECT_THAT(error({x}, {x, x}, good),
              HasSubstr("Wrong number of results: expected 1 but got 2"));
  EXPECT_THAT(error({arange(2)}, {x}, good),
              HasSubstr("argument 0: Wrong buffer dtype: expected float32 but "
                        "got int32"));
  EXPECT_THAT(error({x}, {shapeDtypeStruct({2}, DType::I32)}, good),
              HasSubstr("result 0: Wrong buffer dtype"));
  EXPECT_THAT(error({zeros({2, 2})}, {x}, good),
              HasSubstr("argument 0: Wrong buffer rank: expected 1 but got 2"));
  EXPECT_THAT(error({x}, {x}, {}),
              HasSubstr("Wrong number of attributes: expected 1 but got 0"));
  EXPECT_THAT(error({x}, {x}, {{"factor", 2.0f}, {"more", 1}}),
              HasSubstr("but got 2 with name(s): factor, more"));
  EXPECT_THAT(error({x}, {x}, {{"other", 2.0f}}),
              HasSubstr("there is no attribute 'factor'; the call has other"));
  EXPECT_THAT(error({x}, {x}, {{"factor", 2.0}}),
              HasSubstr("attribute 'factor': expected a number of type float32 "
                        "but got a number of type float64"));
  EXPECT_THAT(error({x}, {x}, {{"factor", "two"}}),
              HasSubstr("but got a string"));
  EXPECT_EQ(calls, 0);
}

TEST(TypedFunctions, FailWithTheirName) {
  int kind = 0;
  ScopedFunction target(
      "test_fails",
      ffi::bind().arg<float>().result<float>().to(
          [&](ffi::Elements<const float>, ffi::Elements<float> y) -> Status {
            switch (kind) {
            case 1:
              throw std::runtime_error("thrown");
            case 2:
              throw 7;
            case 3:
              return typeError("returned");
            default:
              y[0] = static_cast<float>(
                  *jit([](Tensor x) { return x + 1.0; })(floats({4}))->item());
              return {};
            }
          }));
  auto compiled = jit([](Tensor x) { return called("test_fails", x); });
  auto run = [&](int k) {
    kind = k;
    return errorOf(compiled(floats({0})));
  };
  EXPECT_THAT(run(1), HasSubstr("INTERNAL: foreign function 'test_fails': "
                                "thrown"));
  EXPECT_THAT(run(2), HasSubstr("'test_fails': it threw an exception that is "
                                "not derived from std::exception"));
  EXPECT_THAT(run(3), HasSubstr("'test_fails': TypeError: returned"));
  EXPECT_EQ(run(0), "no error");
  kind = 0;
  EXPECT_THAT(floatsOf(compiled(floats({0}))), ElementsAre(5));
}

TEST(TypedFunctions, EndEndlessRecursion) {
  ScopedFunction target(
      "test_again",
      ffi::bind().arg<float>().result<float>().to(
          [](ffi::Elements<const float> x, ffi::Elements<float> y) -> Status {
            auto inner = jit([](Tensor x) { return called("test_again", x); })(
                floats({x[0] + 1}));
            auto value = inner->item();
            if (!value)
              return value.error();
            y[0] = static_cast<float>(*value);
            return {};
          }));
  EXPECT_THAT(errorOf(called("test_again", floats({0}))),
              HasSubstr("levels deep; end the recursion"));
}

TEST(FfiValues, AreOfTheirType) {
  EXPECT_EQ(*ffi::Value(DType::F32, 2).attribute(), "0x40000000 : f32");
  EXPECT_EQ(ffi::Value(DType::F32, 2).numberType(), DType::F32);
  EXPECT_EQ(ffi::Value(1.0f / 3).str(), "np.float32(0.33333334)");
  EXPECT_EQ(ffi::Value(DType::F64, 7).str(), "7.0");
  EXPECT_THAT(ffi::Value(DType::C64, 2).attribute().error().str(),
              HasSubstr("cannot be a number of type complex64"));
  EXPECT_FALSE(ffi::Value("text").numberType());
}
