# Fails where CTest calls skipped what is not, or does not what is, by STEELYARD_ALL_SKIPPED (cmake/layers.cmake).
#   cmake -DEXPRESSION=REGEX -DBUILD_FOLDER=FOLDER -DFOLDER=FOLDER -P check_all_skipped.cmake
function(expect result)  # of a test, by: command...
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT said MATCHES "\n *1/1 Test[^\n]*[. *]${result} ")
    message(SEND_ERROR "expected: ${result}\n${said}")
  endif()
endfunction()

# The words of the GoogleTest that is here. Every test of this program needs a browser, which no PATH leads to.
function(expect_without_browser result promised)
  expect(${result} ${CMAKE_COMMAND} -E env PATH=/nonexistent "STEELYARD_TESTS_PROMISED=${promised}"
    ${CMAKE_CTEST_COMMAND} --test-dir ${BUILD_FOLDER}/tests/ci/report -R "^html_page_tests$")
endfunction()
expect_without_browser(Skipped "")
expect_without_browser(Failed chromium)

function(expect_where_it_ends result status)  # lines...
  list(JOIN ARGN "\n" lines)
  file(WRITE ${FOLDER}/output.txt "[==========] 2 tests from 1 test suite ran. (0 ms total)\n${lines}\n")
  file(WRITE ${FOLDER}/CTestTestfile.cmake "add_test(one sh -c \"cat '${FOLDER}/output.txt'; exit ${status}\")\n"
    "set_tests_properties(one PROPERTIES SKIP_REGULAR_EXPRESSION [==[${EXPRESSION}]==])\n")
  expect(${result} ${CMAKE_CTEST_COMMAND} --test-dir ${FOLDER})
endfunction()
set(none "[  PASSED  ] 0 tests.")
set(one "[  SKIPPED ] 1 test, listed below:" "[  SKIPPED ] Suite.One")
expect_where_it_ends(Skipped 0 "${none}" ${one})
expect_where_it_ends(Passed 0 "[  PASSED  ] 1 test." ${one})
expect_where_it_ends(Passed 0 "[  PASSED  ] 10 tests." ${one})
expect_where_it_ends(Failed 1 "${none}" ${one} "[  FAILED  ] 1 test, listed below:" "[  FAILED  ] Suite.Two")
expect_where_it_ends(Failed 1 "${none}" ${one} "==1==ERROR: LeakSanitizer: detected memory leaks")
expect_where_it_ends(Passed 0 "${none}")  # no test was asked for
