# The CUDA Toolkit: found, not demanded. Without it everything but the device's own code is built and tested.
#
#   STEELYARD_CUDA                 AUTO (where it is found), ON (its absence is an error), OFF
#   STEELYARD_CUDA_ARCHITECTURES   what device code is compiled for; one architecture, e.g. 90a-real, builds quickest, and
#                                  is the default of the builds that run the tests and of STEELYARD_ONLY_DEVICE
#
# Afterwards STEELYARD_HAVE_CUDA says whether targets with device code can be made, and CMake's CUDA:: targets exist.
# nvcc is found through CMAKE_CUDA_COMPILER, CUDACXX, PATH, CUDA_PATH, and where its installer puts it.
set(STEELYARD_CUDA AUTO CACHE STRING "Benchmarks on a CUDA device: AUTO, ON or OFF")
set_property(CACHE STEELYARD_CUDA PROPERTY STRINGS AUTO ON OFF)
set(STEELYARD_HAVE_CUDA OFF)
string(TOUPPER "${STEELYARD_CUDA}" cuda_choice)
if(NOT cuda_choice MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "STEELYARD_CUDA: found \"${STEELYARD_CUDA}\", wanted AUTO, ON or OFF")
endif()
# The program alone needs no device code, and who waits for its build should not wait for nvcc.
if(NOT STEELYARD_BUILD_SUITES)
  return()
endif()

# Compiles for: what A100 and H100 or H200 have, the newest that this nvcc knows, and PTX that later drivers translate.
function(steelyard_cuda_architectures nvcc result)
  execute_process(COMMAND ${nvcc} --list-gpu-arch OUTPUT_VARIABLE listed ERROR_QUIET RESULT_VARIABLE failed)
  set(architectures 80-real 90a-real)
  if(failed EQUAL 0)
    string(REGEX MATCHALL "compute_[0-9]+" listed "${listed}")
    list(TRANSFORM listed REPLACE "compute_" "")
    list(SORT listed COMPARE NATURAL ORDER DESCENDING)
    list(GET listed 0 newest)
    if(newest GREATER 90)
      list(APPEND architectures ${newest}-real)
    endif()
  endif()
  list(APPEND architectures 90-virtual)
  set(${result} ${architectures} PARENT_SCOPE)
endfunction()

function(steelyard_find_cuda result)
  set(${result} "" PARENT_SCOPE)
  if(CMAKE_CUDA_COMPILER)
    set(${result} ${CMAKE_CUDA_COMPILER} PARENT_SCOPE)
    return()
  endif()
  file(GLOB installed LIST_DIRECTORIES true /usr/local/cuda /usr/local/cuda-[0-9]*)
  list(SORT installed COMPARE NATURAL)
  find_program(STEELYARD_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_PATH ENV CUDA_HOME PATHS ${installed} PATH_SUFFIXES bin)
  if(DEFINED ENV{CUDACXX})
    set(${result} $ENV{CUDACXX} PARENT_SCOPE)
  elseif(STEELYARD_NVCC)
    set(${result} ${STEELYARD_NVCC} PARENT_SCOPE)
  endif()
endfunction()

# "12.4"; empty: this is no nvcc.
function(steelyard_nvcc_version nvcc result)
  execute_process(COMMAND ${nvcc} --version OUTPUT_VARIABLE told ERROR_QUIET RESULT_VARIABLE ignored)
  string(REGEX MATCH "release ([0-9]+\\.[0-9]+)" found "${told}")
  set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

