# Libraries of foreign functions: handlers of XLA's FFI, which programs call by name (jax.ffi, or
# shardwright/frontend/callbacks/xla_handlers.h). Part of find_package(Shardwright).
#
# shardwright_add_ffi_library(NAME sources... [INCLUDE_DIR folder])
#   A module library NAME that exports the handlers that its sources define by
#   XLA_FFI_DEFINE_HANDLER_SYMBOL, for programs of the front end and of JAX. It links nothing of
#   Shardwright.
#
# The headers xla/ffi/api/*.h are not part of Shardwright. They are taken from INCLUDE_DIR, else from
# SHARDWRIGHT_FFI_INCLUDE_DIR, else from the jaxlib that Python3_EXECUTABLE (or python3) has.

function(shardwright_find_ffi_headers OUT)
  if(NOT SHARDWRIGHT_FFI_INCLUDE_DIR)
    find_package(Python3 COMPONENTS Interpreter QUIET)
    if(Python3_EXECUTABLE)
      execute_process(
        COMMAND ${Python3_EXECUTABLE} -c
          "import importlib.util, os; s = importlib.util.find_spec('jaxlib'); print(os.path.join(os.path.dirname(s.origin), 'include') if s else '')"
        OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
    set(SHARDWRIGHT_FFI_INCLUDE_DIR "${found}" CACHE PATH "The folder with xla/ffi/api/ffi.h" FORCE)
  endif()
  set(${OUT} "${SHARDWRIGHT_FFI_INCLUDE_DIR}" PARENT_SCOPE)
endfunction()

function(shardwright_add_ffi_library NAME)
  cmake_parse_arguments(ARG "" "INCLUDE_DIR" "" ${ARGN})
  set(headers "${ARG_INCLUDE_DIR}")
  if(NOT headers)
    shardwright_find_ffi_headers(headers)
  endif()
  if(NOT EXISTS "${headers}/xla/ffi/api/ffi.h")
    message(FATAL_ERROR "shardwright_add_ffi_library(${NAME}): the folder '${headers}' has no xla/ffi/api/ffi.h. Set "
      "SHARDWRIGHT_FFI_INCLUDE_DIR to the folder that jax.ffi.include_dir() names, or Python3_EXECUTABLE to a Python "
      "that has jaxlib.")
  endif()
  if(NOT ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "shardwright_add_ffi_library(${NAME}): no sources")
  endif()
  add_library(${NAME} MODULE ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${NAME} SYSTEM PRIVATE "${headers}")
  target_compile_features(${NAME} PRIVATE cxx_std_17)
endfunction()
