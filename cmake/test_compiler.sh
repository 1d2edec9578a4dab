#!/bin/sh
# A launcher of compilers (CXX_COMPILER_LAUNCHER): test_compiler.sh CLANG G++ OPTION... has CLANG do what G++ was told,
# without optimization. Its warnings are no errors: they differ from release to release.
clang=$1
shift 2
set -- "$@" -O0 -Wno-error -Wno-sign-conversion -Wno-unknown-warning-option -Wno-unused-command-line-argument
for word in "$@"; do
  case $word in
    # CLANG would read the earlier one in place of the header.
    *.gch) rm -f "$word" && set -- "$@" -fpch-instantiate-templates ;;
  esac
done
exec "$clang" "$@"
