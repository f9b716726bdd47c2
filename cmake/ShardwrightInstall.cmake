# The install tree: what find_package(Shardwright) of another project finds.
include(CMakePackageConfigHelpers)

target_include_directories(Shardwright INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(Shardwright INTERFACE cxx_std_20)
install(TARGETS Shardwright EXPORT ShardwrightTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# A component of its own, so that its users need no MLIR: find_package(Shardwright COMPONENTS algebra).
target_include_directories(ShardwrightAlgebra INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(ShardwrightAlgebra INTERFACE cxx_std_20)
install(TARGETS ShardwrightAlgebra EXPORT ShardwrightAlgebraTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT ShardwrightAlgebraTargets NAMESPACE Shardwright::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Shardwright)
install(EXPORT ShardwrightTargets NAMESPACE Shardwright::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Shardwright)

# Public headers only, and what they include: everything else may change with any commit.
set(include_dir ${CMAKE_INSTALL_INCLUDEDIR})
if(NOT IS_ABSOLUTE ${include_dir})
  set(include_dir "\${CMAKE_INSTALL_PREFIX}/${include_dir}")
endif()
install(CODE "set(SW_SOURCE [[${PROJECT_SOURCE_DIR}]])
  set(SW_BINARY [[${PROJECT_BINARY_DIR}]])
  set(SW_DESTINATION \"${include_dir}\")")
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/InstallPublicHeaders.cmake)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ShardwrightConfig.cmake.in
  ${PROJECT_BINARY_DIR}/ShardwrightConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Shardwright
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ShardwrightConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ShardwrightConfig.cmake
  ${PROJECT_BINARY_DIR}/ShardwrightConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/ShardwrightFfi.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Shardwright)
