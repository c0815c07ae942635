# What every target of Ringscope shares: the language and the flags that keep the bits.
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

# -ffp-contract=off for consumers too: headers hold arithmetic whose bits are promised, and the bitwise kernels say
# themselves where an fma is (docs/design.md, numerics contract 2).
add_library(ringscope_flags INTERFACE)
target_compile_features(ringscope_flags INTERFACE cxx_std_20)
target_compile_options(ringscope_flags INTERFACE -ffp-contract=off)
target_include_directories(ringscope_flags INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                     $<INSTALL_INTERFACE:include/ringscope>)

# -Wno-restrict: g++ 12 reports false overlaps in std::string (GCC bug 105651).
set(own_options -Wall -Wextra -Wno-missing-field-initializers $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# Files compiled as one (CMakePresets.json) see each other's names, and g++ takes all but the first for headers.
if(CMAKE_UNITY_BUILD)
  list(APPEND own_options $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local> $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
else()
  list(APPEND own_options -Wshadow)
endif()

# x86-64-v3 so that one binary serves AVX2 and AVX-512 machines; other processors get their generic code.
if(RINGSCOPE_ARCH)
  list(APPEND own_options -march=${RINGSCOPE_ARCH})
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND own_options -march=x86-64-v3)
endif()

if(RINGSCOPE_SANITIZE STREQUAL "address+undefined")
  # ASan sees null accesses itself; the other two cost a fifth of the build and see little at -O1.
  set(sanitize -fsanitize=address,undefined -fno-sanitize=null,object-size,vptr -fno-sanitize-recover=all
               -fno-omit-frame-pointer)
elseif(RINGSCOPE_SANITIZE STREQUAL "thread")
  set(sanitize -fsanitize=thread -fno-omit-frame-pointer)
elseif(RINGSCOPE_SANITIZE)
  message(FATAL_ERROR "RINGSCOPE_SANITIZE: got '${RINGSCOPE_SANITIZE}', want empty, address+undefined or thread")
endif()
if(RINGSCOPE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND own_options -Wno-maybe-uninitialized)  # false beside checks, as g++'s manual says
endif()

# What is not hot needs little optimizing, and its sanitizer checks may be calls; that halves its compile time. Loads
# from files, the only unaligned ones there could be, are elsewhere.
add_library(ringscope_cool INTERFACE)
target_compile_options(ringscope_cool INTERFACE -O1)
if(RINGSCOPE_SANITIZE STREQUAL "address+undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(ringscope_cool INTERFACE -fno-sanitize=alignment
                                                  "SHELL:--param asan-instrumentation-with-call-threshold=0")
endif()

if(RINGSCOPE_FUZZ)
  list(APPEND own_options -fsanitize=fuzzer-no-link)
endif()
target_compile_options(ringscope_flags INTERFACE "$<BUILD_INTERFACE:${own_options};${sanitize}>")
target_link_options(ringscope_flags INTERFACE "$<BUILD_INTERFACE:${sanitize}>")