set(cuda_missing)
if(NOT cuda_choice STREQUAL "OFF")
  steelyard_find_cuda(nvcc)
  if(nvcc)
    steelyard_nvcc_version(${nvcc} nvcc_version)
  endif()
  # The version first: an older one fails at trying to compile, for reasons that say nothing.
  if(NOT nvcc)
    set(cuda_missing "nvcc was not found; set CUDACXX to it or CUDA_PATH to its folder")
  elseif(NOT nvcc_version)
    set(cuda_missing "${nvcc} tells no version of CUDA; set CUDACXX to an nvcc")
  elseif(nvcc_version VERSION_LESS 12.3)
    set(cuda_missing "${nvcc} is of CUDA ${nvcc_version}, 12.3 or later is needed")
  else()
    if(NOT STEELYARD_CUDA_ARCHITECTURES)
      steelyard_cuda_architectures(${nvcc} architectures)
      if(STEELYARD_ONLY_DEVICE OR STEELYARD_BUILD_TESTS)
        # Of the device that is there, as who rebuilds or tests beside it waits for it; where none is, those of an H100.
        execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
          OUTPUT_VARIABLE capability ERROR_QUIET)
        string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" ignored "${capability}")
        set(architectures ${CMAKE_MATCH_1}${CMAKE_MATCH_2}-real)
        if("${CMAKE_MATCH_1}" STREQUAL "" OR capability VERSION_EQUAL 9.0)
          set(architectures 90a-real)
        endif()
      endif()
      set(STEELYARD_CUDA_ARCHITECTURES "${architectures}" CACHE STRING "What device code is compiled for")
    endif()
    # The compiler's own tests need one architecture, and CMake 3.25 cannot guess those of a later nvcc.
    set(CMAKE_CUDA_ARCHITECTURES 90)
    include(CheckLanguage)
    # Not by CMAKE_CUDA_COMPILER: what is set there is not tried, and fails later for good.
    if(NOT CMAKE_CUDA_COMPILER)
      set(ENV{CUDACXX} ${nvcc})
    endif()
    check_language(CUDA)
    if(NOT CMAKE_CUDA_COMPILER)
      set(cuda_missing "${nvcc} does not compile with this C++ compiler; name one with CUDAHOSTCXX")
    else()
      enable_language(CUDA)
      find_package(CUDAToolkit QUIET)
      set(CMAKE_CUDA_ARCHITECTURES ${STEELYARD_CUDA_ARCHITECTURES})
      if(NOT TARGET CUDA::cudart_static OR NOT TARGET CUDA::cublasLt)
        set(cuda_missing "${nvcc} was found, its static runtime (cudart) or cuBLASLt was not")
      else()
        set(STEELYARD_HAVE_CUDA ON)
      endif()
    endif()
  endif()
  if(cuda_missing AND cuda_choice STREQUAL "ON")
    message(FATAL_ERROR "STEELYARD_CUDA=ON: ${cuda_missing}")
  elseif(cuda_missing)
    message(STATUS "steelyard_cuda_suite is not built: ${cuda_missing}")
  else()
    message(STATUS "CUDA ${CUDAToolkit_VERSION} (${CMAKE_CUDA_COMPILER}) for ${STEELYARD_CUDA_ARCHITECTURES}")
  endif()
endif()

# steelyard_cuda_library(NAME LINKS targets... [PRIVATE_LINKS targets...]): the static library steelyard_NAME, known as
# steelyard::NAME, of .cpp and .cu files. Host files have all warnings; nvcc's own output does not bear -Wpedantic.
function(steelyard_cuda_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINKS;PRIVATE_LINKS")
  add_library(steelyard_${name} STATIC)
  add_library(steelyard::${name} ALIAS steelyard_${name})
  set_target_properties(steelyard_${name} PROPERTIES
    POSITION_INDEPENDENT_CODE ON CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}")
  target_link_libraries(steelyard_${name} PUBLIC ${arg_LINKS} PRIVATE steelyard_build_flags ${arg_PRIVATE_LINKS})
  target_include_directories(steelyard_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  # By hand: CMake 3.25 does not know that nvcc takes C++20. What is measured is optimized in every build type but Debug.
  target_compile_options(steelyard_${name} PRIVATE
    $<$<NOT:$<CONFIG:Debug>>:-O2> $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
  if(NOT STEELYARD_ONLY_DEVICE)
    target_compile_options(steelyard_${name} PRIVATE
      $<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings>
      $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-unused-function>)
  endif()
  steelyard_join_sources_of(steelyard_${name} 8)
endfunction()
