//===- profile_json_test.cc - a plugin's profile as a Chrome trace --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/profile_json.h"

#include "shardwright/mesh/hlo/proto_wire.h"

#include "llvm/Support/JSON.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <random>

using namespace shardwright;

namespace {

std::string metadata(int64_t id, llvm::StringRef name) {
  ProtoWriter value, entry;
  value.varint(1, id);
  value.string(2, name);
  entry.varint(1, id);
  entry.message(2, value.take());
  return entry.take();
}

/// Two planes, one without names: times that fit no double exactly, statistics
/// of each kind, a field that nobody knows.
std::string profile() {
  ProtoWriter text, reference, number, event, line, plane;
  text.varint(1, 1);
  text.string(5, "f32[8,4]");
  reference.varint(1, 2);
  reference.varint(7, 1);
  number.varint(1, 3);
  number.varint(4, -7);
  event.varint(1, 5);
  event.varint(2, 1500);
  event.varint(3, 2'000'000);
  event.message(4, text.take());
  event.message(4, reference.take());
  event.message(4, number.take());
  line.varint(1, 1);
  line.string(2, "XLA Ops");
  line.varint(3, 1'700'000'000'000'000'123);
  line.message(4, event.take());
  line.varint(9, 4);
  // The names come after the line that uses them.
  plane.string(2, "/device:TPU:0");
  plane.message(3, line.take());
  plane.message(4, metadata(5, "fusion.1"));
  plane.message(5, metadata(1, "shape"));
  plane.message(5, metadata(2, "refers to"));
  plane.string(31, "unknown");
  ProtoWriter event2, line2, plane2;
  event2.varint(1, 77);
  line2.string(2, "hidden");
  line2.string(11, "shown");
  line2.varint(3, 1'700'000'000'000'001'123);
  line2.message(4, event2.take());
  plane2.string(2, "host \xff");
  plane2.message(3, line2.take());
  ProtoWriter space;
  space.message(1, plane.take());
  space.message(1, plane2.take());
  space.string(4, "hostname");
  return space.take();
}

std::string written(llvm::StringRef bytes) {
  auto read = DeviceProfile::read(bytes);
  if (!read)
    return llvm::toString(read.takeError());
  std::string text;
  llvm::raw_string_ostream os(text);
  writeProfile(*read, os);
  return text;
}

TEST(ProfileJson, PlanesLinesAndEvents) {
  auto json = llvm::cantFail(llvm::json::parse(written(profile())));
  const auto &events = *json.getAsObject()->getArray("traceEvents");
  ASSERT_EQ(events.size(), 6u);
  auto at = [&](size_t i) -> const llvm::json::Object & {
    return *events[i].getAsObject();
  };
  auto nameIn = [&](size_t i) {
    return at(i).getObject("args")->getString("name")->str();
  };
  EXPECT_EQ(nameIn(0), "/device:TPU:0");
  EXPECT_EQ(nameIn(1), "XLA Ops");
  const llvm::json::Object &op = at(2);
  EXPECT_EQ(op.getString("name"), "fusion.1");
  EXPECT_EQ(op.getString("ph"), "X");
  EXPECT_DOUBLE_EQ(*op.getNumber("ts"), 0.0015);
  EXPECT_DOUBLE_EQ(*op.getNumber("dur"), 2.0);
  const llvm::json::Object &args = *op.getObject("args");
  EXPECT_EQ(args.getString("shape"), "f32[8,4]");
  EXPECT_EQ(args.getString("refers to"), "shape");
  EXPECT_EQ(args.getString("3"), "-7");
  EXPECT_EQ(nameIn(3), "host \xef\xbf\xbd");
  EXPECT_EQ(nameIn(4), "shown");
  // A second line begins a microsecond later; events without a name.
  EXPECT_EQ(at(5).getString("name"), "77");
  EXPECT_NEAR(*at(5).getNumber("ts"), 1.0, 0.3);
  EXPECT_EQ(*at(5).getInteger("pid"), 1);
}

TEST(ProfileJson, NothingAndNoise) {
  EXPECT_THAT(written(""), testing::HasSubstr("\"traceEvents\":[]"));
  EXPECT_THAT(written("\x0a\xff"), testing::HasSubstr("not a tensorflow"));
  // What is cut or changed is an error, or another profile.
  const std::string good = profile();
  std::mt19937 random(1);
  for (size_t size = 0; size < good.size(); ++size) {
    std::string bad = good.substr(0, size);
    written(bad);
    for (int i = 0; i < 200; ++i) {
      bad = good;
      for (int changes = 1 + random() % 3; changes--;)
        bad[random() % bad.size()] = char(random());
      std::string text = written(bad);
      if (text.front() == '{')
        EXPECT_TRUE(bool(llvm::json::parse(text)));
    }
  }
}

} // namespace
