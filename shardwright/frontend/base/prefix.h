//===- prefix.h - the precompiled header of the front end ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_BASE_PREFIX_H
#define SHARDWRIGHT_FRONTEND_BASE_PREFIX_H

// Precompiled for the library's own sources; users do not include it.
#include "shardwright/runtime/buffer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#endif // SHARDWRIGHT_FRONTEND_BASE_PREFIX_H
