// The sink: keeps work whose result nobody uses from being removed by the compiler.
//
//     do_not_optimize(sum(values));  // the sum is computed
//     do_not_optimize(x);            // x may have any value from here on: what is computed from it is not a constant
//     clobber_memory();              // every object that others can reach is written before, and read anew after
//
// What is guaranteed, with GCC and Clang at every level of optimization:
// - do_not_optimize(value): each time execution passes there, the value stands whole in a register or in memory. A
//   value that is no constant is taken as changed by it.
// - clobber_memory(): stores to memory whose address has escaped (globals, what a pointer that was handed out leads to,
//   what do_not_optimize has seen in memory) are done before it, and loads from there are not carried across it.
// - neither adds an instruction of its own beyond putting the value where it has to stand.
//
// What is not:
// - how a value comes about. f(2) may still be folded while compiling, and what does not change from pass to pass be
//   computed once, before the loop: hand the *inputs* to do_not_optimize, inside the loop.
// - local objects whose address nobody has: their stores may still vanish.
// - the processor: it may run passes at once and out of order. There is no fence, and no cache is emptied.
#pragma once

#include <type_traits>

namespace steelyard {

template <class T>
inline constexpr bool kFitsRegister = std::is_scalar_v<T> && sizeof(T) <= sizeof(void*);

#if defined(__x86_64__)
#define STEELYARD_FLOAT_REGISTER "x"
#elif defined(__aarch64__)
#define STEELYARD_FLOAT_REGISTER "w"
#else
#define STEELYARD_FLOAT_REGISTER "r"
#endif

template <class T>
[[gnu::always_inline]] inline void do_not_optimize(const T& value) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    // In a register of its own kind: into a general one it would have to be moved.
    asm volatile("" : : STEELYARD_FLOAT_REGISTER(value));
  } else if constexpr (kFitsRegister<T>) {
    asm volatile("" : : "r,m"(value));
  } else {
    asm volatile("" : : "m"(value) : "memory");
  }
}

template <class T>
requires(!std::is_const_v<T>) [[gnu::always_inline]] inline void do_not_optimize(T& value) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    asm volatile("" : "+" STEELYARD_FLOAT_REGISTER(value));
  } else if constexpr (kFitsRegister<T>) {
    asm volatile("" : "+r"(value));
  } else {
    asm volatile("" : "+m"(value) : : "memory");
  }
}

#undef STEELYARD_FLOAT_REGISTER

[[gnu::always_inline]] inline void clobber_memory() { asm volatile("" : : : "memory"); }

}  // namespace steelyard
