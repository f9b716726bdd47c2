//===- npz_test.cc - valid and corrupted npz files ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/npz/npz.h"

#include "shardwright/runtime/npz/npy_header.h"
#include "shardwright/runtime/random.h"
#include "shardwright/runtime/readers/random_reader.h"
#include "shardwright/support/shape.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sys/stat.h>
#include <thread>

using namespace shardwright;
using testing::AnyOf;
using testing::HasSubstr;

namespace {

using E = ElementType;

const E allTypes[] = {E::Pred,       E::S2,     E::S4,         E::S8,
                      E::S16,        E::S32,    E::S64,        E::U2,
                      E::U4,         E::U8,     E::U16,        E::U32,
                      E::U64,        E::F8E3M4, E::F8E4M3,     E::F8E4M3FN,
                      E::F8E4M3FNUZ, E::F8E5M2, E::F8E5M2FNUZ, E::F8E4M3B11FNUZ,
                      E::F8E8M0FNU,  E::F16,    E::BF16,       E::F32,
                      E::F64,        E::C64,    E::C128};

std::string temporary(const char *name) {
  llvm::SmallString<64> path;
  llvm::sys::fs::createUniqueDirectory("shardwright-npz", path);
  return (path + "/" + name).str();
}

std::string contents(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}
void write(const std::string &path, llvm::StringRef bytes) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  os << bytes;
}

template <typename T> std::string message(llvm::Expected<T> value) {
  return value ? std::string() : toString(value.takeError());
}

Array random(E type, llvm::ArrayRef<int64_t> shape, uint64_t stream = 0) {
  return llvm::cantFail(randomArray(type, shape, 7, stream));
}

bool same(const Array &a, const Array &b) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

/// A random box of an array.
Box randomBox(llvm::ArrayRef<int64_t> shape, std::mt19937 &generator) {
  Box box;
  for (int64_t size : shape) {
    box.begin.push_back(size ? generator() % size : 0);
    box.extent.push_back(generator() % (size - box.begin.back() + 1));
  }
  return box;
}

/// The elements of a box, read in both ways.
std::string elementsOf(ArrayReader &reader, const Box &box) {
  int64_t width = byteWidth(reader.type());
  auto strides = rowMajorStrides(box.extent, width);
  std::string alone(product(box.extent) * width, '?'), together = alone;
  llvm::cantFail(reader.read(box, alone.data(), strides));
  llvm::cantFail(readBoxes(reader, {{box, together.data(), strides}}));
  EXPECT_EQ(alone, together) << reader.str();
  return alone;
}

TEST(Npz, ReadersReadWhatIsInTheFile) {
  std::string path = temporary("map.npz");
  std::vector<NamedArray> arrays;
  llvm::SmallVector<E, 8> types;
  const llvm::SmallVector<int64_t, 4> shapes[] = {
      {}, {0, 3}, {5}, {2, 3, 4}, {40, 30}};
  for (E type : allTypes)
    for (const auto &shape : shapes) {
      arrays.push_back({"arg" + std::to_string(arrays.size()),
                        random(type, shape, arrays.size())});
      types.push_back(type);
    }
  ASSERT_EQ(toString(writeNpz(path, arrays)), "");
  std::mt19937 generator(5);
  for (NpzAccess access : {NpzAccess::Sequential, NpzAccess::Random}) {
    auto readers = openNumberedNpz(path, "arg", types, access);
    ASSERT_TRUE(bool(readers)) << toString(readers.takeError());
    for (size_t i = 0; i < arrays.size(); ++i) {
      ArrayReader &reader = *(*readers)[i];
      EXPECT_EQ(reader.isSequential(),
                access == NpzAccess::Sequential || reader.elements() == 0);
      EXPECT_TRUE(same(llvm::cantFail(readWhole(reader)), arrays[i].array));
      WholeArrayReader expected(arrays[i].array);
      RandomReader again(types[i], reader.shape(), 7, i);
      for (int round = 0; round < 4; ++round) {
        Box box = randomBox(reader.shape(), generator);
        std::string elements = elementsOf(reader, box);
        EXPECT_EQ(elements, elementsOf(expected, box)) << reader.str();
        EXPECT_EQ(elements, elementsOf(again, box)) << reader.str();
      }
    }
  }
  types[0] = E::F64;
  EXPECT_THAT(message(openNumberedNpz(path, "arg", types, NpzAccess::Random)),
              HasSubstr("member 'arg0': has elements of type"));
}

