//===- lying_plugin_test.cc - plugins that break the rules ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs on a plugin in which one call after another fails, lies or is
// missing: the outcome is always the right result or an error, never a crash.
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/compile.h"
#include "shardwright/compile/registration.h"
#include "shardwright/pjrt_client/plugin_backend.h"
#include "shardwright/pjrt_client/plugin_client.h"
#include "shardwright/pjrt_client/plugin_profile.h"
#include "shardwright/pjrt_client/plugin_wait.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <dlfcn.h>
#include <mutex>
#include <set>

using namespace shardwright;
using namespace shardwright::pjrt_client;
using testing::HasSubstr;

namespace {

/// Sums over one mesh axis, moves data along the other, and donates.
constexpr const char *program = R"(
module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(
      %a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
      %b: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>, tf.aliasing_output = 1 : i32})
      -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
          tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
        : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.add %b, %b : tensor<4x4xf32>
    return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
  }
})";

void *library() {
  static void *handle = dlopen(LYING_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  return handle;
}
void configure(const std::string &settings) {
  reinterpret_cast<const void *(*)()>(dlsym(library(), "GetPjrtApi"))();
  reinterpret_cast<void (*)(const char *)>(
      dlsym(library(), "lying_plugin_configure"))(settings.c_str());
}
long calls() {
  return reinterpret_cast<long (*)()>(dlsym(library(), "lying_plugin_calls"))();
}

/// The plugin with its current table, which Plugin::load would keep.
llvm::Expected<std::shared_ptr<const Plugin>> loadAnew() {
  auto entry =
      reinterpret_cast<const PJRT_Api *(*)()>(dlsym(library(), "GetPjrtApi"));
  return Plugin::fromTable(entry(), "lying");
}

Array ramp() {
  Array array = llvm::cantFail(Array::allocate(ElementType::F32, {4, 4}));
  for (int i = 0; i < 16; ++i)
    static_cast<float *>(array.data())[i] = float(i % 5);
  return array;
}

std::string runPrograms(bool &isWrong, std::shared_ptr<PluginClient> made);

/// Profiles runPrograms with the plugin's profiler. Returns the first error, or
/// an empty text; wrong results are a test failure.
std::string runAll(bool &isWrong) {
  auto plugin = loadAnew();
  if (!plugin)
    return llvm::toString(plugin.takeError());
  auto made = PluginClient::create(*plugin, {{"num_devices", int64_t(4)}});
  if (!made)
    return llvm::toString(made.takeError());
  auto profile = PluginProfile::create(*plugin, defaultProfileOptions());
  if (!profile)
    return llvm::toString(profile.takeError());
  if (llvm::Error e = (*profile)->start())
    return llvm::toString(std::move(e));
  std::string error = runPrograms(isWrong, *made);
  if (!error.empty())
    return error;
  if (llvm::Error e = (*profile)->stop())
    return llvm::toString(std::move(e));
  auto recorded = (*profile)->collect();
  if (!recorded)
    return llvm::toString(recorded.takeError());
  isWrong |= !llvm::StringRef(*recorded).contains("stablehlo.dot_general");
  return "";
}

/// Compiles and runs the program, saves and loads it, and runs it on buffers.
std::string runPrograms(bool &isWrong, std::shared_ptr<PluginClient> made) {
  Client client(std::make_shared<PluginBackend>(made), 1);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string diagnostics;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    diagnostics += d.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
  CompileOptions options;
  options.backend = &client.backend();
  auto compiled = shardwright::compile(*module, options);
  if (failed(compiled))
    return diagnostics.empty() ? "failed without a diagnostic" : diagnostics;
  Array a = ramp();
  std::vector<float> sums(16), twice(16);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k)
        sums[i * 4 + j] += float((i * 4 + k) % 5) * float((k * 4 + j) % 5);
  for (int i = 0; i < 16; ++i)
    twice[i] = 2 * float(i % 5);
  auto check = [&](const Array &array, const std::vector<float> &expected) {
    isWrong |= !std::equal(expected.begin(), expected.end(),
                           static_cast<const float *>(array.data()));
  };
  auto runOn = [&](const Executable &executable) -> llvm::Error {
    auto results = executable.run({a, a}, client);
    if (!results)
      return results.takeError();
    check((*results)[0], sums);
    check((*results)[1], twice);
    return llvm::Error::success();
  };
  if (llvm::Error e = runOn(*compiled->executable))
    return llvm::toString(std::move(e));
  auto bytes = compiled->executable->serialize();
  if (!bytes)
    return llvm::toString(bytes.takeError());
  auto loaded = Executable::deserialize(*bytes, client.backend());
  if (!loaded)
    return llvm::toString(loaded.takeError());
  if (llvm::Error e = runOn(**loaded))
    return llvm::toString(std::move(e));
  // On buffers, with donation, twice in a row without waiting.
  std::vector<std::vector<Buffer>> arguments(4);
  for (int d = 0; d < 4; ++d)
    for (int64_t columns : {2, 4}) {
      std::vector<float> ones(2 * columns, 1.0f);
      int64_t shape[] = {2, columns};
      auto buffer =
          client.copyFromHost({ones.data(), ElementType::F32, shape, {}}, d);
      if (!buffer)
        return llvm::toString(buffer.takeError());
      arguments[d].push_back(*buffer);
    }
  for (int round = 0; round < 2; ++round) {
    auto run = compiled->executable->execute(arguments, client);
    if (!run)
      return llvm::toString(run.takeError());
    for (int d = 0; d < 4; ++d)
      arguments[d][1] = run->results[d][1];
  }
  for (int d = 0; d < 4; ++d) {
    std::vector<float> found(8);
    if (llvm::Error e = arguments[d][1].copyTo(found.data()))
      return llvm::toString(std::move(e));
    isWrong |= found != std::vector<float>(8, 4.0f);
  }
  return "";
}

