//===- frontend_printing.cc - texts and bytes of arrays -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers of frontend_mesh_server for frontend_printing.py.
//
//===----------------------------------------------------------------------===//

#include "frontend_mesh_ops.h"

using namespace shardwright::frontend;

std::string printed(const Keys &keys);

namespace {

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text)
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else
      out += c;
  return out + "\"";
}

std::vector<unsigned char> bytesOf(const std::string &hex) {
  std::vector<unsigned char> out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(
        static_cast<unsigned char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return out;
}

std::string hexOf(const Tensor &x) {
  Expected<std::vector<std::byte>> bytes = x.toBytes();
  if (!bytes)
    return bytes.error().str();
  static const char digits[] = "0123456789abcdef";
  std::string out;
  for (std::byte b : *bytes) {
    out += digits[std::to_integer<int>(b) >> 4];
    out += digits[std::to_integer<int>(b) & 15];
  }
  return out;
}

/// The array that shares the memory of this one.
Tensor throughDLPack(const Tensor &x) {
  Expected<DLManagedTensor *> shared = toDLPack(x);
  return shared ? fromDLPack(*shared) : Tensor(shared.error());
}

/// Along the first dimension that eight devices divide, else replicated.
Tensor onMesh(const Tensor &x) {
  Mesh mesh = *Mesh::get(devices(), {8}, {"x"});
  std::vector<SpecEntry> entries;
  for (int64_t d = 0; d < x.rank(); ++d) {
    entries.emplace_back();
    if (x.dim(d) % 8 == 0) {
      entries.back() = "x";
      break;
    }
  }
  return devicePut(x, NamedSharding(mesh, *PartitionSpec::get(entries)));
}

} // namespace

/// `type`, `shape` and `hex`: the elements, one or more bytes each.
std::string printed(const Keys &keys) {
  DType type = DType::Float0;
  for (int i = 0; i < static_cast<int>(DType::Float0); ++i)
    if (name(static_cast<DType>(i)) == word(keys, "type"))
      type = static_cast<DType>(i);
  ScopedConfig wide(config::enableX64, true);
  Tensor x = arrayFromBytes(bytesOf(word(keys, "hex")).data(), type,
                            Shape(intsOf(word(keys, "shape"))));
  return cat("{\"str\": ", quoted(x.str()), ", \"repr\": ", quoted(x.repr()),
             ", \"host\": ", quoted(hexOf(x)),
             ", \"dlpack\": ", quoted(hexOf(throughDLPack(x))),
             ", \"mesh\": ", quoted(hexOf(onMesh(x))), "}");
}