TEST(Npz, ReadersOfDamagedFilesReadNoByteThatIsNotThere) {
  std::string path = temporary("damaged.npz");
  std::vector<NamedArray> arrays;
  for (E type : {E::F32, E::Pred, E::S4, E::C128})
    arrays.push_back({"arg" + std::to_string(arrays.size()),
                      random(type, {20, 15}, arrays.size())});
  ASSERT_EQ(toString(writeNpz(path, arrays)), "");
  const E types[] = {E::F32, E::Pred, E::S4, E::C128};
  std::string bytes = contents(path);
  std::mt19937 generator(5);
  int failed = 0;
  for (int round = 0; round < 700; ++round) {
    std::string changed = bytes;
    for (int k = 1 + generator() % 4; k > 0; --k)
      changed[round % 2 ? generator() % changed.size()
                        : changed.size() - 1 - generator() % 500] =
          char(generator());
    if (round % 5 == 0)
      changed.resize(generator() % changed.size());
    write(path, changed);
    NpzAccess access = round % 3 ? NpzAccess::Random : NpzAccess::Sequential;
    auto readers = openNumberedNpz(path, "arg", types, access);
    if (!readers) {
      llvm::consumeError(readers.takeError());
      continue;
    }
    for (const auto &reader : *readers) {
      auto whole = readWhole(*reader);
      failed += !whole;
      if (!whole)
        llvm::consumeError(whole.takeError());
    }
  }
  EXPECT_GT(failed, 40); // checksums
}

TEST(Npz, EveryTypeComesBack) {
  std::string path = temporary("all.npz");
  std::vector<NamedArray> arrays;
  const llvm::SmallVector<int64_t, 4> shapes[] = {{}, {0, 3}, {5}, {2, 3, 4}};
  for (E type : allTypes)
    for (const auto &shape : shapes)
      arrays.push_back({"arg" + std::to_string(arrays.size()),
                        random(type, shape, arrays.size())});
  ASSERT_EQ(toString(writeNpz(path, arrays)), "");
  auto back = readNumberedNpz(path, "arg", arrays.size());
  ASSERT_TRUE(bool(back)) << toString(back.takeError());
  for (size_t i = 0; i < arrays.size(); ++i) {
    EXPECT_EQ((*back)[i].type(), numpyType(arrays[i].array.type()));
    auto typed = fromNumpyBits((*back)[i], arrays[i].array.type());
    ASSERT_TRUE(bool(typed)) << toString(typed.takeError());
    EXPECT_TRUE(same(*typed, arrays[i].array)) << typed->str();
  }
  // The file depends only on the arrays.
  std::string first = contents(path);
  ASSERT_EQ(toString(writeNpz(path, arrays)), "");
  EXPECT_EQ(first, contents(path));
}

TEST(Npz, NegativeNarrowIntegersAreBareBitsInTheFile) {
  Array a = llvm::cantFail(Array::allocate(E::S4, {2}));
  static_cast<int8_t *>(a.data())[0] = -1;
  static_cast<int8_t *>(a.data())[1] = 7;
  std::string path = temporary("s4.npz");
  ASSERT_EQ(toString(writeNpz(path, {{"x", a}})), "");
  auto back = llvm::cantFail(readNpz(path));
  EXPECT_EQ(static_cast<uint8_t *>(back[0].array.data())[0], 0x0f);
  Array typed = llvm::cantFail(fromNumpyBits(back[0].array, E::S4));
  EXPECT_EQ(static_cast<int8_t *>(typed.data())[0], -1);
  EXPECT_EQ(message(fromNumpyBits(back[0].array, E::BF16)),
            "has elements of type ui8, not bf16 (as ui16)");
  EXPECT_EQ(message(fromNumpyBits(back[0].array, E::F32)),
            "has elements of type ui8, not f32");
}

TEST(Npz, NumbersMissingAndTooMany) {
  std::string path = temporary("some.npz");
  Array a = random(E::F32, {2});
  ASSERT_EQ(toString(writeNpz(
                path, {{"arg0", a}, {"arg2", a}, {"arg01", a}, {"other", a}})),
            "");
  EXPECT_EQ(message(readNumberedNpz(path, "arg", 3)),
            path + ": no array 'arg1'; 3 expected, from 'arg0' on");
  EXPECT_EQ(message(readNumberedNpz(path, "arg", 1)),
            path + ": array 'arg2' is unexpected; 1 expected, from 'arg0' on");
  std::string none = temporary("none.npz");
  ASSERT_EQ(toString(writeNpz(none, {})), "");
  EXPECT_EQ(message(readNumberedNpz(none, "arg", 0)), "");
}

TEST(Npz, FilesThatAreNone) {
  std::string path = temporary("missing.npz");
  EXPECT_EQ(message(readNpz(path)),
            path + ": cannot read: No such file or directory");
  write(path, "");
  EXPECT_THAT(message(readNpz(path)), HasSubstr(path + ": cannot read as npz"));
  write(path, "hello, I am not a zip archive at all");
  EXPECT_THAT(message(readNpz(path)), HasSubstr(path + ": cannot read as npz"));
  Array a = random(E::F32, {2});
  EXPECT_THAT(toString(writeNpz("/nonexistent/x.npz", {{"a", a}})),
              HasSubstr("/nonexistent/x.npz: cannot write"));
}

