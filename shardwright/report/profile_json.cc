//===- profile_json.cc - a plugin's profile as a Chrome trace -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/profile_json.h"

#include "shardwright/mesh/hlo/proto_wire.h"
#include "shardwright/report/json_text.h"
#include "shardwright/support/error.h"

#include "llvm/Support/JSON.h"

#include <algorithm>

using namespace llvm;

namespace shardwright {

//===----------------------------------------------------------------------===//
// Reading: the numbers of the fields are those of xplane.proto
//===----------------------------------------------------------------------===//

namespace {
using Names = std::map<int64_t, std::string>;

/// Calls `visit` with the reader at each field; false if the bytes, or what
/// `visit` reads, are malformed.
template <typename Visit>
bool readMessage(StringRef bytes, uint32_t varints, uint32_t lengths,
                 Visit visit) {
  ProtoReader reader(bytes, varints, lengths);
  while (!reader.atEnd())
    if (!reader.next() || !visit(reader))
      return false;
  return true;
}

/// An entry of a map from ids to metadata, {1: id, 2: {1: id, 2: name}}.
bool readName(StringRef bytes, Names &names) {
  int64_t id = 0;
  std::string name;
  if (!readMessage(bytes, fieldSet({1}), fieldSet({2}),
                   [&](const ProtoReader &entry) {
                     if (entry.field() == 1)
                       id = entry.varint();
                     if (entry.field() != 2)
                       return true;
                     return readMessage(entry.bytes(), 0, fieldSet({2}),
                                        [&](const ProtoReader &metadata) {
                                          if (metadata.field() == 2)
                                            name = metadata.bytes().str();
                                          return true;
                                        });
                   }))
    return false;
  names[id] = std::move(name);
  return true;
}

std::string nameOf(const Names &names, int64_t id) {
  auto it = names.find(id);
  return it == names.end() ? std::to_string(id) : it->second;
}

/// XStat: metadata_id 1, uint64 3, int64 4, str 5, ref 7. Floating-point
/// numbers and bytes are left out.
bool readStatistic(StringRef bytes, const Names &names,
                   DeviceProfile::Event &event) {
  std::string name;
  std::optional<std::string> value;
  bool isRead = readMessage(bytes, fieldSet({1, 3, 4, 7}), fieldSet({5}),
                            [&](const ProtoReader &field) {
                              switch (field.field()) {
                              case 1:
                                name = nameOf(names, field.varint());
                                break;
                              case 3:
                                value =
                                    std::to_string(uint64_t(field.varint()));
                                break;
                              case 4:
                                value = std::to_string(field.varint());
                                break;
                              case 5:
                                value = field.bytes().str();
                                break;
                              case 7:
                                value = nameOf(names, field.varint());
                                break;
                              }
                              return true;
                            });
  if (isRead && value)
    event.statistics.emplace_back(std::move(name), std::move(*value));
  return isRead;
}

/// XEvent: metadata_id 1, offset_ps 2, duration_ps 3, stats 4.
bool readEvent(StringRef bytes, const Names &statisticNames,
               DeviceProfile::Event &event) {
  return readMessage(
      bytes, fieldSet({1, 2, 3}), fieldSet({4}), [&](const ProtoReader &field) {
        switch (field.field()) {
        case 1:
          event.name = field.varint();
          break;
        case 2:
          event.offsetPicoseconds = field.varint();
          break;
        case 3:
          event.durationPicoseconds = field.varint();
          break;
        case 4:
          return readStatistic(field.bytes(), statisticNames, event);
        }
        return true;
      });
}

/// XLine: name 2, timestamp_ns 3, events 4, display_name 11.
bool readLine(StringRef bytes, const Names &statisticNames,
              DeviceProfile::Line &line) {
  std::string displayName;
  bool isRead = readMessage(bytes, fieldSet({3}), fieldSet({2, 4, 11}),
                            [&](const ProtoReader &field) {
                              switch (field.field()) {
                              case 2:
                                line.name = field.bytes().str();
                                break;
                              case 3:
                                line.beginNanoseconds = field.varint();
                                break;
                              case 4:
                                return readEvent(field.bytes(), statisticNames,
                                                 line.events.emplace_back());
                              case 11:
                                displayName = field.bytes().str();
                                break;
                              }
                              return true;
                            });
  if (!displayName.empty())
    line.name = std::move(displayName);
  return isRead;
}

/// XPlane: name 2, lines 3, event_metadata 4, stat_metadata 5. Names may come
/// after the lines that use them.
bool readPlane(StringRef bytes, DeviceProfile::Plane &plane) {
  std::vector<StringRef> lines;
  Names statisticNames;
  if (!readMessage(bytes, 0, fieldSet({2, 3, 4, 5}),
                   [&](const ProtoReader &field) {
                     switch (field.field()) {
                     case 2:
                       plane.name = field.bytes().str();
                       break;
                     case 3:
                       lines.push_back(field.bytes());
                       break;
                     case 4:
                       return readName(field.bytes(), plane.names);
                     case 5:
                       return readName(field.bytes(), statisticNames);
                     }
                     return true;
                   }))
    return false;
  return all_of(lines, [&](StringRef line) {
    return readLine(line, statisticNames, plane.lines.emplace_back());
  });
}
} // namespace

Expected<DeviceProfile> DeviceProfile::read(StringRef bytes) {
  DeviceProfile profile;
  // XSpace: planes 1.
  if (!readMessage(bytes, 0, fieldSet({1}), [&](const ProtoReader &field) {
        return field.field() != 1 ||
               readPlane(field.bytes(), profile.planes.emplace_back());
      }))
    return fail("the profile is not a tensorflow.profiler.XSpace");
  return profile;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Writes the name of a process or of a row of it.
static void writeName(json::OStream &out, StringRef kind, size_t process,
                      std::optional<size_t> row, StringRef name) {
  out.object([&] {
    out.attribute("name", kind);
    out.attribute("ph", "M");
    out.attribute("pid", int64_t(process));
    if (row)
      out.attribute("tid", int64_t(*row));
    out.attributeObject("args", [&] { out.attribute("name", jsonText(name)); });
  });
}

void writeProfile(const DeviceProfile &profile, raw_ostream &os) {
  std::optional<int64_t> first;
  for (const DeviceProfile::Plane &plane : profile.planes)
    for (const DeviceProfile::Line &line : plane.lines)
      if (!line.events.empty())
        first = std::min(first.value_or(line.beginNanoseconds),
                         line.beginNanoseconds);
  json::OStream out(os);
  auto writeLine = [&](const DeviceProfile::Plane &plane, size_t process,
                       const DeviceProfile::Line &line, size_t row) {
    writeName(out, "thread_name", process, row, line.name);
    // Of any plugin: no sum may overflow.
    double begin = double(line.beginNanoseconds) - double(first.value_or(0));
    for (const DeviceProfile::Event &event : line.events)
      out.object([&] {
        out.attribute("name", jsonText(nameOf(plane.names, event.name)));
        out.attribute("ph", "X");
        out.attribute("pid", int64_t(process));
        out.attribute("tid", int64_t(row));
        out.attribute("ts",
                      begin / 1e3 + double(event.offsetPicoseconds) / 1e6);
        out.attribute("dur", double(event.durationPicoseconds) / 1e6);
        if (!event.statistics.empty())
          out.attributeObject("args", [&] {
            for (const auto &[name, value] : event.statistics)
              out.attribute(jsonText(name), jsonText(value));
          });
      });
  };
  out.object([&] {
    out.attribute("displayTimeUnit", "ns");
    out.attributeArray("traceEvents", [&] {
      for (auto [process, plane] : enumerate(profile.planes)) {
        if (plane.lines.empty())
          continue;
        writeName(out, "process_name", process, std::nullopt, plane.name);
        for (auto [row, line] : enumerate(plane.lines))
          writeLine(plane, process, line, row);
      }
    });
  });
  os << "\n";
}

} // namespace shardwright
