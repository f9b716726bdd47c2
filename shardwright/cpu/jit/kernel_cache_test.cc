//===- kernel_cache_test.cc - compiled kernels on disk --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/jit/kernel_cache.h"

#include "shardwright/cpu/jit/build_identity.h"
#include "shardwright/support/byte_stream.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace shardwright::cpu;
using llvm::StringRef;
using testing::HasSubstr;

namespace {

class KernelCacheTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("kernels", path));
    directory = path.str().str();
  }
  void TearDown() override {
    (void)llvm::sys::fs::remove_directories(directory);
  }

  std::vector<std::string> files() {
    std::vector<std::string> all;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(directory, error), end;
         it != end && !error; it.increment(error))
      all.push_back(it->path());
    return all;
  }
  static std::string load(const KernelCache &cache, StringRef symbol) {
    auto found = cache.find(symbol);
    if (!found)
      return "not found";
    auto object = cache.load(*found);
    return object ? (*object)->getBuffer().str() : toString(object.takeError());
  }

  std::string directory;
};

TEST_F(KernelCacheTest, AnObjectIsFoundUnderEachOfItsKernels) {
  KernelCache cache(directory, "this machine");
  llvm::cantFail(cache.store({"a", "b"}, "object one"));
  llvm::cantFail(cache.store({"c"}, "object two"));
  EXPECT_EQ(load(cache, "a"), "object one");
  EXPECT_EQ(load(cache, "b"), "object one");
  EXPECT_EQ(load(cache, "c"), "object two");
  EXPECT_EQ(load(cache, "d"), "not found");
  EXPECT_TRUE(cache.find("a")->id == cache.find("b")->id);
  EXPECT_FALSE(cache.find("a")->id == cache.find("c")->id);
  // Simulates another process, and another machine.
  EXPECT_EQ(load(KernelCache(directory, "this machine"), "a"), "object one");
  EXPECT_EQ(load(KernelCache(directory, "another"), "a"), "not found");
  EXPECT_EQ(files().size(), 3u); // no temporary files are left
}

TEST_F(KernelCacheTest, WhatOthersCanWriteIsNotUsed) {
  namespace fs = llvm::sys::fs;
  KernelCache cache(directory, "this machine");
  fs::perms own = fs::owner_all;
  ASSERT_FALSE(fs::setPermissions(directory, own));
  EXPECT_EQ(cache.distrust(), "");
  for (fs::perms others : {fs::group_write, fs::others_write}) {
    ASSERT_FALSE(fs::setPermissions(directory, own | others));
    EXPECT_EQ(cache.distrust(), "users other than its owner can write it");
  }
  ASSERT_FALSE(fs::setPermissions(directory, own));

  llvm::cantFail(cache.store({"a"}, "object"));
  std::string path = cache.find("a")->path;
  ASSERT_FALSE(fs::setPermissions(path, fs::owner_read | fs::owner_write |
                                            fs::group_write));
  EXPECT_EQ(load(cache, "a"), "users other than its owner can write it");
  ASSERT_FALSE(fs::setPermissions(path, fs::owner_read | fs::owner_write));
  EXPECT_EQ(load(cache, "a"), "object");
  if (geteuid() != 0)
    return; // files cannot be given away
  ASSERT_EQ(chown(path.c_str(), 12345, 12345), 0);
  EXPECT_EQ(load(cache, "a"), "it belongs to another user");
  ASSERT_EQ(chown(directory.c_str(), 12345, 12345), 0);
  EXPECT_EQ(cache.distrust(), "it belongs to another user");
}

TEST_F(KernelCacheTest, ADirectoryThatIsMadeIsForItsOwner) {
  std::string made = directory + "/one/two";
  mode_t before = umask(0);
  KernelCache cache(made, "this machine");
  llvm::cantFail(cache.store({"a"}, "object"));
  umask(before);
  EXPECT_EQ(cache.distrust(), "");
  EXPECT_EQ(load(cache, "a"), "object");
}

TEST_F(KernelCacheTest, ADamagedFileIsSaidAndGone) {
  KernelCache cache(directory, "this machine");
  for (int damage = 0; damage < 4; ++damage) {
    llvm::cantFail(cache.store({"a"}, "object"));
    std::string path = cache.find("a")->path;
    auto file = llvm::MemoryBuffer::getFile(path);
    std::string bytes = (*file)->getBuffer().str();
    if (damage == 0)
      bytes.back() ^= 1;
    else if (damage == 1)
      bytes.resize(bytes.size() - 1);
    else if (damage == 2)
      bytes = bytes.substr(0, 10);
    else
      bytes.clear();
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << bytes;
    EXPECT_EQ(load(cache, "a"), "it is damaged");
    EXPECT_EQ(load(cache, "a"), "not found");
  }
}