TEST(Npz, LinksAndPipesStayWhatTheyAre) {
  Array a = random(E::F32, {2});
  std::string file = temporary("linked.npz"), link = temporary("link.npz"),
              pipe = temporary("pipe.npz");
  write(file, "");
  std::filesystem::create_symlink(file, link);
  ASSERT_EQ(toString(writeNpz(link, {{"a", a}})), "");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(message(readNpz(file)), "");

  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string copied = temporary("copied.npz");
  std::thread reader([&] {
    std::ifstream in(pipe, std::ios::binary);
    std::ofstream(copied, std::ios::binary) << in.rdbuf();
  });
  EXPECT_EQ(toString(writeNpz(pipe, {{"a", a}})), "");
  reader.join();
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(message(readNpz(copied)), "");
  EXPECT_THAT(toString(writeNpz(std::filesystem::temp_directory_path().string(),
                                {{"a", a}})),
              HasSubstr("cannot write: Is a directory"));
}

TEST(Npz, EveryDamagedByteIsSeenOrHarmless) {
  std::string path = temporary("damaged.npz");
  std::vector<NamedArray> arrays = {{"arg0", random(E::F32, {3, 5})},
                                    {"arg1", random(E::S64, {})}};
  ASSERT_EQ(toString(writeNpz(path, arrays)), "");
  std::string whole = contents(path);
  int accepted = 0;
  for (size_t i = 0; i < whole.size(); ++i)
    for (int change : {0xff, 0x01, 0x80}) {
      std::string bytes = whole;
      bytes[i] ^= change;
      write(path, bytes);
      auto back = readNpz(path);
      if (!back) {
        EXPECT_THAT(toString(back.takeError()), HasSubstr(path));
        continue;
      }
      // Names and times may change, but elements may not: they have a CRC.
      ++accepted;
      ASSERT_LE(back->size(), 2u);
      for (size_t k = 0; k < back->size(); ++k)
        EXPECT_TRUE(same((*back)[k].array, arrays[k].array)) << "byte " << i;
    }
  EXPECT_LT(accepted, int(whole.size() * 3 / 2));
  for (size_t size = 0; size < whole.size(); size += 3) {
    write(path, llvm::StringRef(whole).take_front(size));
    EXPECT_NE(message(readNpz(path)), "");
  }
}

std::string headerMessage(llvm::StringRef dict) {
  std::string header("\x93NUMPY\x01\x00", 8);
  header += char(dict.size() & 0xff);
  header += char(dict.size() >> 8);
  return message(parseNpyHeader(header + dict.str()));
}

TEST(NpyHeader, WhatPythonMayWrite) {
  EXPECT_EQ(headerMessage("{'descr': '<f4', 'fortran_order': False, 'shape': "
                          "(3, 4), }\n"),
            "");
  EXPECT_EQ(headerMessage("{\"shape\":(),\"descr\":\"|b1\",\"fortran_order\":"
                          "True}"),
            "");
  EXPECT_EQ(headerMessage("{'descr': '<V2', 'fortran_order': False, 'shape': "
                          "(3L,), }"),
            "");
  EXPECT_EQ(headerMessage("{'descr': '>f4', 'fortran_order': False, 'shape': "
                          "(3,), }"),
            "dtype '>f4' is big endian; save the array as little endian");
  EXPECT_EQ(headerMessage("{'descr': '<U5', 'fortran_order': False, 'shape': "
                          "(3,), }"),
            "dtype '<U5' is not supported");
  EXPECT_EQ(headerMessage("{'descr': [('x', '<f4')], 'fortran_order': False, "
                          "'shape': (3,), }"),
            "structured dtypes are not supported");
  for (const char *bad :
       {"", "{", "{}", "{'descr'}", "{'descr': '<f4'}", "[1]",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} more",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (3,)}"})
    EXPECT_NE(headerMessage(bad), "") << bad;
}

TEST(NpyHeader, RandomBytesDoNotCrash) {
  std::mt19937_64 random(3);
  const llvm::StringRef pieces[] = {
      "{", "}",    "'descr'",         ":", "'<f4'", "'shape'", "(", ")", "3",
      ",", "True", "'fortran_order'", "'", "[",     "\"",      " ", "-", "\n"};
  for (int i = 0; i < 20000; ++i) {
    std::string dict;
    for (int n = random() % 24; n > 0; --n)
      dict += pieces[random() % std::size(pieces)];
    headerMessage(dict);
  }
}

} // namespace
