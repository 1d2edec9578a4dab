// What a kernel computes stands in functions that run on both sides: on the device, and on the CPU in tests, where a
// whole block is played thread by thread. Without the toolkit these marks are nothing.
//
//     STEELYARD_HOST_DEVICE inline float twice(float x) { return x + x; }
//
// The few intrinsics of the device stand behind `#ifdef __CUDA_ARCH__`, each beside the plain code that the CPU runs
// and whose result it has, or with the error that it adds.
#pragma once

#ifdef __CUDACC__
#define STEELYARD_HOST_DEVICE __host__ __device__
#else
#define STEELYARD_HOST_DEVICE
#endif

// Arrays in registers need loops whose count the compiler knows and which it unrolls: an index that is only known at
// run time moves them to memory.
#ifdef __CUDA_ARCH__
#define STEELYARD_UNROLL _Pragma("unroll")
#else
#define STEELYARD_UNROLL
#endif
