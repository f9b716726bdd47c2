//===- executable_test.cc - executables as bytes, donation, host calls ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of the runtime API with compiled programs.
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/compile.h"
#include "shardwright/compile/executable_test_programs.h"
#include "shardwright/compile/registration.h"
#include "shardwright/runtime/bounded_arrays.h"
#include "shardwright/runtime/custom_call.h"
#include "shardwright/runtime/random.h"
#include "shardwright/support/fault_injection.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <condition_variable>
#include <cstring>
#include <future>

using namespace shardwright;
using testing::HasSubstr;

namespace {

std::shared_ptr<Executable> compiled(llvm::StringRef text,
                                     CompileOptions options = {}) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << "the module does not parse";
    return nullptr;
  }
  auto result = compile(*module, options);
  return failed(result) ? nullptr : result->executable;
}

std::vector<Array> randomArguments(const Executable &executable) {
  std::vector<Array> arrays;
  for (const ValueSpec &spec : executable.arguments())
    arrays.push_back(
        llvm::cantFail(randomArray(spec.type, spec.shape, 1, arrays.size())));
  return arrays;
}

bool equal(const Array &x, const Array &y) {
  return x.type() == y.type() && x.shape() == y.shape() &&
         std::memcmp(x.data(), y.data(), x.bytes()) == 0;
}

TEST(Serialize, ThereAndBack) {
  auto executable = compiled(kernelsAndControlFlow);
  ASSERT_TRUE(executable);
  std::string bytes = llvm::cantFail(executable->serialize());
  EXPECT_EQ(bytes, llvm::cantFail(executable->serialize()));
  auto arguments = randomArguments(*executable);
  auto want = llvm::cantFail(executable->run(arguments));
  executable.reset();
  auto loaded = Executable::deserialize(bytes);
  ASSERT_TRUE(bool(loaded)) << toString(loaded.takeError());
  auto got = llvm::cantFail((*loaded)->run(arguments));
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_TRUE(equal(got[i], want[i])) << i;
  EXPECT_EQ((*loaded)->arguments()[0].name, "arg0");
  EXPECT_EQ(llvm::cantFail((*loaded)->serialize()), bytes);
}

TEST(Serialize, UnreducedValuesOfAnyRankStaySo) {
  auto executable = compiled(R"(
    sdy.mesh @mesh = <["x"=4, "y"=2]>
    func.func @main(%a: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced={"x"}>},
                    %b: tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced=max{"x":(1)2}>})
        -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced={"x"}>},
            tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced=max{"x":(1)2}>}) {
      return %a, %b : tensor<f32>, tensor<6xi32>
    })");
  ASSERT_TRUE(executable);
  auto loaded =
      Executable::deserialize(llvm::cantFail(executable->serialize()));
  ASSERT_TRUE(bool(loaded)) << toString(loaded.takeError());
  for (const Executable *which : {executable.get(), loaded->get()}) {
    for (auto values : {which->arguments(), which->results()}) {
      EXPECT_EQ(values[0].sharding.unreduced,
                UnreducedAxes::of({{0, 1, 4}}, ReductionKind::Sum));
      EXPECT_EQ(values[1].sharding.unreduced,
                UnreducedAxes::of({{0, 1, 2}}, ReductionKind::Max));
    }
    auto arguments = randomArguments(*which);
    auto results = llvm::cantFail(which->run(arguments));
    EXPECT_TRUE(equal(results[0], arguments[0]));
    EXPECT_TRUE(equal(results[1], arguments[1]));
  }
}

