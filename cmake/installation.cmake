# What other projects take from an installation: find_package(steelyard) gives steelyard::harness, steelyard::spans,
# steelyard::bench_main and steelyard::bench_program, steelyard::google_benchmark_timer and
# steelyard::measurement_archive. Headers keep their paths: #include "bench/harness/timer.hpp" reads the same from the source tree and from include/steelyard.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/steelyard)

install(TARGETS steelyard_model steelyard_tables steelyard_harness steelyard_spans EXPORT steelyard_harness_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT harness)
install(EXPORT steelyard_harness_targets FILE steelyardHarnessTargets.cmake NAMESPACE steelyard::
  DESTINATION ${package_folder} COMPONENT harness)
if(TARGET steelyard_bench_main)
  install(TARGETS steelyard_bench_program steelyard_bench_main steelyard_google_benchmark_timer
    EXPORT steelyard_bench_main_targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT harness)
  install(EXPORT steelyard_bench_main_targets FILE steelyardBenchMainTargets.cmake NAMESPACE steelyard::
    DESTINATION ${package_folder} COMPONENT harness)
endif()

if(TARGET steelyard_measurement_archive)
  install(TARGETS steelyard_measurement_archive EXPORT steelyard_measurement_archive_targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT harness)
  install(EXPORT steelyard_measurement_archive_targets FILE steelyardMeasurementArchiveTargets.cmake
    NAMESPACE steelyard:: DESTINATION ${package_folder} COMPONENT harness)
endif()

foreach(folder IN ITEMS model harness main profile/spans)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/bench/${folder}/ DESTINATION
    ${CMAKE_INSTALL_INCLUDEDIR}/steelyard/bench/${folder} COMPONENT harness FILES_MATCHING PATTERN "*.hpp")
endforeach()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/steelyardConfig.cmake.in
  ${PROJECT_BINARY_DIR}/steelyardConfig.cmake INSTALL_DESTINATION ${package_folder})
# Before 1.0 any minor version may change what people compile against.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/steelyardConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/steelyardConfig.cmake ${PROJECT_BINARY_DIR}/steelyardConfigVersion.cmake
  DESTINATION ${package_folder} COMPONENT harness)
