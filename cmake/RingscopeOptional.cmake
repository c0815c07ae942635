# ringscope_optional(PACKAGE [VERSION v] OFF what GET how): looks for a package that the build can do without, and sets
# PACKAGE_FOUND. A missing one costs one line that says what is off and how to get it.
function(ringscope_optional package)
  cmake_parse_arguments(ARG "" "VERSION;OFF;GET" "" ${ARGN})
  find_package(${package} ${ARG_VERSION} QUIET)
  if(NOT ${package}_FOUND)
    message(STATUS "${package} is missing: ${ARG_OFF} are off (to have them: ${ARG_GET})")
  endif()
  set(${package}_FOUND ${${package}_FOUND} PARENT_SCOPE)
endfunction()
