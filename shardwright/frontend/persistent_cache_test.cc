//===- persistent_cache_test.cc - compiled programs in a directory --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include <filesystem>
#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace shardwright::frontend;
namespace fs = std::filesystem;

namespace {

/// Elements 0, 1, ...: made without a program.
Tensor numbers(int64_t n) {
  std::vector<float> elements(n);
  for (int64_t i = 0; i < n; ++i)
    elements[i] = static_cast<float>(i);
  return arrayOf(elements);
}

class PersistentCache : public testing::Test {
protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) /
             ("shardwright_programs_" + std::to_string(getpid()));
    fs::remove_all(folder);
    config::compilationCacheDir.setGlobal(folder.string());
    config::persistentCacheMinCompileTimeSecs.setGlobal(0);
    old = setWarningHandler(
        [this](const std::string &text) { warnings.push_back(text); });
  }
  void TearDown() override {
    for (const auto &[name, value] : std::map<std::string, std::string>{
             {"compilation_cache_dir", ""},
             {"enable_compilation_cache", "true"},
             {"compilation_cache_max_size", "-1"},
             {"persistent_cache_min_compile_time_secs", "1"},
             {"persistent_cache_min_entry_size_bytes", "0"},
             {"raise_persistent_cache_errors", "false"}})
      EXPECT_TRUE(updateConfig(name, value).ok()) << name;
    setWarningHandler(old);
    fs::permissions(folder, fs::perms::owner_all, problem);
    fs::remove_all(folder, problem);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    if (fs::exists(folder))
      for (const auto &entry : fs::directory_iterator(folder))
        out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
  }
  /// How many programs a call compiles as if in a new process.
  template <typename F> int64_t compiles(F &function, const Tensor &x) {
    clearCaches();
    int64_t before = jitCounts().compiles;
    auto result = function(x);
    EXPECT_TRUE(result.ok()) << result.error().str();
    if (result.ok())
      last = *result;
    return jitCounts().compiles - before;
  }

  fs::path folder;
  std::vector<std::string> warnings;
  WarningHandler old;
  std::error_code problem;
  Tensor last;
};

TEST_F(PersistentCache, ProgramsAreFound) {
  Mesh mesh =
      *Mesh::get(devices(), {static_cast<int64_t>(devices().size())}, {"x"});
  Tensor x = devicePut(numbers(16), *NamedSharding(mesh, P("x")));
  auto f = jit([](Tensor x) { return std::pair(x * 2.0, sum(x)); },
               {.name = "kept"});
  clearCaches();
  auto first = f(x);
  ASSERT_TRUE(first.ok()) << first.error().str();
  ASSERT_EQ(files().size(), 1u);
  EXPECT_THAT(files()[0].filename().string(),
              testing::MatchesRegex("jit_kept-[0-9a-f]{64}"));
  clearCaches();
  int64_t before = jitCounts().compiles;
  auto again = f(x);
  ASSERT_TRUE(again.ok()) << again.error().str();
  EXPECT_EQ(jitCounts().compiles, before);
  EXPECT_EQ(again->first.str(), first->first.str());
  EXPECT_EQ(again->first.sharding(), first->first.sharding());
  EXPECT_EQ(again->second.str(), first->second.str());
  EXPECT_EQ(warnings, std::vector<std::string>());
}

TEST_F(PersistentCache, WhatIsPartOfTheKey) {
  auto f = jit([](Tensor x) { return x + 0.125; }, {.name = "keyed"});
  EXPECT_EQ(compiles(f, numbers(8)), 1);
  EXPECT_EQ(compiles(f, numbers(4)), 1);
  EXPECT_EQ(compiles(f, devicePut(numbers(8), devices().back())), 1);
  auto unused =
      jit([](Tensor x, Tensor) { return x + 0.125; }, {.name = "keyed"});
  clearCaches();
  EXPECT_TRUE(unused(numbers(8), numbers(2)).ok());
  EXPECT_EQ(files().size(), 4u);
  EXPECT_EQ(compiles(f, numbers(8)), 0);
  EXPECT_EQ(compiles(f, numbers(4)), 0);
}

