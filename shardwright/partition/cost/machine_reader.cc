//===- machine_reader.cc - reads machine files ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/did_you_mean.h"
#include "shardwright/mesh/nesting.h"
#include "shardwright/partition/cost/machine_model.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>

using namespace llvm;

namespace shardwright {
namespace {

using Path = SmallVector<StringRef, 3>;

/// Devices of all levels together.
constexpr int64_t kMostInLevels = 1 << 20;

/// Finds the line of the value of a key; `text` is valid JSON.
class KeyFinder {
public:
  explicit KeyFinder(StringRef text) : text(text) {}

  int64_t lineOf(ArrayRef<StringRef> path) {
    size_t at = position(path);
    return 1 + text.take_front(at).count('\n');
  }

private:
  size_t position(ArrayRef<StringRef> path) {
    size_t depth = 0, matched = 0, key = 0;
    for (size_t i = 0; i < text.size() && matched < path.size(); ++i) {
      char c = text[i];
      if (c == '{' || c == '[')
        ++depth;
      else if (c == '}' || c == ']')
        --depth;
      if (c != '"')
        continue;
      size_t begin = ++i;
      while (i < text.size() && text[i] != '"')
        i += text[i] == '\\' ? 2 : 1;
      StringRef word = text.slice(begin, i);
      bool isKey = text.drop_front(i + 1).ltrim().starts_with(":");
      if (isKey && depth == matched + 1 && word == path[matched]) {
        ++matched;
        key = begin;
      }
    }
    return key;
  }

  StringRef text;
};

class Reader {
public:
  Reader(StringRef text, StringRef name) : text(text), name(name) {}

  Error read(MachineModel &machine);

private:
  Error fail(const Path &path, const Twine &what) {
    return createStringError(
        name + ":" + Twine(KeyFinder(text).lineOf(path)) + ": " +
        (path.empty() ? "" : join(path, ".") + ": ") + what);
  }
  Error wrong(const Path &path, const Twine &expected,
              const json::Value &found) {
    std::string shown;
    raw_string_ostream os(shown);
    os << found;
    if (shown.size() > 40)
      shown = StringRef(shown).take_front(40).str() + "...";
    return fail(path, "expected " + expected + ", found " + shown);
  }
  /// Visits the keys in alphabetical order.
  Error
  forEachKey(const Path &path, const json::Value &value,
             function_ref<Error(const Path &, const json::Value &)> visit);
  Error unknown(const Path &path, ArrayRef<StringRef> known) {
    return fail(path, "unknown key" + didYouMean(path.back(), known));
  }
  Error readNumber(const Path &path, const json::Value &value, double least,
                   double most, StringRef expected, double &into);
  /// Reads a positive rate within bounds that keep predictions finite.
  Error readRate(const Path &path, const json::Value &value, double &into);
  Error readSeconds(const Path &path, const json::Value &value, double &into);
  Error readFlops(const Path &path, const json::Value &value,
                  MachineModel &machine);
  Error readMemory(const Path &path, const json::Value &value,
                   MachineModel &machine);
  Error readLink(const Path &path, const json::Value &value, LinkModel &link);
  Error readLevel(const Path &path, const json::Value &value,
                  LevelModel &level);
  Error readLevels(const json::Value &value, MachineModel &machine);
  Error readProcessLink(const Path &path, const json::Value &value,
                        ProcessesModel &processes);
  Error readProcesses(const Path &path, const json::Value &value,
                      MachineModel &machine);

