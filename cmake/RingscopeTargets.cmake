# One function per kind of target.

# A library of every .cpp in the current folder and the named sub-folders. PRIVATE: not installed. COOL: nothing in it
# is hot.
function(ringscope_library name)
  cmake_parse_arguments(ARG "PRIVATE;COOL" "" "FOLDERS;LINK" ${ARGN})
  set(patterns *.cpp)
  foreach(folder ${ARG_FOLDERS})
    list(APPEND patterns ${folder}/*.cpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC ringscope_flags ${ARG_LINK})
  if(ARG_COOL)
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:ringscope_cool>)
  endif()
  if(NOT ARG_PRIVATE)
    ringscope_install_library(${name})
  endif()
endfunction()

# One test program per folder of tests/; ctest shows its tests as FOLDER/Suite.Name. Under a sanitizer a process costs
# much and ctest runs the whole program as one test, FOLDER, without the suites that are too long there.
function(ringscope_tests folder)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  string(REPLACE "/" "_" name ${folder})
  set(program ringscope_tests_${name})
  add_executable(${program} ${sources})
  target_link_libraries(${program} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main ringscope_cool)
  if(RINGSCOPE_SANITIZE)
    add_test(NAME ${folder} COMMAND ${program} --gtest_brief=1 --gtest_filter=-ThousandFaults*:LargeSchedule*)
    set_tests_properties(${folder} PROPERTIES TIMEOUT 900)
  else()
    gtest_discover_tests(${program} TEST_PREFIX "${folder}/" DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600)
  endif()
endfunction()
