# Everything that is not ours is named here, found on the system, and included as SYSTEM.
# Debian 12 and 13 package names: see packages.txt beside this file.

set(CMAKE_THREAD_PREFER_PTHREAD ON)
# The project that we are a part of links what our libraries link.
if(NOT PROJECT_IS_TOP_LEVEL)
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL TRUE)
endif()
find_package(Threads REQUIRED)
if(STEELYARD_ONLY_DEVICE)
  return()
endif()
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
# Found, not demanded: the shim that counts instructions needs only Valgrind's client-request headers to compile.
find_path(STEELYARD_VALGRIND_INCLUDE valgrind/callgrind.h)
# Found, not demanded: without it there is no steelyard::bench_main and no suite.
find_package(benchmark QUIET)
# Found, not demanded: without it there is no steelyard::measurement_archive.
if(STEELYARD_ONLY_HARNESS)
  find_package(Boost 1.74 QUIET COMPONENTS serialization)
endif()
if(STEELYARD_ONLY_HARNESS)
  return()
endif()

find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
# What is C++ is linked in, so that nothing that lies beside the program needs a C++ library: Debian 12's own asks for a
# later C library (2.36) than all else that the program loads (2.35).
option(STEELYARD_STATIC_CXX "Link C++ libraries statically, for ci/package.sh" OFF)
set(Boost_USE_STATIC_LIBS ${STEELYARD_STATIC_CXX})
find_package(Boost 1.74 REQUIRED COMPONENTS serialization iostreams)
find_package(PkgConfig REQUIRED)
pkg_check_modules(pqxx REQUIRED IMPORTED_TARGET libpqxx>=6.4)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus>=3.0)
# 7.85: CURLOPT_PROTOCOLS_STR.
pkg_check_modules(libcurl REQUIRED IMPORTED_TARGET libcurl>=7.85)
pkg_check_modules(libdw REQUIRED IMPORTED_TARGET libdw>=0.188 libelf)
find_package(ZLIB REQUIRED)
# A static library alone, and no module of pkg-config. Its demangler, all that is linked of it, may be linked into
# anything.
find_library(STEELYARD_IBERTY iberty REQUIRED)
set(STEELYARD_FMT fmt::fmt)
if(STEELYARD_STATIC_CXX)
  # Debian's static library does not say what it needs.
  set_property(TARGET Boost::iostreams APPEND PROPERTY INTERFACE_LINK_LIBRARIES zstd)
  # Of these two Debian has no static library: their code comes from their headers.
  set(STEELYARD_FMT fmt::fmt-header-only)
  set_target_properties(PkgConfig::tomlplusplus PROPERTIES INTERFACE_COMPILE_OPTIONS "" INTERFACE_LINK_LIBRARIES "")
  find_library(STEELYARD_PQXX_ARCHIVE libpqxx.a REQUIRED)
  set_target_properties(PkgConfig::pqxx PROPERTIES INTERFACE_LINK_LIBRARIES "${STEELYARD_PQXX_ARCHIVE};pq")
endif()
# Found, not demanded: without Capstone the machine code of two builds is equal only if it lies at the same addresses.
pkg_check_modules(capstone QUIET IMPORTED_TARGET capstone)

if(STEELYARD_BUILD_SUITES OR STEELYARD_BUILD_TESTS)
  find_path(STEELYARD_CBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas openblas-pthread x86_64-linux-gnu)
  pkg_check_modules(openblas QUIET IMPORTED_TARGET openblas)
endif()
if(STEELYARD_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
