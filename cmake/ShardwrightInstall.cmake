# The install tree: what find_package(Shardwright) of another project finds.
include(CMakePackageConfigHelpers)

target_include_directories(Shardwright INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(Shardwright INTERFACE cxx_std_20)
install(TARGETS Shardwright EXPORT ShardwrightTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT ShardwrightTargets NAMESPACE Shardwright::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Shardwright)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/shardwright DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY ${PROJECT_BINARY_DIR}/shardwright DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h.inc" PATTERN "CMakeFiles" EXCLUDE)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ShardwrightConfig.cmake.in
  ${PROJECT_BINARY_DIR}/ShardwrightConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Shardwright
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ShardwrightConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ShardwrightConfig.cmake
  ${PROJECT_BINARY_DIR}/ShardwrightConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Shardwright)