/// Returns the error of a run with these settings, or an empty text. A wrong
/// result and a second error are failures of the test.
std::string outcome(const std::string &settings) {
  configure(settings);
  bool isWrong = false;
  std::string error = runAll(isWrong);
  EXPECT_FALSE(isWrong) << settings;
  EXPECT_LE(llvm::StringRef(error).rtrim('\n').count('\n'), 0u)
      << settings << ": " << error;
  return error;
}

TEST(LyingPlugin, OlderVersionRunsEverything) {
  EXPECT_EQ(outcome(""), "");
  EXPECT_EQ(outcome("minor=112,size=1144"), "");
  EXPECT_EQ(outcome("minor=999,size=1144"), "");
  // The table says more than its version has.
  EXPECT_EQ(outcome("minor=70,size=1144"), "");
}

TEST(LyingPlugin, OtherVersionsAndTables) {
  EXPECT_THAT(outcome("minor=40"), HasSubstr("expected 0.54 or later"));
  EXPECT_THAT(outcome("size=8"), HasSubstr("expected at least 40"));
  EXPECT_THAT(outcome("size=56"), HasSubstr("no functions to read errors"));
  EXPECT_THAT(outcome("size=64"),
              HasSubstr("does not have PJRT_Plugin_Initialize"));
}

TEST(LyingPlugin, Profilers) {
  EXPECT_EQ(outcome("profiler=query"), "");
  EXPECT_THAT(outcome("profiler=none"), HasSubstr("has no profiler"));
  EXPECT_THAT(outcome("profiler=huge"), HasSubstr("returned 1125899906842624"));
  for (auto [setting, function] :
       {std::pair("create", "Create"), std::pair("start", "Start"),
        std::pair("stop", "Stop"), std::pair("collect_data", "CollectData")}) {
    std::string name = setting;
    EXPECT_THAT(outcome("profiler=" + name),
                HasSubstr("lying: PLUGIN_Profiler_" + std::string(function)));
    EXPECT_THAT(
        outcome("profiler=null-" + name),
        HasSubstr("does not have PLUGIN_Profiler_" + std::string(function)));
  }
  // The profile is there when it cannot be destroyed.
  EXPECT_EQ(outcome("profiler=destroy"), "");
}

