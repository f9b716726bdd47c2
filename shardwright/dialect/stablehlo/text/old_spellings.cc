//===- old_spellings.cc - read attributes of old versions -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/text/old_spellings.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace shardwright::stablehlo {

/// True for attributes that were dense elements in every op that has them.
/// Excludes those that still are (padding, replica_groups,
/// source_target_pairs).
static bool wasDense(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"base_dilations",
              "broadcast_dimensions",
              "broadcast_sizes",
              "dimensions",
              "edge_padding_high",
              "edge_padding_low",
              "fft_length",
              "interior_padding",
              "known_expanding_dimensions",
              "known_nonexpanding_dimensions",
              "lhs_dilation",
              "limit_indices",
              "permutation",
              "rhs_dilation",
              "slice_sizes",
              "start_indices",
              "strides",
              "window_dilations",
              "window_dimensions",
              "window_reversal",
              "window_strides"},
             true)
      .Default(false);
}

Attribute fromOldSpelling(StringAttr name, Attribute value) {
  auto dense = dyn_cast<DenseIntElementsAttr>(value);
  if (!dense || dense.getType().getRank() != 1 || !wasDense(name))
    return value;
  // Bound the size: a splat of any size takes as much text as one element.
  if (dense.getNumElements() > 1024)
    return value;
  MLIRContext *context = value.getContext();
  bool isBool = name == "window_reversal";
  if (isBool && dense.getElementType().isInteger(1))
    return DenseBoolArrayAttr::get(context,
                                   llvm::to_vector(dense.getValues<bool>()));
  if (!isBool && dense.getElementType().isInteger(64))
    return DenseI64ArrayAttr::get(context,
                                  llvm::to_vector(dense.getValues<int64_t>()));
  return value;
}

void fromOldSpellings(NamedAttrList &attributes) {
  SmallVector<NamedAttribute> changed;
  for (NamedAttribute attr : attributes)
    if (Attribute value = fromOldSpelling(attr.getName(), attr.getValue());
        value != attr.getValue())
      changed.emplace_back(attr.getName(), value);
  for (NamedAttribute attr : changed)
    attributes.set(attr.getName(), attr.getValue());
}

Attribute fromOldSpellings(Attribute properties) {
  auto dictionary = dyn_cast_if_present<DictionaryAttr>(properties);
  if (!dictionary)
    return properties;
  NamedAttrList attributes(dictionary);
  fromOldSpellings(attributes);
  return attributes.getDictionary(properties.getContext());
}

} // namespace shardwright::stablehlo
