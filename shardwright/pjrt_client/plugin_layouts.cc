//===- plugin_layouts.cc - layouts and memories of arrays ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/plugin_layouts.h"

#include "shardwright/pjrt_abi/element_types.h"
#include "shardwright/pjrt_abi/extensions.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace shardwright;
using namespace shardwright::pjrt_client;

//===----------------------------------------------------------------------===//
// Layouts as the interface takes them
//===----------------------------------------------------------------------===//

MemoryLayout::MemoryLayout() : layout(makeStruct<PJRT_Buffer_MemoryLayout>()) {
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled = makeStruct<PJRT_Buffer_MemoryLayout_Tiled>();
}

void MemoryLayout::finish() {
  layout.tiled.minor_to_major = order.data();
  layout.tiled.minor_to_major_size = order.size();
  layout.tiled.tile_dims = tileDims.data();
  layout.tiled.tile_dim_sizes = tileRanks.data();
  layout.tiled.num_tiles = tileRanks.size();
}

std::unique_ptr<MemoryLayout> MemoryLayout::rowMajor(size_t rank) {
  std::unique_ptr<MemoryLayout> made(new MemoryLayout());
  for (size_t d = rank; d-- > 0;)
    made->order.push_back(int64_t(d));
  made->finish();
  return made;
}

/// Reads integers with commas up to `end`, which it removes too.
static bool takeList(llvm::StringRef &text, char end,
                     llvm::SmallVectorImpl<int64_t> &list) {
  size_t length = text.find(end);
  if (length == llvm::StringRef::npos)
    return false;
  llvm::StringRef inside = text.take_front(length);
  text = text.drop_front(length + 1);
  if (inside.empty())
    return true;
  for (llvm::StringRef part : llvm::split(inside, ','))
    if (part.getAsInteger(10, list.emplace_back()) || list.back() < 0)
      return false;
  return true;
}

llvm::Expected<std::unique_ptr<MemoryLayout>>
MemoryLayout::parse(llvm::StringRef text, size_t rank) {
  auto wrong = [&] {
    return fail("'", text, "' is no layout of an array of rank ", rank,
                "; layouts are permutations of the dimensions from minor to "
                "major, as {1,0}, perhaps with tiles, as {1,0:T(8,128)}");
  };
  std::unique_ptr<MemoryLayout> made(new MemoryLayout());
  llvm::StringRef rest = text;
  if (!rest.consume_front("{") || !rest.consume_back("}"))
    return wrong();
  auto [dims, attributes] = rest.split(':');
  std::string list = dims.str() + ";";
  llvm::StringRef order = list;
  if (!takeList(order, ';', made->order) || made->order.size() != rank)
    return wrong();
  llvm::SmallBitVector seen(rank);
  for (int64_t d : made->order) {
    if (d >= int64_t(rank) || seen[d])
      return wrong();
    seen.set(d);
  }
  // T(8,128)(2,1)E(4)S(1): only tiles may have several lists.
  for (char kind = 0; !attributes.empty();) {
    if (attributes.front() != '(') {
      kind = attributes.front();
      attributes = attributes.drop_front();
      if (!llvm::StringRef("TES").contains(kind))
        return wrong();
    }
    llvm::SmallVector<int64_t, 4> values;
    if (!attributes.consume_front("(") || !takeList(attributes, ')', values))
      return wrong();
    if (kind == 0 || values.empty() || (kind != 'T' && values.size() != 1))
      return wrong();
    if (kind != 'T') {
      kind = 0;
      continue;
    }
    made->tileRanks.push_back(values.size());
    made->tileDims.append(values);
  }
  made->finish();
  return made;
}

//===----------------------------------------------------------------------===//
// Layouts that the plugin chose
//===----------------------------------------------------------------------===//

