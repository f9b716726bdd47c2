//===- layouts_extension.cc - reported layouts ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/program.h"
#include "shardwright/pjrt/base/host_layout.h"
#include "shardwright/pjrt/extensions/extensions.h"
#include "shardwright/pjrt_abi/element_types.h"
#include "shardwright/pjrt_abi/extensions.h"

#include <map>

using namespace shardwright;
using namespace shardwright::pjrt;

/// A layout like `{1,0}`: dimensions from minor to major. For elements of 2 and
/// 4 bits it is `{1,0:E(4)}`; clients compute packed sizes from that.
struct PJRT_Layouts_MemoryLayout {
  std::string text;
};

using Layout = PJRT_Layouts_MemoryLayout;

static int bitsOf(PJRT_Buffer_Type type) {
  std::optional<ElementType> known = fromPjrt(type);
  return known ? bitWidth(*known) : 0;
}

static std::shared_ptr<Layout> rowMajor(size_t rank, PJRT_Buffer_Type type) {
  return std::make_shared<Layout>(Layout{layoutText({}, rank, bitsOf(type))});
}

static PJRT_Error *destroy(PJRT_Layouts_MemoryLayout_Destroy_Args *args) {
  return guarded("Layouts_MemoryLayout_Destroy", args, [&]() -> PJRT_Error * {
    if (args->layout && !handles<Layout>().remove(args->layout))
      return invalid("the layout has been destroyed already");
    return nullptr;
  });
}

static PJRT_Error *
serializeLayout(PJRT_Layouts_MemoryLayout_Serialize_Args *args) {
  return guarded("Layouts_MemoryLayout_Serialize", args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(layout, args->layout, "layout");
    auto *text = new std::string(layout->text);
    args->serialized_bytes = text->data();
    args->serialized_bytes_size = text->size();
    args->serialized_layout =
        reinterpret_cast<PJRT_Layouts_SerializedLayout *>(text);
    args->serialized_layout_deleter = [](PJRT_Layouts_SerializedLayout *text) {
      delete reinterpret_cast<std::string *>(text);
    };
    return nullptr;
  });
}

static PJRT_Error *
ofClient(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args *args) {
  return guarded("Client_GetDefaultLayout", args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    args->layout = handles<Layout>().add(
        rowMajor(args->num_dims,
                 client->packedSizes ? args->type : PJRT_Buffer_Type_INVALID));
    return nullptr;
  });
}

static PJRT_Error *
ofTopology(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args *args) {
  return guarded("Topology_GetDefaultLayout", args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(topology, args->topology_description, "topology");
    args->layout = handles<Layout>().add(rowMajor(args->num_dims, args->type));
    return nullptr;
  });
}

static PJRT_Error *ofBuffer(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args *args) {
  return guarded("Buffer_MemoryLayout", args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(buffer, args->buffer, "buffer");
    int bits =
        buffer->client->packedSizes ? bitWidth(buffer->buffer.type()) : 0;
    args->layout = handles<Layout>().add(std::make_shared<Layout>(Layout{
        layoutText(buffer->layout, buffer->buffer.shape().size(), bits)}));
    return nullptr;
  });
}

/// Clients never destroy the layouts of executables. So the process keeps one
/// layout per text, and one array per list of texts, forever.
static Layout **sharedList(const std::vector<std::string> &texts) {
  static std::mutex mutex;
  static auto *layouts = new std::map<std::string, Layout *>();
  static auto *lists =
      new std::map<std::vector<std::string>, std::vector<Layout *>>();
  std::lock_guard lock(mutex);
  auto [it, isNew] = lists->try_emplace(texts);
  if (isNew)
    for (const std::string &text : texts) {
      Layout *&layout = (*layouts)[text];
      if (!layout)
        layout = handles<Layout>().add(std::make_shared<Layout>(Layout{text}));
      it->second.push_back(layout);
    }
  return it->second.data();
}

static PJRT_Error *
ofOutputs(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args *args) {
  return guarded("Executable_GetOutputLayouts", args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(executable, args->executable, "executable");
    const ClientProgram &program = *executable->program;
    std::vector<std::string> texts;
    for (auto [layout, rank, type] : llvm::zip_equal(
             program.layouts.results, program.outputRanks, program.outputTypes))
      texts.push_back(layoutText(layout, rank, bitsOf(type)));
    args->num_outputs = texts.size();
    args->layouts = sharedList(texts);
    return nullptr;
  });
}

static PJRT_Error *
ofParameters(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args *args) {
  return guarded("Executable_GetParameterLayouts", args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(executable, args->executable, "executable");
    const ClientProgram &program = *executable->program;
    std::vector<std::string> texts;
    for (auto [layout, argument] :
         llvm::zip_equal(program.layouts.arguments, program.argumentOf)) {
      if (argument < 0) { // a token
        texts.push_back(layoutText(layout, 0));
        continue;
      }
      const auto &spec = program.executable->arguments()[argument];
      texts.push_back(
          layoutText(layout, spec.shape.size(), bitWidth(spec.type)));
    }
    args->num_parameters = texts.size();
    args->layouts = sharedList(texts);
    return nullptr;
  });
}

PJRT_Extension_Base *pjrt::layoutsExtension() {
  static PJRT_Layouts_Extension extension = {
      {sizeof(PJRT_Layouts_Extension), PJRT_Extension_Type_Layouts, nullptr},
      destroy,
      serializeLayout,
      ofClient,
      ofBuffer,
      ofTopology,
      ofOutputs,
      ofParameters};
  return &extension.base;
}
