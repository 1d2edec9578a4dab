# The build rules that all layers share. One static library per layer, C++20, warnings as errors for our own code.

# A project that we are a part of keeps its own flags, and its compiler may warn of what ours does not.
set(warnings_as_errors)
if(PROJECT_IS_TOP_LEVEL)
  # -O1, not CMake's -O3: half the time to compile, and most of it waits for others. What is hot asks for more, see
  # steelyard_layer(HOT).
  set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG" CACHE STRING "Flags of the release build" FORCE)
  # FORCE: project() has already cached an empty value for a build type that CMake does not know.
  set(CMAKE_CXX_FLAGS_CHECK "-O1 -g1" CACHE STRING "Flags of the build type that runs the tests" FORCE)
  set(warnings_as_errors -Werror)
endif()

add_library(steelyard_build_flags INTERFACE)
target_compile_features(steelyard_build_flags INTERFACE cxx_std_20)
# nvcc takes other options (cuda.cmake).
target_compile_options(steelyard_build_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast ${warnings_as_errors}>)
# g++ 12 sees overlapping copies in std::string that are none (GCC bug 105329, mended in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(steelyard_build_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
target_include_directories(steelyard_build_flags INTERFACE ${PROJECT_SOURCE_DIR})
if(STEELYARD_SANITIZE)
  target_compile_options(steelyard_build_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
    -fsanitize=${STEELYARD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer>)
  target_link_options(steelyard_build_flags INTERFACE -fsanitize=${STEELYARD_SANITIZE})
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The standard headers that most files include, compiled once, where the program alone is built and its build time is
# what people wait for. The builds that run the tests go without: there a file that forgets an include fails.
# One set for each optimization level: g++ crashes where a precompiled header was made with another one, so that files
# with a level of their own (set_source_files_properties) have to go without, too.
function(steelyard_standard_headers target level)
  if(STEELYARD_BUILD_TESTS OR STEELYARD_ONLY_HARNESS)
    return()
  endif()
  set(headers steelyard_standard_headers${level})
  if(NOT TARGET ${headers})
    file(WRITE ${PROJECT_BINARY_DIR}/${headers}.cpp "")
    add_library(${headers} OBJECT ${PROJECT_BINARY_DIR}/${headers}.cpp)
    set_target_properties(${headers} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(${headers} PRIVATE steelyard_build_flags)
    target_compile_options(${headers} PRIVATE ${level})
    target_precompile_headers(${headers} PRIVATE
      <algorithm> <array> <chrono> <cmath> <filesystem> <fstream> <functional> <map> <memory> <optional> <set> <span>
      <string> <string_view> <unordered_map> <vector>)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
  # g++ 12 forgets that precompiled standard headers are no code of ours, and warns of copies in std::string. The
  # builds that run the tests have all warnings, as errors.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE
      -Wno-error -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()

# steelyard_layer(NAME [HOT] LINKS targets...): the library steelyard_NAME, known to others as steelyard::NAME. HOT: at -O2
# where the rest of the program has -O1: what computes, and what people link their benchmarks with.
# Folders add their files with target_sources(steelyard_NAME PRIVATE ...).
function(steelyard_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOT" "" "LINKS;PRIVATE_LINKS")
  add_library(steelyard_${name} STATIC)
  add_library(steelyard::${name} ALIAS steelyard_${name})
  set_target_properties(steelyard_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON EXPORT_NAME ${name})
  # Our own flags are for our own code: who links an installed library does not get them.
  target_link_libraries(steelyard_${name}
    PUBLIC ${arg_LINKS} PRIVATE $<BUILD_INTERFACE:steelyard_build_flags> ${arg_PRIVATE_LINKS})
  target_include_directories(steelyard_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/steelyard>)
  target_compile_features(steelyard_${name} PUBLIC cxx_std_20)
  set(level)
  if(arg_HOT AND CMAKE_BUILD_TYPE STREQUAL "Release")
    set(level -O2)
    target_compile_options(steelyard_${name} PRIVATE ${level})
  endif()
  steelyard_standard_headers(steelyard_${name} "${level}")
endfunction()

# steelyard_test(NAME SOURCES files... LINKS targets... LABEL label [WHOLE] [SERIAL] [TIMEOUT seconds]):
# a GoogleTest program. Its tests are registered one by one; with WHOLE the program is one CTest test (for suites that
# share a costly fixture such as a database server). SERIAL: nothing else runs beside its tests, as they judge times.
function(steelyard_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WHOLE;SERIAL" "LABEL;TIMEOUT" "SOURCES;LINKS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE steelyard_build_flags ${arg_LINKS} GTest::gmock GTest::gtest_main)
  # gtest's and gmock's headers cost more than most tests: compiled once, reused by every test program.
  if(NOT TARGET steelyard_gtest_headers)
    add_library(steelyard_gtest_headers OBJECT ${PROJECT_SOURCE_DIR}/tests/gtest_headers.cpp)
    target_link_libraries(steelyard_gtest_headers PRIVATE steelyard_build_flags GTest::gmock)
    target_precompile_headers(steelyard_gtest_headers PRIVATE
      <gtest/gtest.h> <gmock/gmock.h> <string> <vector> <filesystem> <fstream>)
  endif()
  target_precompile_headers(${name} REUSE_FROM steelyard_gtest_headers)
  set(properties LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT})
  if(arg_SERIAL)
    list(APPEND properties RUN_SERIAL TRUE)
  endif()
  if(arg_WHOLE)
    add_test(NAME ${name} COMMAND ${name})
    # A cost, so that what takes longest begins first where no earlier run has told CTest so.
    set_tests_properties(${name} PROPERTIES ${properties} COST 100)
  else()
    # Not by the printed values of parameters: they hold addresses, and a test's name is the same in every build.
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES PROPERTIES ${properties})
  endif()
endfunction()
