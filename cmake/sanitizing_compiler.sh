#!/bin/sh
# The compiler of the preset asan: clang++, which makes unoptimised, sanitized code quicker than g++ does. g++ for the vector
# kernels, which are written in its terms, and for programs whose instructions or allocations tests know.
# Linked by lld, where there is one: sanitized programs are large.
case " $* " in
  *" -c "* | *" -E "*) ;;
  *) ! command -v ld.lld >/dev/null || set -- "$@" -fuse-ld=lld ;;
esac
case " $* " in
  *"/bench/ceilings/"*"_kernels.cpp "* | *"/tests/bench/counting/"*"_program.cpp "* | *"/attributed_program.cpp "* | \
    *"/main_fixture.cpp "* | *"/loop_cost/loops.cpp "*) exec g++ "$@" ;;
esac
exec clang++ "$@"