TEST(LyingPlugin, EveryCallFailsOnce) {
  ASSERT_EQ(outcome(""), "");
  const long count = calls();
  ASSERT_GT(count, 100);
  int failed = 0;
  for (long n = 1; n <= count; ++n) {
    std::string error = outcome("fail=" + std::to_string(n));
    failed += !error.empty();
    if (!error.empty())
      EXPECT_THAT(error, testing::AnyOf(HasSubstr("lying: PJRT_"),
                                        HasSubstr("lying: PLUGIN_Profiler_")))
          << n;
  }
  // Calls that destroy, and optional ones, may fail unnoticed.
  EXPECT_GT(failed, count / 3);
}

TEST(LyingPlugin, EveryAnswerIsWrongOnce) {
  ASSERT_EQ(outcome(""), "");
  const long count = calls();
  int failed = 0;
  for (unsigned seed = 1; seed <= 3; ++seed)
    for (long n = 1; n <= count; ++n)
      failed += !outcome("lie=" + std::to_string(n) +
                         ",seed=" + std::to_string(seed * 1000 + n))
                     .empty();
  EXPECT_GT(failed, count / 3);
}

TEST(LyingPlugin, EveryEventHangsOnce) {
  ASSERT_EQ(outcome(""), "");
  const long count = calls();
  WaitLimits limits;
  limits.timeout = WaitLimits::Seconds(0.2);
  limits.onStuckCall = [](llvm::StringRef text) {
    ADD_FAILURE() << "a call waits for an event: " << text.str();
  };
  setWaitLimits(limits);
  int failed = 0;
  std::set<std::string> functions;
  for (long n = 1; n <= count; ++n) {
    std::string error = outcome("hang=" + std::to_string(n));
    if (error.empty())
      continue;
    ++failed;
    EXPECT_THAT(error, HasSubstr("has not ended after 0.")) << n;
    EXPECT_THAT(error, HasSubstr("(device ")) << n;
    functions.insert(error.substr(0, error.find(" (device")));
  }
  setWaitLimits({});
  EXPECT_GT(failed, 10);
  EXPECT_THAT(functions, testing::IsSupersetOf(
                             {"lying: PJRT_LoadedExecutable_Execute",
                              "lying: PJRT_Buffer_ToHostBuffer",
                              "lying: PJRT_Client_BufferFromHostBuffer"}));
}

TEST(LyingPlugin, LongWaitsAreReported) {
  // The event of the first transfer: nothing else waits meanwhile.
  std::mutex mutex;
  std::vector<std::string> reports;
  WaitLimits limits;
  limits.report = WaitLimits::Seconds(0.1);
  limits.timeout = WaitLimits::Seconds(1);
  limits.onReport = [&](llvm::StringRef text) {
    std::lock_guard lock(mutex);
    reports.push_back(text.str());
  };
  ASSERT_EQ(outcome(""), "");
  const long count = calls();
  setWaitLimits(limits);
  for (long n = 1; n <= count && reports.empty(); ++n)
    outcome("hang=" + std::to_string(n));
  setWaitLimits({});
  std::lock_guard lock(mutex);
  ASSERT_GE(reports.size(), 3u);
  EXPECT_LE(reports.size(), 8u);
  EXPECT_THAT(reports[0], HasSubstr("lying: PJRT_"));
  EXPECT_THAT(reports[0], HasSubstr("waiting for 0.1 s"));
}

TEST(LyingPlugin, EveryFunctionIsMissing) {
  int failed = 0;
#define SLOT(name)                                                             \
  {                                                                            \
    std::string error = outcome("null=PJRT_" #name);                           \
    failed += !error.empty();                                                  \
    if (!error.empty() && std::string(#name) != "Error_GetCode")               \
      EXPECT_THAT(error, HasSubstr("does not have PJRT_" #name));              \
  }
  PJRT_API_SLOTS(SLOT)
#undef SLOT
  EXPECT_GT(failed, 15);
}

} // namespace
