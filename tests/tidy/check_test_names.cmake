# Fails with the tests whose names hold what another build or run would not: an address, or the bytes of a parameter.
#   cmake -DBUILD_FOLDER=FOLDER -P check_test_names.cmake
execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${BUILD_FOLDER} --show-only
  OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "Test +#[0-9]+: [^\n]+" names "${listed}")
list(LENGTH names count)
if(count EQUAL 0)
  message(FATAL_ERROR "ctest lists no tests of ${BUILD_FOLDER}")
endif()
list(FILTER names INCLUDE REGEX "0x[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]|-byte object <")
if(names)
  list(JOIN names "\n  " names)
  message(FATAL_ERROR "give the parameters of these tests names (the last argument of INSTANTIATE_TEST_SUITE_P):\n"
    "  ${names}")
endif()
