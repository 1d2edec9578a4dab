# The build rules that all layers share. One static library per layer, C++20, warnings as errors for our own code.

# A project that we are a part of keeps its own flags, and its compiler may warn of what ours does not. The program
# alone is built without warnings: they take time, and who waits for it can mend nothing. Nor has a sanitized build them,
# which clang++ makes as well.
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast)
if(PROJECT_IS_TOP_LEVEL AND STEELYARD_BUILD_TESTS AND NOT STEELYARD_SANITIZE)
  list(APPEND warnings -Werror)
elseif(PROJECT_IS_TOP_LEVEL)
  set(warnings)
endif()
if(PROJECT_IS_TOP_LEVEL)
  # -O1, not CMake's -O3: half the time to compile, and most of it waits for others. What is hot asks for more, what is
  # not for less: see steelyard_layer.
  set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG" CACHE STRING "Flags of the release build" FORCE)
  # FORCE: project() has already cached an empty value for a build type that CMake does not know.
  set(CMAKE_CXX_FLAGS_CHECK "-O1 -g1" CACHE STRING "Flags of the build type that runs the tests" FORCE)
endif()

add_library(steelyard_build_flags INTERFACE)
target_compile_features(steelyard_build_flags INTERFACE cxx_std_20)
# nvcc takes other options (cuda.cmake).
target_compile_options(steelyard_build_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>")
# Builds that run the tests end where an index or an optional that has no value would be read. What is timed goes without.
if(PROJECT_IS_TOP_LEVEL)
  target_compile_definitions(steelyard_build_flags INTERFACE
    $<$<AND:$<CONFIG:Check,Debug>,$<COMPILE_LANGUAGE:CXX>>:_GLIBCXX_ASSERTIONS>)
endif()
# g++ 12 sees overlapping copies in std::string that are none (GCC bug 105329, fixed in 13).
if(warnings AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(steelyard_build_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
# g++ collects its garbage from 128 MiB on, whatever the machine has: from 400 MiB on it takes less time for joined
# tests, and up to a third more memory. For the program alone it makes no difference.
cmake_host_system_information(RESULT memory_mib QUERY TOTAL_PHYSICAL_MEMORY)
if(STEELYARD_BUILD_TESTS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND memory_mib GREATER 7500)
  target_compile_options(steelyard_build_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=400000>)
endif()
target_include_directories(steelyard_build_flags INTERFACE ${PROJECT_SOURCE_DIR})
if(STEELYARD_SANITIZE)
  target_compile_options(steelyard_build_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
    -fsanitize=${STEELYARD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer>)
  target_link_options(steelyard_build_flags INTERFACE -fsanitize=${STEELYARD_SANITIZE})
  target_compile_definitions(steelyard_build_flags INTERFACE STEELYARD_SANITIZED)  # for what tests hold times to
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The standard headers that most files include, compiled once in the builds that people and CI wait for; for joined tests
# beside gtest's. The unoptimised build goes without, so that there one that forgets an include fails.
# One set for each optimization level: g++ crashes where a precompiled header was made with another one, so that files
# with a level of their own (set_source_files_properties) have to go without, too.
set(STEELYARD_STANDARD_HEADERS
  <algorithm> <array> <chrono> <cmath> <filesystem> <fstream> <functional> <map> <memory> <optional> <set> <span>
  <string> <string_view> <unordered_map> <vector>)
function(steelyard_standard_headers target level)  # options...
  if(NOT CMAKE_BUILD_TYPE MATCHES "^(Release|Check)$" OR STEELYARD_SANITIZE
      OR STEELYARD_ONLY_HARNESS OR STEELYARD_ONLY_DEVICE)
    return()
  endif()
  # There warnings are errors: tried with g++ 12, as yet with no other.
  if(STEELYARD_BUILD_TESTS AND NOT (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13))
    return()
  endif()
  set(headers steelyard_standard_headers${level})
  if(NOT TARGET ${headers})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${headers}.cpp CONTENT "")
    add_library(${headers} OBJECT ${PROJECT_BINARY_DIR}/${headers}.cpp)
    set_target_properties(${headers} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(${headers} PRIVATE steelyard_build_flags)
    target_compile_options(${headers} PRIVATE ${ARGN})
    target_precompile_headers(${headers} PRIVATE ${STEELYARD_STANDARD_HEADERS})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
  # g++ 12 forgets that precompiled standard headers are no code of ours, and warns of copies in std::string.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT STEELYARD_BUILD_TESTS)
    target_compile_options(${target} PRIVATE -w)
  endif()
endfunction()

# In the builds that people and CI wait for, up to `most` neighbouring sources are compiled as one: the headers and
# templates that they share cost more than they do. No two of a library use one name in their anonymous namespaces, and
# each source of tests has a namespace of its own (tests/tidy/one_definition_test.cpp). The unoptimised build compiles
# each source alone, so that there one that forgets an include fails.
if(CMAKE_BUILD_TYPE MATCHES "^(Release|Check)$")
  option(STEELYARD_JOIN_SOURCES "Compile neighbouring sources together" ON)
else()
  option(STEELYARD_JOIN_SOURCES "Compile neighbouring sources together" OFF)
endif()
function(steelyard_join_sources_of target most)
  if(STEELYARD_JOIN_SOURCES AND NOT STEELYARD_ONLY_HARNESS AND NOT STEELYARD_ONLY_DEVICE)
    # Once all folders have added theirs; by EVAL, as a deferred call would look up the name only then.
    cmake_language(EVAL CODE
      "cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL steelyard_join_sources ${target} ${most})")
  endif()
endfunction()
function(steelyard_join_sources target most)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  list(TRANSFORM sources PREPEND "${folder}/" REGEX "^[^/]")
  list(SORT sources)
  set(joined)
  foreach(source IN LISTS sources)
    if(EXISTS ${source} AND NOT source MATCHES "[.]cu$")  # what the build generates is compiled alone, and device code
      list(APPEND joined ${source})
    endif()
  endforeach()
  list(LENGTH joined count)
  math(EXPR groups "(${count} + ${most} - 1) / ${most}")
  set(at 0)
  foreach(source IN LISTS joined)
    math(EXPR group "${at} * ${groups} / ${count}")  # of about equal size
    math(EXPR at "${at} + 1")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A source that is included is a header to g++, which warns of classes in it that use its anonymous namespace.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
  endif()
endfunction()

# What is LIGHT, and in the build that runs the tests without lines, which only what is counted needs.
set(STEELYARD_LIGHT)
if(CMAKE_BUILD_TYPE MATCHES "^(Release|Check)$")
  set(STEELYARD_LIGHT -Og)
endif()
function(steelyard_level target level)
  set(options ${level})
  if(level STREQUAL "-Og")
    list(APPEND options -Wno-maybe-uninitialized)
    if(CMAKE_BUILD_TYPE STREQUAL "Check" AND NOT STEELYARD_SANITIZE)
      list(APPEND options -g0)
    endif()
  endif()
  target_compile_options(${target} PRIVATE ${options})
  steelyard_standard_headers(${target} "${level}" ${options})
endfunction()

# steelyard_layer(NAME [HOT|LIGHT] [APART] LINKS targets...): the library steelyard_NAME, known to others as steelyard::NAME.
# HOT: at -O2 where the rest of the program has -O1: what computes, and what people link their benchmarks with. LIGHT:
# at -Og, a fifth quicker to compile, at which g++ takes for uninitialized what is not: what turns options into calls and
# results into text, what starts programs, and what of a store few answers need; 24 of its sources are joined. APART: each source is an
# object of its own, so that a program which links the library takes from it, and from what it needs, only what it uses.
# Folders add their files with target_sources(steelyard_NAME PRIVATE ...).
function(steelyard_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOT;LIGHT;APART" "" "LINKS;PRIVATE_LINKS")
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
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND arg_HOT)
    set(level -O2)
  elseif(arg_LIGHT)
    set(level ${STEELYARD_LIGHT})
  endif()
  steelyard_level(steelyard_${name} "${level}")
  if(NOT arg_APART)
    set(most 8)
    if(arg_LIGHT)
      set(most 24)
    endif()
    steelyard_join_sources_of(steelyard_${name} ${most})
  endif()
endfunction()

# steelyard_light_part(NAME): steelyard_NAME_light, to which folders add what is LIGHT of a layer that is not. Its objects
# lie in the layer's library.
function(steelyard_light_part name)
  add_library(steelyard_${name}_light OBJECT)
  set_target_properties(steelyard_${name}_light PROPERTIES POSITION_INDEPENDENT_CODE ON)
  get_target_property(links steelyard_${name} LINK_LIBRARIES)
  target_link_libraries(steelyard_${name}_light PRIVATE ${links})
  steelyard_level(steelyard_${name}_light "${STEELYARD_LIGHT}")
  steelyard_join_sources_of(steelyard_${name}_light 24)
  target_sources(steelyard_${name} PRIVATE $<TARGET_OBJECTS:steelyard_${name}_light>)
endfunction()

# The seconds that tests may take: five times as many under a sanitizer.
set(STEELYARD_PATIENCE 1)
if(STEELYARD_SANITIZE)
  set(STEELYARD_PATIENCE 5)
endif()
function(steelyard_time_limit seconds)  # tests...
  math(EXPR seconds "${STEELYARD_PATIENCE} * ${seconds}")
  set_tests_properties(${ARGN} PROPERTIES TIMEOUT ${seconds})
endfunction()

# steelyard_test(NAME SOURCES files... LINKS targets... LABEL label [WHOLE] [SERIAL|BESIDE_ONE|WAITS] [HOT] [THREADS]
#   [SERIAL_TESTS filter] [TIMEOUT seconds]): a GoogleTest program. Its tests are registered one by one; with WHOLE the
# program is one CTest test (for suites that share a costly fixture such as a database server), which CTest calls skipped
# where each of its tests was.
# SERIAL: nothing else runs beside its tests, as they judge times; SERIAL_TESTS: beside those that the filter names.
# BESIDE_ONE: one other at most, as they time programs, of which one takes many times as long as the other.
# WAITS: more than it computes, and judges no times: its tests run one after the other, beside what computes.
# THREADS: it has some, of ours or of its own around what is ours; the preset tsan builds and runs it.
#
# clang++ compiles tests, unoptimised, in half the time that g++ takes, and CI shows that both read our headers. The
# compiler of the rest is theirs, too, where there is no clang++, under a sanitizer, and for those that are HOT, whose
# time is held to a bound, or labelled gpu, which need to bring all that they call: of a template in a test and in a
# library the linker takes the test's.
#
# lld links what clang++ compiles, where there is one, in a fifth of the time that the usual linker takes.
find_program(STEELYARD_CLANG clang++)
find_program(STEELYARD_LLD ld.lld)
set(STEELYARD_TEST_LAUNCHER)
set(STEELYARD_TEST_OPTIONS)
if(CMAKE_BUILD_TYPE STREQUAL "Check")
  # A test's own code runs once: at -Og, as above, and without lines, which only what is counted needs.
  set(STEELYARD_TEST_OPTIONS -Og -g0 -Wno-maybe-uninitialized)
  if(STEELYARD_CLANG AND NOT STEELYARD_SANITIZE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(STEELYARD_TEST_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/test_compiler.sh ${STEELYARD_CLANG})
  endif()
endif()

# steelyard_as_test(targets...): what tests start or share, compiled as they are: nothing that is timed or counted.
function(steelyard_as_test)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE ${STEELYARD_TEST_OPTIONS})
    if(STEELYARD_TEST_LAUNCHER)
      set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${STEELYARD_TEST_LAUNCHER}")
    endif()
  endforeach()
endfunction()

# How the output of a GoogleTest program ends whose every test was skipped. CTest calls skipped what matches even where it
# failed, so that nothing may follow the list: GoogleTest tells there of failures, and sanitizers do.
set(STEELYARD_ALL_SKIPPED "\n.  PASSED  . 0 tests[.]\n(.  SKIPPED . [^\n]*\n)+$")

function(steelyard_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WHOLE;SERIAL;BESIDE_ONE;WAITS;HOT;THREADS" "LABEL;SERIAL_TESTS;TIMEOUT"
    "SOURCES;LINKS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  math(EXPR arg_TIMEOUT "${STEELYARD_PATIENCE} * ${arg_TIMEOUT}")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE steelyard_build_flags ${arg_LINKS} GTest::gmock GTest::gtest_main)
  target_compile_options(${name} PRIVATE ${STEELYARD_TEST_OPTIONS})
  # gtest's and gmock's headers cost more than most tests: compiled once, reused by every test program.
  set(headers steelyard_gtest_headers)
  set(launcher ${STEELYARD_TEST_LAUNCHER})
  if(launcher AND (arg_HOT OR arg_LABEL STREQUAL "gpu"))
    set(headers steelyard_gtest_headers_hot)
    set(launcher)
  endif()
  if(NOT TARGET ${headers})
    add_library(${headers} OBJECT ${PROJECT_SOURCE_DIR}/tests/gtest_headers.cpp)
    target_link_libraries(${headers} PRIVATE steelyard_build_flags GTest::gmock)
    target_compile_options(${headers} PRIVATE ${STEELYARD_TEST_OPTIONS})
    if(launcher)
      set_target_properties(${headers} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
    endif()
    target_precompile_headers(${headers} PRIVATE
      <gtest/gtest.h> <gmock/gmock.h> <string> <vector> <filesystem> <fstream>)
    if(STEELYARD_JOIN_SOURCES)
      target_precompile_headers(${headers} PRIVATE ${STEELYARD_STANDARD_HEADERS})
    endif()
  endif()
  if(launcher)
    set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
    if(STEELYARD_LLD)
      target_link_options(${name} PRIVATE -fuse-ld=lld)
    endif()
    # CMake lists objects of others first.
    if(NOT TARGET steelyard_test_templates)
      add_library(steelyard_test_templates OBJECT ${PROJECT_SOURCE_DIR}/tests/templates.cpp)
      target_link_libraries(steelyard_test_templates PRIVATE steelyard_build_flags)
      target_compile_options(steelyard_test_templates PRIVATE -O2 -g0)
    endif()
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:steelyard_test_templates>)
  endif()
  target_precompile_headers(${name} REUSE_FROM ${headers})
  # Half of clang++'s time for eight sources is their headers and what these instantiate.
  if(launcher)
    steelyard_join_sources_of(${name} 32)
  else()
    steelyard_join_sources_of(${name} 8)
  endif()
  if(arg_THREADS AND STEELYARD_SANITIZE STREQUAL "thread")
    set(arg_LABEL threads)  # what the preset tsan builds and runs
    if(NOT TARGET threaded_tests)
      add_custom_target(threaded_tests)
    endif()
    add_dependencies(threaded_tests ${name})
  endif()
  set(properties LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT})
  if(arg_SERIAL)
    list(APPEND properties RUN_SERIAL TRUE)
  elseif(arg_BESIDE_ONE)
    # Of the three that CTest is told it has. First: two are free at a time only where one of these has ended. Beside
    # them run those with a COST between 200 and 300, which compute all the time; beside these, what waits.
    list(APPEND properties PROCESSORS 2 COST 300)
  elseif(arg_WAITS)
    list(APPEND properties RESOURCE_LOCK waiting COST 200)
  endif()
  if(arg_WHOLE)
    add_test(NAME ${name} COMMAND ${name})
    list(APPEND properties SKIP_REGULAR_EXPRESSION "${STEELYARD_ALL_SKIPPED}")
    # A cost, so that what takes longest begins first where no earlier run has told CTest so.
    if(NOT arg_BESIDE_ONE)
      list(APPEND properties COST 100)
    endif()
    set_tests_properties(${name} PROPERTIES ${properties})
  else()
    # Not by the printed values of parameters: they hold addresses, and a test's name is the same in every build.
    # Listing reads the program and its libraries from a disk that may be cold.
    set(discovery DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES)
    set(others)
    if(arg_SERIAL_TESTS)
      gtest_discover_tests(${name} ${discovery} TEST_FILTER ${arg_SERIAL_TESTS}
        PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT} RUN_SERIAL TRUE)
      set(others TEST_FILTER -${arg_SERIAL_TESTS})
    endif()
    gtest_discover_tests(${name} ${discovery} ${others} PROPERTIES ${properties})
  endif()
endfunction()