TEST(Serialize, BadBytesAreAnErrorThatSaysWhy) {
  auto executable = compiled(kernelsAndControlFlow);
  ASSERT_TRUE(executable);
  const std::string bytes = llvm::cantFail(executable->serialize());
  auto whyNot = [](llvm::StringRef bytes) {
    auto loaded = Executable::deserialize(bytes);
    return loaded ? std::string() : toString(loaded.takeError());
  };
  EXPECT_THAT(whyNot(""), HasSubstr("not an executable of shardwright"));
  EXPECT_THAT(whyNot("ELF"), HasSubstr("not an executable of shardwright"));
  for (size_t at = Executable::fileMagic.size(); at < bytes.size();
       at += bytes.size() / 200 + 1) {
    std::string other = bytes;
    other[at] ^= 1;
    EXPECT_THAT(whyNot(other), HasSubstr("damaged"));
    EXPECT_THAT(whyNot(llvm::StringRef(bytes).take_front(at)),
                HasSubstr("damaged"));
  }
}

TEST(Statistics, CountWhatTheProgramSays) {
  auto executable = compiled(R"(
    func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>) -> tensor<8x4xf32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
      %1 = stablehlo.exponential %0 : tensor<8x4xf32>
      %2 = stablehlo.add %1, %1 : tensor<8x4xf32>
      return %2 : tensor<8x4xf32>
    })");
  ASSERT_TRUE(executable);
  CostAnalysis cost = executable->cost();
  EXPECT_EQ(cost.flops, 2 * 8 * 16 * 4 + 32);
  EXPECT_EQ(cost.transcendentals, 32);
  EXPECT_EQ(cost.bytesAccessed, 4 * (8 * 16 + 16 * 4 + 32) + 4 * (32 + 32));
  MemoryStatistics memory = executable->memory();
  EXPECT_EQ(memory.arguments, 4 * (8 * 16 + 16 * 4));
  EXPECT_EQ(memory.results, 4 * 32);
}

Buffer onDevice(llvm::ArrayRef<float> values) {
  return llvm::cantFail(Client::shared().copyFromHost(
      {values.data(), ElementType::F32, {int64_t(values.size())}}, 0));
}

constexpr const char *update = R"(
  func.func @main(%p: tensor<64xf32> {tf.aliasing_output = 0 : i32}, %g: tensor<64xf32>) -> (tensor<64xf32>, tensor<f32>) {
    %rate = stablehlo.constant dense<0.5> : tensor<64xf32>
    %0 = stablehlo.multiply %g, %rate : tensor<64xf32>
    %1 = stablehlo.subtract %p, %0 : tensor<64xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%g init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
    return %1, %2 : tensor<64xf32>, tensor<f32>
  })";

TEST(Donation, AnUpdateIsInPlace) {
  auto executable = compiled(update);
  ASSERT_TRUE(executable);
  EXPECT_EQ(executable->memory().reusedByResults, 4 * 64);
  std::vector<float> p(64), g(64);
  for (int i = 0; i < 64; ++i) {
    p[i] = float(i);
    g[i] = float(2 * i);
  }
  Buffer parameter = onDevice(p);
  const void *memory = llvm::cantFail(parameter.await()).get();
  auto execution =
      llvm::cantFail(executable->execute({{parameter, onDevice(g)}}));
  auto result = llvm::cantFail(execution.results[0][0].await());
  EXPECT_EQ(result.get(), memory);
  EXPECT_TRUE(parameter.isDonated());
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(static_cast<const float *>(result.get())[i], 0);
}

TEST(Donation, WhatIsReadElsewhereIsNotOverwritten) {
  // Element 63 - i is still needed when element i is written.
  auto executable = compiled(R"(
    func.func @main(%p: tensor<64xf32> {tf.aliasing_output = 0 : i32}) -> tensor<64xf32> {
      %0 = stablehlo.reverse %p, dims = [0] : tensor<64xf32>
      %1 = stablehlo.add %p, %0 : tensor<64xf32>
      return %1 : tensor<64xf32>
    })");
  ASSERT_TRUE(executable);
  EXPECT_EQ(executable->memory().reusedByResults, 0);
  std::vector<float> p(64);
  for (int i = 0; i < 64; ++i)
    p[i] = float(i);
  auto execution = llvm::cantFail(executable->execute({{onDevice(p)}}));
  auto result = llvm::cantFail(execution.results[0][0].await());
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(static_cast<const float *>(result.get())[i], 63);
}