TEST_F(PersistentCache, WhatIsNotKept) {
  auto f = jit([](Tensor x) { return x + 0.25; }, {.name = "small"});
  config::persistentCacheMinCompileTimeSecs.setGlobal(1000);
  EXPECT_EQ(compiles(f, numbers(8)), 1);
  EXPECT_EQ(files().size(), 0u);
  config::persistentCacheMinCompileTimeSecs.setGlobal(0);
  config::persistentCacheMinEntrySizeBytes.setGlobal(1 << 30);
  EXPECT_EQ(compiles(f, numbers(8)), 1);
  EXPECT_EQ(files().size(), 0u);
  config::persistentCacheMinEntrySizeBytes.setGlobal(0);
  config::enableCompilationCache.setGlobal(false);
  EXPECT_EQ(compiles(f, numbers(8)), 1);
  EXPECT_EQ(files().size(), 0u);
  config::enableCompilationCache.setGlobal(true);
  // A function of this process.
  auto calls = jit(
      [](Tensor x) {
        return *pureCallback([](Tensor in) { return in; },
                             shapeDtypeStruct({8}, DType::F32), x);
      },
      {.name = "calls"});
  clearCaches();
  EXPECT_TRUE(calls(numbers(8)).ok());
  EXPECT_EQ(files().size(), 0u);
  EXPECT_EQ(compiles(f, numbers(8)), 1);
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(PersistentCache, TheLeastRecentlyUsedGoes) {
  auto program = [](double by, const std::string &name) {
    return jit([by](Tensor x) { return x * by; }, {.name = name});
  };
  auto a = program(3, "a"), b = program(5, "b"), c = program(7, "c");
  EXPECT_EQ(compiles(a, numbers(8)), 1);
  auto size = static_cast<int64_t>(fs::file_size(files()[0]));
  config::compilationCacheMaxSize.setGlobal(size * 5 / 2);
  EXPECT_EQ(compiles(b, numbers(8)), 1);
  fs::last_write_time(files()[0],
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  fs::last_write_time(files()[1],
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(compiles(a, numbers(8)), 0); // is used now
  EXPECT_EQ(compiles(c, numbers(8)), 1);
  ASSERT_EQ(files().size(), 2u);
  EXPECT_EQ(compiles(a, numbers(8)), 0);
  EXPECT_EQ(compiles(c, numbers(8)), 0);
  config::compilationCacheMaxSize.setGlobal(16);
  EXPECT_EQ(compiles(b, numbers(8)), 1);
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(PersistentCache, DamagedFilesAreNamed) {
  auto f = jit([](Tensor x) { return x - 0.5; }, {.name = "damaged"});
  EXPECT_EQ(compiles(f, numbers(8)), 1);
  ASSERT_EQ(files().size(), 1u);
  std::string path = files()[0].string(), wanted = last.str();
  for (std::string bytes :
       {std::string(), std::string("shardwright"), std::string(4000, 'x')}) {
    std::ofstream(path, std::ios::trunc | std::ios::binary) << bytes;
    warnings.clear();
    EXPECT_EQ(compiles(f, numbers(8)), 1);
    EXPECT_EQ(last.str(), wanted);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_THAT(warnings[0],
                testing::StartsWith("Error reading persistent compilation "
                                    "cache entry for 'jit_damaged': " +
                                    path));
    // The new program replaces the file.
    EXPECT_EQ(compiles(f, numbers(8)), 0);
  }
  std::ofstream(path, std::ios::trunc) << "none";
  config::raisePersistentCacheErrors.setGlobal(true);
  clearCaches();
  EXPECT_THAT(f(numbers(8)).error().text,
              testing::StartsWith("Error reading persistent compilation"));
}

TEST_F(PersistentCache, AFolderThatCannotBeMade) {
  std::ofstream(folder.string()) << "a file";
  auto f = jit([](Tensor x) { return x - 0.75; }, {.name = "nowhere"});
  EXPECT_EQ(compiles(f, numbers(8)), 1);
  ASSERT_FALSE(warnings.empty());
  EXPECT_THAT(warnings.back(), testing::HasSubstr("for 'jit_nowhere'"));
}

/// Values of settings as texts.
TEST(Settings, ByName) {
  EXPECT_EQ(*readConfig("jax_numpy_rank_promotion"), "allow");
  EXPECT_TRUE(updateConfig("numpy_rank_promotion", "warn").ok());
  EXPECT_EQ(config::numpyRankPromotion.get(), RankPromotion::Warn);
  EXPECT_TRUE(updateConfig("jax_numpy_rank_promotion", "allow").ok());
  EXPECT_EQ(updateConfig("numpy_rank_promotion", "Warn").error().text,
            "new enum value must be in ['allow', 'warn', 'raise'], got Warn "
            "for 'numpy_rank_promotion'");
  EXPECT_EQ(updateConfig("debug_nans", "maybe").error().text,
            "invalid truth value 'maybe' for 'debug_nans'");
  EXPECT_EQ(updateConfig("random_seed_offset", "1.5").error().text,
            "could not convert string to int: '1.5' for 'random_seed_offset'");
  EXPECT_EQ(updateConfig("jax_foo", "1").error().str(),
            "AttributeError: Unrecognized config option: jax_foo");
  EXPECT_EQ(*readConfig("persistent_cache_min_compile_time_secs"), "1");
  EXPECT_TRUE(updateConfig("random_seed_offset", "-12").ok());
  EXPECT_EQ(config::randomSeedOffset.get(), -12);
  EXPECT_TRUE(updateConfig("random_seed_offset", "0").ok());
  // A text of one thread.
  config::compilationCacheDir.setGlobal("/a");
  {
    ScopedConfig own(config::compilationCacheDir, std::string("/b"));
    EXPECT_EQ(config::compilationCacheDir.get(), "/b");
    EXPECT_EQ(config::compilationCacheDir.global(), "/a");
  }
  EXPECT_EQ(config::compilationCacheDir.get(), "/a");
  config::compilationCacheDir.setGlobal("");
}

} // namespace