/// Calls a function of the extension, if it is long enough to have it.
#define LAYOUTS_CALL(plugin, function, args)                                   \
  callLayouts(plugin, "PJRT_Layouts_" #function,                               \
              &PJRT_Layouts_Extension::PJRT_Layouts_##function, args)

template <typename Args>
static llvm::Error
callLayouts(const Plugin &plugin, const char *name,
            PJRT_Error *(*PJRT_Layouts_Extension::*function)(Args *),
            Args &args) {
  static const PJRT_Layouts_Extension layout = {};
  size_t end = reinterpret_cast<const char *>(&(layout.*function)) -
               reinterpret_cast<const char *>(&layout) + sizeof(void *);
  auto *extension = reinterpret_cast<const PJRT_Layouts_Extension *>(
      plugin.extension(PJRT_Extension_Type_Layouts, end));
  return plugin.call(name, extension ? extension->*function : nullptr, args);
}

/// Takes the text of a layout.
static llvm::Expected<std::string> textOf(const Plugin &plugin,
                                          PJRT_Layouts_MemoryLayout *layout) {
  constexpr const char *function = "PJRT_Layouts_MemoryLayout_Serialize";
  if (!layout)
    return plugin.wrong(function, "no layout");
  auto args = makeStruct<PJRT_Layouts_MemoryLayout_Serialize_Args>();
  args.layout = layout;
  if (llvm::Error e = LAYOUTS_CALL(plugin, MemoryLayout_Serialize, args))
    return e;
  auto text =
      plugin.text(function, args.serialized_bytes, args.serialized_bytes_size);
  if (args.serialized_layout_deleter)
    args.serialized_layout_deleter(args.serialized_layout);
  return text;
}

/// Takes the text of a layout that belongs to us, and destroys it.
static llvm::Expected<std::string>
textOfOwned(const Plugin &plugin, PJRT_Layouts_MemoryLayout *layout) {
  auto text = textOf(plugin, layout);
  if (layout) {
    auto args = makeStruct<PJRT_Layouts_MemoryLayout_Destroy_Args>();
    args.layout = layout;
    llvm::consumeError(LAYOUTS_CALL(plugin, MemoryLayout_Destroy, args));
  }
  return text;
}

/// Empty for the plugin's default layout, as far as the plugin says which.
static std::string orEmpty(const PluginClient &client, const ArrayType &type,
                           std::string text) {
  auto args = makeStruct<PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args>();
  args.client = client.handle();
  args.type = pjrt::toPjrt(type.type);
  args.dims = type.shape.data();
  args.num_dims = type.shape.size();
  if (llvm::Error e =
          LAYOUTS_CALL(client.plugin(), PJRT_Client_GetDefaultLayout, args)) {
    llvm::consumeError(std::move(e));
    return text;
  }
  auto standard = textOfOwned(client.plugin(), args.layout);
  if (!standard)
    llvm::consumeError(standard.takeError());
  return standard && *standard == text ? "" : text;
}

llvm::Expected<std::string> pjrt_client::layoutOf(const PluginClient &client,
                                                  PJRT_Buffer *buffer,
                                                  const ArrayType &type) {
  auto args = makeStruct<PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args>();
  args.buffer = buffer;
  if (llvm::Error e =
          LAYOUTS_CALL(client.plugin(), PJRT_Buffer_MemoryLayout, args))
    return e;
  auto text = textOfOwned(client.plugin(), args.layout);
  if (!text)
    return text.takeError();
  return orEmpty(client, type, std::move(*text));
}

/// The layouts of all arguments or results. They belong to the executable.
static llvm::Expected<llvm::ArrayRef<PJRT_Layouts_MemoryLayout *>>
listLayouts(const Plugin &plugin, PJRT_Executable *executable, bool ofArguments,
            size_t expected) {
  const char *function = "PJRT_Layouts_PJRT_Executable_GetOutputLayouts";
  PJRT_Layouts_MemoryLayout **list;
  size_t count;
  if (ofArguments) {
    function = "PJRT_Layouts_PJRT_Executable_GetParameterLayouts";
    auto args =
        makeStruct<PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args>();
    args.executable = executable;
    if (llvm::Error e =
            LAYOUTS_CALL(plugin, PJRT_Executable_GetParameterLayouts, args))
      return e;
    list = args.layouts;
    count = args.num_parameters;
  } else {
    auto args =
        makeStruct<PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args>();
    args.executable = executable;
    if (llvm::Error e =
            LAYOUTS_CALL(plugin, PJRT_Executable_GetOutputLayouts, args))
      return e;
    list = args.layouts;
    count = args.num_outputs;
  }
  if (count != expected || !list)
    return plugin.wrong(function, llvm::Twine(count) + " layouts" +
                                      (list ? "" : " in a null list") +
                                      ", expected " + llvm::Twine(expected));
  return llvm::ArrayRef(list, count);
}

llvm::Expected<std::vector<std::string>> pjrt_client::compiledLayouts(
    const PluginClient &client, PJRT_Executable *executable, bool ofArguments,
    llvm::ArrayRef<Placement> wanted, llvm::ArrayRef<ArrayType> types) {
  std::vector<std::string> texts;
  auto *first = llvm::find_if(
      wanted, [](const Placement &place) { return !place.layout.empty(); });
  if (first == wanted.end())
    return texts;
  const char *side = ofArguments ? "argument " : "result ";
  const Plugin &plugin = client.plugin();
  auto list = listLayouts(plugin, executable, ofArguments, wanted.size());
  if (!list)
    return fail("the program asks for layout ", first->layout, " of ", side,
                first - wanted.begin(),
                ", and the plugin cannot be asked for "
                "it (",
                llvm::toString(list.takeError()),
                "); remove mhlo.layout_mode from the program");
  for (auto [i, place, type] : llvm::enumerate(wanted, types)) {
    std::string &text = texts.emplace_back();
    if (place.layout.empty())
      continue;
    auto found = textOf(plugin, (*list)[i]);
    if (!found)
      return found.takeError();
    auto parsed = MemoryLayout::parse(*found, type.shape.size());
    if (!parsed)
      return fail(plugin.name(), ": ", side, i, ": ",
                  llvm::toString(parsed.takeError()));
    if (place.layout != "auto") {
      auto asked = MemoryLayout::parse(place.layout, type.shape.size());
      if (!asked)
        return asked.takeError();
      if ((*asked)->minorToMajor() != (*parsed)->minorToMajor())
        return fail("the program asks for layout ", place.layout, " of ", side,
                    i, ", but ", plugin.name(), " gives it ", *found,
                    "; remove mhlo.layout_mode from the program");
    }
    text = orEmpty(client, type, std::move(*found));
  }
  return texts;
}

//===----------------------------------------------------------------------===//
// Memories
//===----------------------------------------------------------------------===//

llvm::Error pjrt_client::checkMemories(const PluginClient &client,
                                       PJRT_Executable *executable,
                                       llvm::ArrayRef<Placement> results) {
  if (llvm::all_of(results, [](const Placement &place) {
        return place.memory == MemoryKind::Device;
      }))
    return llvm::Error::success();
  const Plugin &plugin = client.plugin();
  constexpr const char *function = "PJRT_Executable_OutputMemoryKinds";
  auto args = makeStruct<PJRT_Executable_OutputMemoryKinds_Args>();
  args.executable = executable;
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(plugin, Executable_OutputMemoryKinds, args))
    return e;
  if (args.num_outputs != results.size() || !args.memory_kinds ||
      !args.memory_kind_sizes)
    return plugin.wrong(function, llvm::Twine(args.num_outputs) +
                                      " memories for " +
                                      llvm::Twine(results.size()) + " results");
  for (auto [i, place] : llvm::enumerate(results)) {
    auto kind =
        plugin.text(function, args.memory_kinds[i], args.memory_kind_sizes[i]);
    if (!kind)
      return kind.takeError();
    if (place.memory != MemoryKind::Device && *kind != str(place.memory))
      return fail("the program asks for result ", i, " in memory of kind ",
                  str(place.memory), ", but ", plugin.name(), " puts it into ",
                  *kind, "; remove mhlo.memory_kind from the result");
  }
  return llvm::Error::success();
}
