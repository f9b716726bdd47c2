//===- event.cc - events --------------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/objects.h"
#include "shardwright/pjrt/base/slots.h"

using namespace shardwright;
using namespace shardwright::pjrt;

PJRT_Event *pjrt::newEvent(Event event) {
  auto object = std::make_shared<PJRT_Event>();
  object->event = std::move(event);
  return handles<PJRT_Event>().add(std::move(object));
}

PJRT_Error *pjrt::Event_Destroy(PJRT_Event_Destroy_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    if (args->event && !handles<PJRT_Event>().remove(args->event))
      return invalid("the event has been destroyed already");
    return nullptr;
  });
}

PJRT_Error *pjrt::Event_IsReady(PJRT_Event_IsReady_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(event, args->event, "event");
    args->is_ready = event->event.isReady();
    return nullptr;
  });
}

PJRT_Error *pjrt::Event_Error(PJRT_Event_Error_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(event, args->event, "event");
    if (!event->event.isReady())
      return makeError(PJRT_Error_Code_FAILED_PRECONDITION,
                       "the event has not happened yet");
    return toPjrt(event->event.await());
  });
}

PJRT_Error *pjrt::Event_Await(PJRT_Event_Await_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(event, args->event, "event");
    return toPjrt(event->event.await());
  });
}

PJRT_Error *pjrt::Event_OnReady(PJRT_Event_OnReady_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(event, args->event, "event");
    if (!args->callback)
      return invalid("the callback is a null pointer");
    event->event.onReady([callback = args->callback,
                          user = args->user_arg](llvm::StringRef failure) {
      callback(errorFromText(failure, PJRT_Error_Code_INTERNAL), user);
    });
    return nullptr;
  });
}

PJRT_Error *pjrt::Event_Create(PJRT_Event_Create_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    args->event = newEvent(Event());
    return nullptr;
  });
}

PJRT_Error *pjrt::Event_Set(PJRT_Event_Set_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(event, args->event, "event");
    if (args->error_message_size && !args->error_message)
      return invalid("the error's message is a null pointer");
    if (event->event.isReady())
      return makeError(PJRT_Error_Code_FAILED_PRECONDITION,
                       "the event has happened already");
    if (args->error_code == PJRT_Error_Code_OK)
      event->event.set();
    else
      event->event.set(llvm::createStringError(textWithCode(
          args->error_code,
          llvm::StringRef(args->error_message, args->error_message_size))));
    return nullptr;
  });
}