TEST_F(KernelCacheTest, TheLongestUnusedGoFirst) {
  std::string object(1000, 'x');
  KernelCache cache(directory, "this machine", 5500);
  auto now = std::chrono::system_clock::now();
  for (int i = 0; i < 10; ++i) {
    std::string name = std::to_string(i);
    llvm::cantFail(cache.store({name, name + "'"}, object));
    if (auto found = cache.find(name)) {
      int fd;
      ASSERT_FALSE(llvm::sys::fs::openFileForReadWrite(
          found->path, fd, llvm::sys::fs::CD_OpenExisting,
          llvm::sys::fs::OF_None));
      ASSERT_FALSE(llvm::sys::fs::setLastAccessAndModificationTime(
          fd, now - std::chrono::hours(100 - i)));
      auto file = llvm::sys::fs::convertFDToNativeFile(fd);
      ASSERT_FALSE(llvm::sys::fs::closeFile(file));
    }
  }
  EXPECT_LE(cache.trim(), 5500);
  EXPECT_EQ(load(cache, "0"), "not found");
  EXPECT_EQ(load(cache, "0'"), "not found");
  EXPECT_EQ(load(cache, "9"), object);
  EXPECT_EQ(load(cache, "9'"), object);
}

TEST_F(KernelCacheTest, TheSameTwiceLeavesNothing) {
  KernelCache cache(directory, "this machine");
  llvm::cantFail(cache.store({"a", "b", "b"}, "object"));
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(KernelCacheTest, ManyWriters) {
  KernelCache cache(directory, "this machine");
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        std::string name = std::to_string(i);
        llvm::cantFail(cache.store({name, "x" + name}, "object " + name));
        EXPECT_EQ(load(cache, "x" + name), "object " + name);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(files().size(), 40u);
}

TEST_F(KernelCacheTest, WhereNothingCanBeWritten) {
  KernelCache cache("/proc/no/such/place", "this machine");
  llvm::Error e = cache.store({"a"}, "object");
  EXPECT_THAT(toString(std::move(e)), HasSubstr("cannot be written"));
  EXPECT_EQ(load(cache, "a"), "not found");
}

TEST(CodeTarget, SaysWhatThisMachineLacks) {
  CodeTarget target = codeTarget();
  EXPECT_FALSE(bool(checkRunsHere(target)));
  // Code for fewer features runs here.
  target.features = "";
  EXPECT_FALSE(bool(checkRunsHere(target)));
  target.features = "+warp9,-sse";
  EXPECT_THAT(toString(checkRunsHere(target)), HasSubstr("with warp9, which"));
  target = codeTarget();
  target.triple = "riscv64-unknown-linux-gnu";
  EXPECT_THAT(toString(checkRunsHere(target)),
              HasSubstr("compiled for riscv64-unknown-linux-gnu"));
  target = codeTarget();
  target.version = "kernels 0";
  EXPECT_THAT(toString(checkRunsHere(target)), HasSubstr("\"kernels 0\""));
}

TEST(ByteStream, ThereAndBack) {
  ByteWriter writer;
  const int64_t numbers[] = {0,   1,   -1,   63,        64,       -64,
                             -65, 300, -300, INT64_MAX, INT64_MIN};
  for (int64_t n : numbers)
    writer.integer(n);
  writer.real(-0.0);
  writer.real(1e300);
  writer.string("text");
  writer.integers(std::vector<int32_t>{3, -4});
  std::string bytes = writer.take();
  ByteReader reader(bytes);
  for (int64_t n : numbers)
    EXPECT_EQ(reader.integer(), n);
  EXPECT_TRUE(std::signbit(reader.real()));
  EXPECT_EQ(reader.real(), 1e300);
  EXPECT_EQ(reader.string(), "text");
  std::vector<int32_t> list;
  reader.integers(list);
  EXPECT_EQ(list, (std::vector<int32_t>{3, -4}));
  EXPECT_TRUE(reader.atEnd() && !reader.failed());
  for (size_t size = 0; size < bytes.size(); ++size) {
    ByteReader part(StringRef(bytes).take_front(size));
    for (size_t i = 0; i < std::size(numbers); ++i)
      (void)part.integer();
    (void)part.real();
    (void)part.real();
    (void)part.string();
    std::vector<int64_t> rest;
    part.integers(rest);
    EXPECT_TRUE(part.failed()) << size;
  }
  for (char filler : {'\xff', '\x80'}) { // more than 10 bytes for one integer
    std::string longInteger(11, filler);
    longInteger += filler == '\xff' ? '\x7f' : '\0';
    ByteReader overlong(longInteger);
    EXPECT_EQ(overlong.integer(), 0);
    EXPECT_TRUE(overlong.failed());
  }
  ByteReader high(bytes);
  EXPECT_EQ(high.integer(1, 5), 1);
  EXPECT_TRUE(high.failed());
}

} // namespace
