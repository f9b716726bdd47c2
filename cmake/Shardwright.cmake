# Helpers of our build: one function per kind of thing that a folder declares.

# Every compile of ours uses these: LLVM/MLIR headers as system headers, shared
# libMLIR and libLLVM (never archives beside them: two sets of TypeIDs).
add_library(sw_mlir INTERFACE)
separate_arguments(SW_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(sw_mlir INTERFACE ${SW_LLVM_DEFINITIONS})
target_include_directories(sw_mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_link_libraries(sw_mlir INTERFACE MLIR LLVM)

add_library(sw_options INTERFACE)
target_include_directories(sw_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
target_compile_options(sw_options INTERFACE -Wall -Wextra -Wno-unused-parameter
  -Wno-missing-field-initializers -fno-omit-frame-pointer)
if(SHARDWRIGHT_SANITIZE)
  # Not `function`: it reads the words before a function that is called by pointer, and
  # kernels from the JIT have nothing there, at the start of a page not even memory.
  target_compile_options(sw_options INTERFACE -fsanitize=address,undefined
    -fno-sanitize=function -fno-sanitize-recover=undefined)
  target_link_options(sw_options INTERFACE -fsanitize=address,undefined)
endif()
target_link_libraries(sw_options INTERFACE sw_mlir)

# MLIR's headers cost over 2 s a file: one precompiled header serves every layer
# that includes them. Its hash depends on the folder, so that ccache shares nothing
# between checkouts with it: SHARDWRIGHT_PCH=OFF includes the same header as text.
option(SHARDWRIGHT_PCH "Precompile MLIR's headers" ON)
set(SW_PREFIX_HEADER ${PROJECT_SOURCE_DIR}/cmake/prefix.h)
if(SHARDWRIGHT_PCH)
  file(WRITE ${PROJECT_BINARY_DIR}/sw_pch.cc "")
  add_library(sw_pch OBJECT ${PROJECT_BINARY_DIR}/sw_pch.cc)
  target_link_libraries(sw_pch PRIVATE sw_options)
  target_precompile_headers(sw_pch PRIVATE ${SW_PREFIX_HEADER})
  target_compile_options(sw_pch PRIVATE -Xclang -fno-pch-timestamp -fpch-instantiate-templates)
endif()

# sw_sources(OUT): every .cc of the current folder and of the folders in it that have no
# CMakeLists.txt of their own.
function(sw_sources OUT)
  file(GLOB_RECURSE srcs CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  file(GLOB nested ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  foreach(list_file ${nested})
    get_filename_component(folder ${list_file} DIRECTORY)
    list(FILTER srcs EXCLUDE REGEX "^${folder}/")
  endforeach()
  set(${OUT} ${srcs} PARENT_SCOPE)
endfunction()

# sw_layer(NAME [NO_PCH] [NO_COVERAGE] [DEPENDS targets...] [LINK libs...])
# Compiles every .cc of the current folder and of the folders in it (not *_test.cc, nor folders
# with a CMakeLists.txt of their own) into libShardwright. DEPENDS names TableGen targets whose
# output the layer includes. The *_test.cc files become one GoogleTest executable, NAME_test.
function(sw_layer NAME)
  cmake_parse_arguments(ARG "NO_PCH;NO_COVERAGE" "" "DEPENDS;LINK;SOURCES" ${ARGN})
  sw_sources(srcs)
  set(tests ${srcs})
  list(FILTER srcs EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set_property(GLOBAL APPEND PROPERTY SW_LAYERS sw_${NAME})
  add_library(sw_${NAME} OBJECT ${srcs} ${ARG_SOURCES})
  target_link_libraries(sw_${NAME} PRIVATE sw_options ${ARG_LINK})
  if(ARG_LINK)
    set_property(GLOBAL APPEND PROPERTY SW_LINK ${ARG_LINK})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(sw_${NAME} ${ARG_DEPENDS})
  endif()
  if(SHARDWRIGHT_SANITIZE AND NOT ARG_NO_COVERAGE)
    # What fuzz targets are guided by (test/fuzz/); elsewhere it costs a little time.
    target_compile_options(sw_${NAME} PRIVATE
      -fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table)
  endif()
  if(NOT ARG_NO_PCH AND SHARDWRIGHT_PCH)
    target_precompile_headers(sw_${NAME} REUSE_FROM sw_pch)
    target_compile_options(sw_${NAME} PRIVATE -Xclang -fno-pch-timestamp -fpch-instantiate-templates)
  elseif(NOT ARG_NO_PCH)
    target_compile_options(sw_${NAME} PRIVATE -include ${SW_PREFIX_HEADER})
  endif()
  if(tests AND SHARDWRIGHT_BUILD_TESTS)
    set_property(GLOBAL APPEND PROPERTY SW_UNIT_TESTS ${NAME})
    set_property(GLOBAL PROPERTY SW_UNIT_TEST_${NAME} ${tests})
    set_property(GLOBAL PROPERTY SW_UNIT_TEST_DEPENDS_${NAME} ${ARG_DEPENDS})
  endif()
endfunction()

# The unit tests that the layers announced; called once libShardwright exists.
function(sw_unit_tests)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED CONFIG)
  get_property(names GLOBAL PROPERTY SW_UNIT_TESTS)
  foreach(name ${names})
    get_property(files GLOBAL PROPERTY SW_UNIT_TEST_${name})
    add_executable(${name}_test ${files})
    target_link_libraries(${name}_test PRIVATE sw_options Shardwright GTest::gmock GTest::gtest GTest::gtest_main rapidcheck)
    get_property(deps GLOBAL PROPERTY SW_UNIT_TEST_DEPENDS_${name})
    if(deps)
      add_dependencies(${name}_test ${deps})
    endif()
    add_test(NAME unit.${name} COMMAND ${name}_test)
    set_property(GLOBAL APPEND PROPERTY SW_TEST_TARGETS ${name}_test)
  endforeach()
endfunction()

# What our commands allocate with (tools/allocator.cc). Sanitizers bring an allocator of their own.
option(SHARDWRIGHT_JEMALLOC "Commands allocate with jemalloc" ON)
add_library(sw_allocator INTERFACE)
if(SHARDWRIGHT_JEMALLOC AND NOT SHARDWRIGHT_SANITIZE)
  find_library(JEMALLOC_LIBRARY jemalloc)
  if(NOT JEMALLOC_LIBRARY)
    message(FATAL_ERROR "jemalloc not found: install libjemalloc-dev, or configure with -DSHARDWRIGHT_JEMALLOC=OFF")
  endif()
  add_library(sw_jemalloc OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tools/allocator.cc)
  target_sources(sw_allocator INTERFACE $<TARGET_OBJECTS:sw_jemalloc>)
  target_link_libraries(sw_allocator INTERFACE ${JEMALLOC_LIBRARY})
endif()

# An MLIR driver or user tool over libShardwright.
function(sw_tool NAME)
  add_executable(${NAME} ${ARGN})
  target_link_libraries(${NAME} PRIVATE sw_options Shardwright sw_allocator)
  install(TARGETS ${NAME} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# sw_sharded_ops(OUT TD STEM SHARDS args...): op classes of one .td file, split over SHARDS
# generated sources (the stock add_sharded_ops needs a tool that Debian does not package).
# The folder provides ops_shard.cc.in; OUT receives the sources.
function(sw_sharded_ops OUT TD STEM SHARDS)
  set(LLVM_TARGET_DEFINITIONS ${TD})
  mlir_tablegen(${STEM}.h.inc -gen-op-decls -op-shard-count=${SHARDS} ${ARGN})
  mlir_tablegen(${STEM}.cpp.inc -gen-op-defs -op-shard-count=${SHARDS} ${ARGN})
  set(TABLEGEN_OUTPUT ${TABLEGEN_OUTPUT} PARENT_SCOPE)
  math(EXPR last "${SHARDS} - 1")
  set(srcs)
  foreach(SHARD RANGE ${last})
    set(f ${CMAKE_CURRENT_BINARY_DIR}/${STEM}.${SHARD}.cc)
    configure_file(${CMAKE_CURRENT_SOURCE_DIR}/ops_shard.cc.in ${f} @ONLY)
    list(APPEND srcs ${f})
  endforeach()
  set(${OUT} ${srcs} PARENT_SCOPE)
endfunction()
