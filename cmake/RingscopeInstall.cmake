# Installs headers, libraries, the program and what find_package(ringscope) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# ringscope_core is installed as ringscope::core, and may be called so in the tree too.
function(ringscope_install_library name)
  string(REPLACE "ringscope_" "" short ${name})
  add_library(ringscope::${short} ALIAS ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${short})
  install(TARGETS ${name} EXPORT ringscope-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

function(ringscope_install_package)
  ringscope_install_library(ringscope_flags)
  if(TARGET ringscope)
    install(TARGETS ringscope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
  install(DIRECTORY core formats pictures backends DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ringscope
          FILES_MATCHING PATTERN "*.h" PATTERN "eigen_*" EXCLUDE)
  install(EXPORT ringscope-targets NAMESPACE ringscope:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ringscope)
  configure_package_config_file(cmake/ringscope-config.cmake.in ringscope-config.cmake
                                INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ringscope)
  write_basic_package_version_file(ringscope-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ringscope-config.cmake
                ${CMAKE_CURRENT_BINARY_DIR}/ringscope-config-version.cmake
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ringscope)
endfunction()
