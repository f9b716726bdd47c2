//===- profile_json.h - a plugin's profile as a Chrome trace -- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_PROFILE_JSON_H
#define SHARDWRIGHT_REPORT_PROFILE_JSON_H

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shardwright {

/// A profile as plugins record it: what each device, or thread of the host,
/// did when.
struct DeviceProfile {
  struct Event {
    int64_t name = 0; ///< in Plane::names
    /// Since the line began.
    int64_t offsetPicoseconds = 0;
    int64_t durationPicoseconds = 0;
    /// Integers and texts by name.
    std::vector<std::pair<std::string, std::string>> statistics;
  };
  struct Line {
    std::string name;
    int64_t beginNanoseconds = 0; ///< since the epoch
    std::vector<Event> events;
  };
  /// A device, or the host.
  struct Plane {
    std::string name;
    std::vector<Line> lines;
    std::map<int64_t, std::string> names;
  };
  std::vector<Plane> planes;

  /// Reads a serialised tensorflow.profiler.XSpace.
  static llvm::Expected<DeviceProfile> read(llvm::StringRef bytes);
};

/// Writes the Trace Event Format (chrome://tracing, Perfetto): a process per
/// plane, a row per line. Times are in microseconds since the first line began.
void writeProfile(const DeviceProfile &profile, llvm::raw_ostream &os);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_PROFILE_JSON_H
