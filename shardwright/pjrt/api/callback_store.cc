//===- callback_store.cc - the client's key-value store -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/callback_store.h"
#include "shardwright/pjrt/base/status.h"

#include <algorithm>
#include <limits>

using namespace shardwright;
using namespace shardwright::pjrt;

/// How the callbacks make errors. They get a pointer to this pointer.
static PJRT_CallbackError makeCallbackError =
    [](PJRT_Error_Code code, const char *message, size_t size) {
      return makeError(code, llvm::StringRef(message, size));
    };

/// Takes over an error that a callback returned; null is success.
static llvm::Error take(PJRT_Error *error) {
  if (!error)
    return llvm::Error::success();
  std::unique_ptr<Failure> failure(static_cast<Failure *>(error));
  return llvm::createStringError(textWithCode(failure->code, failure->message));
}

namespace {
class CallbackStore final : public KeyValueStore {
public:
  CallbackStore(const PJRT_Client_Create_Args &args, std::string prefix)
      : getCallback(args.kv_get_callback), getArgument(args.kv_get_user_arg),
        putCallback(args.kv_put_callback), putArgument(args.kv_put_user_arg),
        prefix(std::move(prefix)) {}

  llvm::Error put(llvm::StringRef key, llvm::StringRef value) override {
    std::string name = prefix + key.str();
    PJRT_KeyValuePutCallback_Args args = {};
    args.struct_size = sizeof(args);
    args.key = name.data();
    args.key_size = name.size();
    args.value = value.data();
    args.value_size = value.size();
    args.callback_error = &makeCallbackError;
    args.user_arg = putArgument;
    return take(putCallback(&args));
  }

  llvm::Expected<std::string> get(llvm::StringRef key,
                                  std::chrono::milliseconds limit) override {
    std::string name = prefix + key.str();
    PJRT_KeyValueGetCallback_Args args = {};
    args.struct_size = sizeof(args);
    args.key = name.data();
    args.key_size = name.size();
    args.timeout_in_ms =
        std::clamp<int64_t>(limit.count(), 0, std::numeric_limits<int>::max());
    args.callback_error = &makeCallbackError;
    args.user_arg = getArgument;
    if (llvm::Error e = take(getCallback(&args)))
      return e;
    std::string value(args.value, args.value_size);
    if (args.value_deleter_callback)
      args.value_deleter_callback(args.value);
    return value;
  }

private:
  PJRT_KeyValueGetCallback getCallback;
  void *getArgument;
  PJRT_KeyValuePutCallback putCallback;
  void *putArgument;
  std::string prefix;
};
} // namespace

llvm::Expected<std::unique_ptr<KeyValueStore>>
pjrt::makeCallbackStore(const PJRT_Client_Create_Args &args,
                        std::string prefix) {
  if (!args.kv_get_callback || !args.kv_put_callback)
    return llvm::createStringError(
        "INVALID_ARGUMENT: option 'num_nodes' is given without callbacks of a "
        "key-value store, by which the processes find each other; in JAX, call "
        "jax.distributed.initialize");
  return std::make_unique<CallbackStore>(args, std::move(prefix));
}