TEST(Donation, OutOfMemoryTakesNothing) {
  auto executable = compiled(update);
  ASSERT_TRUE(executable);
  Client client(1);
  std::vector<float> ones(64, 1);
  for (int64_t n = 0;; ++n) {
    ASSERT_LT(n, 20);
    Buffer parameter = onDevice(ones), gradient = onDevice(ones);
    std::string why;
    {
      cpu::InjectedFault fault(cpu::FaultKind::Allocation, -1, n);
      ExecuteOptions options;
      options.synchronous = true;
      auto execution =
          executable->execute({{parameter, gradient}}, client, options);
      if (!execution)
        why = toString(execution.takeError());
      else if (llvm::Error e = execution->done.await())
        why = toString(std::move(e));
    }
    if (why.empty())
      break; // every allocation has succeeded
    EXPECT_THAT(why, HasSubstr("memory"));
    EXPECT_FALSE(parameter.isDonated());
    auto again =
        llvm::cantFail(executable->execute({{parameter, gradient}}, client));
    auto result = llvm::cantFail(again.results[0][0].await());
    EXPECT_EQ(*static_cast<const float *>(result.get()), 0.5f);
  }
}

/// Blocks all waiters until it opens.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool isOpen = false;
  int waiting = 0;
  void wait() {
    std::unique_lock lock(mutex);
    ++waiting;
    changed.notify_all();
    changed.wait(lock, [&] { return isOpen; });
  }
  void awaitWaiting(int n) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return waiting == n; });
  }
  void open() {
    std::lock_guard lock(mutex);
    isOpen = true;
    changed.notify_all();
  }
};

TEST(HostCalls, ThatWaitLeaveThePoolToOthers) {
  static Gate gate;
  llvm::cantFail(registerCustomCall("test.wait", [](const CustomCall &call) {
    gate.wait();
    call.results[0].as<float>()[0] = 2 * call.operands[0].as<float>()[0];
    return llvm::Error::success();
  }));
  auto waits = compiled(R"(
    sdy.mesh @mesh = <["x"=4]>
    func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
      %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<1xf32>) {
        %1 = stablehlo.custom_call @test.wait(%b) {has_side_effect = true} : (tensor<1xf32>) -> tensor<1xf32>
        %2 = "stablehlo.all_reduce"(%1) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %s = stablehlo.add %x, %y : tensor<f32>
          stablehlo.return %s : tensor<f32>
        }) : (tensor<1xf32>) -> tensor<1xf32>
        sdy.return %2 : tensor<1xf32>
      } : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })");
  auto other = compiled(kernelsAndControlFlow);
  ASSERT_TRUE(waits && other);
  Client client(2); // fewer threads than blocking calls
  float values[] = {1, 2, 3, 4};
  Array argument = llvm::cantFail(Array::allocate(ElementType::F32, {4}));
  std::memcpy(argument.data(), values, sizeof values);
  auto results = std::async(std::launch::async, [&] {
    return llvm::cantFail(waits->run({argument}, client));
  });
  gate.awaitWaiting(4);
  for (int i = 0; i < 10; ++i)
    llvm::cantFail(other->run(randomArguments(*other), client));
  gate.open();
  Array sum = results.get()[0];
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(static_cast<const float *>(sum.data())[i], 20);
  unregisterCustomCall("test.wait");
}

TEST(HostCalls, AFailureEndsTheRun) {
  llvm::cantFail(registerCustomCall("test.fail", [](const CustomCall &call) {
    if (call.partition == 2)
      return llvm::createStringError("no");
    call.results[0].as<float>()[0] = 1;
    return llvm::Error(llvm::Error::success());
  }));
  auto executable = compiled(R"(
    module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
      func.func @main() -> tensor<f32> {
        %0 = stablehlo.custom_call @test.fail() {has_side_effect = true} : () -> tensor<f32>
        return %0 : tensor<f32>
      }
    })");
  ASSERT_TRUE(executable);
  auto results = executable->run({});
  ASSERT_FALSE(bool(results));
  EXPECT_THAT(toString(results.takeError()), HasSubstr("device 2: no"));
  unregisterCustomCall("test.fail");
}

