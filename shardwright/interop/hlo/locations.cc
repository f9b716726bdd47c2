//===- locations.cc - source locations of HLO instructions ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/hlo/locations.h"

#include "shardwright/interop/hlo/message_specs.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::hlo {

/// Limit of the frames of one call stack; outer frames beyond it are dropped.
/// MLIR recurses over the frames of a location.
static constexpr int maxFrames = 128;

static unsigned lineOrColumn(int64_t value) {
  return value > 0 ? unsigned(value) : 0;
}

/// The string with this number, counted from 1.
static StringRef nameAt(ArrayRef<StringRef> names, int64_t number) {
  return number >= 1 && number <= int64_t(names.size()) ? names[number - 1]
                                                        : StringRef();
}

Locations::Locations(const Module &module, MLIRContext *context)
    : context(context) {
  ProtoMessage table = module.fields.message(module_field::stack_frame_index);
  SmallVector<StringRef> files = table.strings(stack_field::file_names),
                         functions = table.strings(stack_field::function_names);
  std::vector<Location> places;
  for (const ProtoMessage &place :
       table.messages(stack_field::file_locations)) {
    using namespace file_location_field;
    StringRef file = nameAt(files, place.integer(file_name_id)),
              function = nameAt(functions, place.integer(function_name_id));
    Location at =
        FileLineColLoc::get(context, file, lineOrColumn(place.integer(line)),
                            lineOrColumn(place.integer(column)));
    if (!function.empty())
      at = NameLoc::get(StringAttr::get(context, function), at);
    places.push_back(at);
  }
  for (const ProtoMessage &frame : table.messages(stack_field::stack_frames)) {
    int64_t place = frame.integer(frame_field::file_location_id);
    bool isKnown = place >= 1 && place <= int64_t(places.size());
    frames.push_back(
        {isKnown ? places[place - 1] : Location(UnknownLoc::get(context)),
         frame.integer(frame_field::parent_frame_id)});
  }
}

LocationAttr Locations::stack(int64_t frame) {
  auto isFrame = [&](int64_t f) {
    return f >= 1 && f <= int64_t(frames.size());
  };
  if (!isFrame(frame))
    return {};
  LocationAttr &known = stacks[frame];
  if (known)
    return known;
  SmallVector<Location> inner; // innermost first
  for (int64_t f = frame; isFrame(f) && inner.size() < maxFrames;
       f = frames[f - 1].parent)
    inner.push_back(frames[f - 1].location);
  Location whole = inner.pop_back_val();
  while (!inner.empty())
    whole = CallSiteLoc::get(inner.pop_back_val(), whole);
  return known = whole;
}

Location Locations::position(const ProtoMessage &metadata) {
  using namespace metadata_field;
  if (LocationAttr frames = stack(metadata.integer(stack_frame_id)))
    return Location(frames);
  StringRef file = metadata.bytes(source_file);
  if (file.empty())
    return UnknownLoc::get(context);
  return FileLineColLoc::get(context, file,
                             lineOrColumn(metadata.integer(source_line)),
                             lineOrColumn(metadata.integer(source_column)));
}

Location Locations::of(const Instruction &instruction) {
  ProtoMessage metadata =
      instruction.fields.message(instruction_field::metadata);
  Location at = position(metadata);
  StringRef name = metadata.bytes(metadata_field::op_name);
  if (name.empty() && !isa<UnknownLoc>(at))
    return at;
  if (name.empty())
    name = instruction.name;
  return name.empty() ? at : NameLoc::get(StringAttr::get(context, name), at);
}

} // namespace shardwright::hlo