  StringRef text, name;
};

Error Reader::forEachKey(
    const Path &path, const json::Value &value,
    function_ref<Error(const Path &, const json::Value &)> visit) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return wrong(path, "an object", value);
  SmallVector<StringRef> keys;
  for (const auto &[key, inner] : *object)
    keys.push_back(key);
  sort(keys);
  for (StringRef key : keys) {
    Path inner = path;
    inner.push_back(key);
    if (Error e = visit(inner, *object->get(key)))
      return e;
  }
  return Error::success();
}

Error Reader::readRate(const Path &path, const json::Value &value,
                       double &into) {
  return readNumber(path, value, 1, 1e30, "a number from 1 to 1e30", into);
}

Error Reader::readSeconds(const Path &path, const json::Value &value,
                          double &into) {
  return readNumber(path, value, 0, 1000, "seconds from 0 to 1000", into);
}

Error Reader::readNumber(const Path &path, const json::Value &value,
                         double least, double most, StringRef expected,
                         double &into) {
  std::optional<double> number = value.getAsNumber();
  if (!number || !(*number >= least && *number <= most))
    return wrong(path, expected, value);
  into = *number;
  return Error::success();
}

Error Reader::readFlops(const Path &path, const json::Value &value,
                        MachineModel &machine) {
  if (value.getAsNumber())
    return readRate(path, value, machine.defaultFlopsPerSecond);
  return forEachKey(
      path, value, [&](const Path &key, const json::Value &v) -> Error {
        StringRef type = key.back();
        if (type == "default")
          return readRate(key, v, machine.defaultFlopsPerSecond);
        StringRef bits = type;
        bool isType = (bits.consume_front("bf") || bits.consume_front("f") ||
                       bits.consume_front("i")) &&
                      (bits.empty() || isDigit(bits.front()));
        if (!isType)
          return fail(key,
                      "expected an element type such as f32, bf16 or i8, or "
                      "default");
        return readRate(key, v, machine.flopsPerSecond[type.str()]);
      });
}

Error Reader::readMemory(const Path &path, const json::Value &value,
                         MachineModel &machine) {
  return forEachKey(
      path, value, [&](const Path &key, const json::Value &v) -> Error {
        if (key.back() == "bytes")
          return readRate(key, v, machine.memoryBytes);
        if (key.back() == "bytes_per_second")
          return readRate(key, v, machine.memoryBytesPerSecond);
        if (key.back() == "cache_bytes")
          return readRate(key, v, machine.cacheBytes);
        if (key.back() == "cache_bytes_per_second")
          return readRate(key, v, machine.cacheBytesPerSecond);
        return unknown(key, {"bytes", "bytes_per_second", "cache_bytes",
                             "cache_bytes_per_second"});
      });
}

Error Reader::readLink(const Path &path, const json::Value &value,
                       LinkModel &link) {
  return forEachKey(
      path, value, [&](const Path &key, const json::Value &v) -> Error {
        if (key.back() == "bytes_per_second")
          return readRate(key, v, link.bytesPerSecond);
        if (key.back() == "latency_seconds")
          return readSeconds(key, v, link.latencySeconds);
        if (key.back() == "shared_memory") {
          std::optional<bool> isShared = v.getAsBoolean();
          if (!isShared)
            return wrong(key, "true or false", v);
          link.isShared = *isShared;
          return Error::success();
        }
        if (key.back() != "directions")
          return unknown(key, {"bytes_per_second", "latency_seconds",
                               "directions", "shared_memory"});
        std::optional<int64_t> directions = v.getAsInteger();
        if (directions != 1 && directions != 2)
          return wrong(key, "1 or 2", v);
        link.directions = int32_t(*directions);
        return Error::success();
      });
}

Error Reader::readProcessLink(const Path &path, const json::Value &value,
                              ProcessesModel &processes) {
  return forEachKey(
      path, value, [&](const Path &key, const json::Value &v) -> Error {
        if (key.back() == "bytes_per_second")
          return readRate(key, v, processes.bytesPerSecond);
        if (key.back() == "latency_seconds")
          return readSeconds(key, v, processes.latencySeconds);
        if (key.back() == "message_seconds")
          return readSeconds(key, v, processes.messageSeconds);
        if (key.back() == "cached_bytes_per_second")
          return readRate(key, v, processes.cachedBytesPerSecond);
        if (key.back() == "inline_bytes")
          return readRate(key, v, processes.inlineBytes);
        return unknown(key, {"bytes_per_second", "latency_seconds",
                             "message_seconds", "cached_bytes_per_second",
                             "inline_bytes"});
      });
}

Error Reader::readProcesses(const Path &path, const json::Value &value,
                            MachineModel &machine) {
  ProcessesModel &processes = machine.processes.emplace();
  bool hasDevices = false;
  if (Error e = forEachKey(
          path, value, [&](const Path &key, const json::Value &v) -> Error {
            if (key.back() == "link")
              return readProcessLink(key, v, processes);
            int64_t *number = key.back() == "devices_per_process"
                                  ? &processes.devicesPerProcess
                              : key.back() == "per_host" ? &processes.perHost
                              : key.back() == "cores_per_host"
                                  ? &processes.coresPerHost
                                  : nullptr;
            if (!number)
              return unknown(key, {"devices_per_process", "per_host",
                                   "cores_per_host", "link"});
            constexpr int64_t most = 1 << 20;
            std::optional<int64_t> found = v.getAsInteger();
            if (!found || *found < 1 || *found > most)
              return wrong(key, "an integer from 1 to " + Twine(most), v);
            *number = *found;
            hasDevices |= number == &processes.devicesPerProcess;
            return Error::success();
          }))
    return e;
  if (!hasDevices)
    return fail(path, "expected devices_per_process, the number of devices of "
                      "each process");
  return Error::success();
}

Error Reader::readLevel(const Path &path, const json::Value &value,
                        LevelModel &level) {
  if (Error e = forEachKey(
          path, value, [&](const Path &key, const json::Value &v) -> Error {
            if (key.back() == "link")
              return readLink(key, v, level.link);
            if (key.back() == "name") {
              std::optional<StringRef> text = v.getAsString();
              if (!text || text->empty())
                return wrong(key, "a name", v);
              level.name = text->str();
              return Error::success();
            }
            if (key.back() != "size")
              return unknown(key, {"name", "size", "link"});
            std::optional<int64_t> size = v.getAsInteger();
            if (!size || *size < 1 || *size > kMostInLevels)
              return wrong(key, "an integer from 1 to " + Twine(kMostInLevels),
                           v);
            level.size = *size;
            return Error::success();
          }))
    return e;
  if (level.name.empty() || level.size == 0)
    return fail(path, level.name.empty()
                          ? "expected a name"
                          : "expected size, the number of devices (of the "
                            "first level) or of groups of the level before");
  return Error::success();
}

Error Reader::readLevels(const json::Value &value, MachineModel &machine) {
  const json::Array *list = value.getAsArray();
  if (!list)
    return wrong({"levels"}, "a list of levels from inside to outside", value);
  int64_t devices = 1;
  for (auto [i, entry] : enumerate(*list)) {
    std::string number = std::to_string(i + 1);
    Path path = {"levels", number};
    LevelModel level;
    level.link = machine.link;
    if (Error e = readLevel(path, entry, level))
      return e;
    if (any_of(machine.levels, [&](const LevelModel &other) {
          return other.name == level.name;
        }))
      return fail(path, "two levels are called '" + level.name + "'");
    if (level.size > kMostInLevels / devices)
      return fail(path, "the levels up to '" + level.name + "' multiply to " +
                            "more than " + Twine(kMostInLevels) + " devices");
    devices *= level.size;
    machine.levels.push_back(std::move(level));
  }
  return Error::success();
}

Error Reader::read(MachineModel &machine) {
  if (auto offset = findJsonNestingExcess(text)) {
    size_t line = text.take_front(*offset).count('\n') + 1;
    return createStringError(
        name + ":" + Twine(line) +
        ": the JSON nests deeper than the limit: at most " +
        Twine(maxJsonNesting) + " brackets within each other are allowed");
  }
  Expected<json::Value> value = json::parse(text);
  if (!value) {
    // "[line:column, byte=N]: message"
    std::string what = toString(value.takeError());
    StringRef rest = what, line = "1";
    if (rest.consume_front("["))
      line = rest.split(':').first;
    size_t end = rest.find("]: ");
    if (end != StringRef::npos)
      rest = rest.drop_front(end + 3);
    return createStringError(name + ":" + line + ": expected JSON: " + rest);
  }
  const json::Object *object = value->getAsObject();
  // Read the default link first: the links of axes inherit from it.
  if (const json::Value *link = object ? object->get("link") : nullptr)
    if (Error e = readLink({"link"}, *link, machine.link))
      return e;
  return forEachKey(
      {}, *value, [&](const Path &key, const json::Value &v) -> Error {
        StringRef top = key.back();
        if (top == "link")
          return Error::success();
        if (top == "name") {
          std::optional<StringRef> text = v.getAsString();
          if (!text)
            return wrong(key, "a string", v);
          machine.name = text->str();
          return Error::success();
        }
        if (top == "flops_per_second")
          return readFlops(key, v, machine);
        if (top == "memory")
          return readMemory(key, v, machine);
        if (top == "elementwise_flops_per_second")
          return readRate(key, v, machine.elementwiseFlopsPerSecond);
        if (top == "operation_seconds")
          return readSeconds(key, v, machine.operationSeconds);
        if (top == "contraction_seconds")
          return readSeconds(key, v, machine.contractionSeconds);
        if (top == "contraction_columns")
          return readNumber(key, v, 1, 65536, "a number from 1 to 65536",
                            machine.contractionColumns);
        if (top == "step_seconds")
          return readSeconds(key, v, machine.stepSeconds);
        if (top == "processes")
          return readProcesses(key, v, machine);
        if (top == "levels")
          return readLevels(v, machine);
        if (top == "links")
          return forEachKey(
              key, v, [&](const Path &axis, const json::Value &link) -> Error {
                LinkModel &own = machine.links[axis.back().str()];
                own = machine.link;
                return readLink(axis, link, own);
              });
        return unknown(key, {"name", "flops_per_second",
                             "elementwise_flops_per_second", "memory", "link",
                             "links", "levels", "operation_seconds",
                             "contraction_seconds", "contraction_columns",
                             "step_seconds", "processes"});
      });
}

} // namespace

Expected<MachineModel> MachineModel::parse(StringRef text, StringRef name) {
  MachineModel machine;
  machine.name = name.str();
  if (Error e = Reader(text, name).read(machine))
    return std::move(e);
  return machine;
}

Expected<MachineModel> MachineModel::read(StringRef path) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return createStringError("cannot read '" + path +
                             "': " + file.getError().message());
  return parse((*file)->getBuffer(), path);
}

} // namespace shardwright