TEST(MemoryKinds, ResultsAreWhereTheProgramSays) {
  auto executable = compiled(R"(
    func.func @main(%a: tensor<4xf32> {mhlo.memory_kind = "pinned_host"}) -> (tensor<4xf32> {mhlo.memory_kind = "device"}, tensor<4xf32> {mhlo.memory_kind = "pinned_host"}) {
      %0 = stablehlo.custom_call @annotate_device_placement(%a) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<4xf32>) -> tensor<4xf32>
      %1 = stablehlo.add %0, %0 : tensor<4xf32>
      %2 = stablehlo.custom_call @annotate_device_placement(%1) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<4xf32>) -> tensor<4xf32>
      return %1, %2 : tensor<4xf32>, tensor<4xf32>
    })");
  ASSERT_TRUE(executable);
  EXPECT_EQ(executable->arguments()[0].memory, MemoryKind::PinnedHost);
  Buffer host =
      llvm::cantFail(onDevice({1, 2, 3, 4}).on(0, MemoryKind::PinnedHost));
  EXPECT_EQ(host.memory(), MemoryKind::PinnedHost);
  auto execution = llvm::cantFail(executable->execute({{host}}));
  EXPECT_EQ(execution.results[0][0].memory(), MemoryKind::Device);
  EXPECT_EQ(execution.results[0][1].memory(), MemoryKind::PinnedHost);
  float back[4];
  llvm::cantFail(execution.results[0][1].copyTo(back));
  EXPECT_EQ(back[3], 8);
  llvm::cantFail(execution.done.await());
}

TEST(Bounded, ArraysHaveTheSizesThatAreUsed) {
  auto executable = compiled(R"(
    func.func @main(%a: tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<2xf32>) {
      %0 = stablehlo.add %a, %a : tensor<?x2xf32, #stablehlo.bounds<4, ?>>
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %1 = stablehlo.reduce(%0 init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<f32>) -> tensor<2xf32>
      return %0, %1 : tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<2xf32>
    })");
  ASSERT_TRUE(executable);
  EXPECT_EQ(withoutSizes(executable->arguments()).size(), 1u);
  EXPECT_EQ(str(executable->arguments(), 0), "f32[<=4,2]");
  for (int64_t n : {0, 1, 3, 4}) {
    Array a = llvm::cantFail(Array::allocate(ElementType::F32, {n, 2}));
    for (int64_t i = 0; i < 2 * n; ++i)
      static_cast<float *>(a.data())[i] = float(i + 1);
    auto results = llvm::cantFail(executable->run({a}));
    ASSERT_EQ(results.size(), 2u);
    EXPECT_EQ(results[0].shape(), a.shape());
    float want = 1;
    for (int64_t i = 0; i < n; ++i)
      want *= 2 * static_cast<const float *>(a.data())[2 * i];
    EXPECT_EQ(static_cast<const float *>(results[1].data())[0], want);
  }
  Array large = llvm::cantFail(Array::allocate(ElementType::F32, {5, 2}));
  auto results = executable->run({large});
  ASSERT_FALSE(bool(results));
  EXPECT_THAT(toString(results.takeError()),
              HasSubstr("is f32[<=4,2], but was given f32[5,2]"));
}

TEST(Executable, HasNoAliasOfResultsThatDoNotExist) {
  auto executable = compiled(R"(
    func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 4294967296 : i64},
                    %b: tensor<4xf32> {tf.aliasing_output = 0 : i32},
                    %c: tensor<4xf32> {tf.aliasing_output = -1 : i64}) -> tensor<4xf32> {
      %0 = stablehlo.add %a, %b : tensor<4xf32>
      return %0 : tensor<4xf32>
    })");
  ASSERT_TRUE(executable);
  std::vector<int32_t> aliases;
  for (const ValueSpec &spec : executable->arguments())
    aliases.push_back(spec.aliasedResult);
  EXPECT_THAT(aliases, testing::ElementsAre(-1, 0, -1));
}

} // namespace
