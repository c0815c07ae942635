# What every target of Ringscope shares: the language, the flags that keep the bits, one function per kind of target.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# -Wno-restrict: g++ 12 reports false overlaps in std::string (GCC bug 105651).
# -ffp-contract=off everywhere: the bitwise kernels say themselves where an fma is (docs/design.md, numerics contract 2).
add_library(ringscope_flags INTERFACE)
target_compile_options(ringscope_flags INTERFACE -Wall -Wextra -Wshadow -Wno-missing-field-initializers -Wno-restrict
                                                 -ffp-contract=off)
target_include_directories(ringscope_flags INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                     $<INSTALL_INTERFACE:include/ringscope>)
# One binary for AVX2 and AVX-512 machines; other processors get their generic code.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(ringscope_flags INTERFACE -march=x86-64-v3)
endif()
if(RINGSCOPE_SANITIZE STREQUAL "address+undefined")
  target_compile_options(ringscope_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                   -fno-omit-frame-pointer)
  target_link_options(ringscope_flags INTERFACE -fsanitize=address,undefined)
elseif(RINGSCOPE_SANITIZE STREQUAL "thread")
  target_compile_options(ringscope_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(ringscope_flags INTERFACE -fsanitize=thread)
elseif(RINGSCOPE_SANITIZE)
  message(FATAL_ERROR "RINGSCOPE_SANITIZE=${RINGSCOPE_SANITIZE}: want empty, address+undefined or thread")
endif()

# A library of every .cpp in the current folder and the named sub-folders.
function(ringscope_library name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;LINK" ${ARGN})
  set(patterns *.cpp)
  foreach(folder ${ARG_FOLDERS})
    list(APPEND patterns ${folder}/*.cpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  if(NOT sources)  # until the folder has its first file
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ringscope_flags ${ARG_LINK})
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC ringscope_flags ${ARG_LINK})
endfunction()

# One test program per folder of tests/; ctest shows its tests as FOLDER/Suite.Name.
function(ringscope_tests folder)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  string(REPLACE "/" "_" name ${folder})
  add_executable(ringscope_tests_${name} ${sources})
  target_link_libraries(ringscope_tests_${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(ringscope_tests_${name} TEST_PREFIX "${folder}/" DISCOVERY_MODE PRE_TEST
                       PROPERTIES TIMEOUT 600)
endfunction()
