#!/usr/bin/env bash
# record.sh PROGRAMS FOLDER: what the fixtures beside this file are cut from (cut_fixtures.py --work FOLDER), in half a
# minute of a device. PROGRAMS: a folder with cuda_device_tests, steelyard_cuda_suite and libsteelyard_activity_dump.so.
# A part that fails is said, and the next one goes on.
set -u
programs=$(cd "$1" && pwd) && mkdir -p "$2/kept" && folder=$(cd "$2" && pwd) || exit 3
here=$(cd "$(dirname "$0")" && pwd)
cupti=$(dirname "$(ls /usr/local/cuda*/extras/CUPTI/lib64/libcupti.so /usr/local/cuda*/lib64/libcupti.so 2>/dev/null |
  head -n 1)")

part() {  # NAME SECONDS COMMAND...
  local name=$1 most=$2
  shift 2
  timeout -k 1 "$most" "$@" || echo "$name: ended with status $?"
}

# Recordings of our own, each a test whose file is kept.
part recordings 10 env STEELYARD_KEPT_RECORDINGS="$folder/kept" "$programs/cuda_device_tests" \
  --gtest_filter='DeviceRecordingTest.*'
# CUPTI's raw records of the same work: kernel by kernel, and each launch of a graph as one.
dump() {
  part "$1" 10 env LD_LIBRARY_PATH="$cupti:${LD_LIBRARY_PATH:-}" STEELYARD_ACTIVITY_DUMP="$folder/$1" "${@:2}" \
    CUDA_INJECTION64_PATH="$programs/libsteelyard_activity_dump.so" "$programs/cuda_device_tests" \
    --gtest_filter='DeviceWorkTest.*'
}
dump nodes
dump graphs STEELYARD_ACTIVITY_GRAPHS=1
# PyTorch's trace and what it adds up of it.
part perceptron 40 python3 "$here/perceptron.py" "$folder"
# Shares of the peaks: of the profiler, and of the suite's hot times.
products='^(matmul/dtype:(f32|tf32|bf16|f8|i8)/n:4096|gelu/dtype:bf16/form:fused/n:67108864|gemv/dtype:bf16/n:8192)$'
part shares 20 "$programs/steelyard_cuda_suite" --steelyard_profile="$folder/shares.spans" \
  --steelyard_profile_iterations=10 --benchmark_filter="$products"
part hot 20 "$programs/steelyard_cuda_suite" --steelyard_verify=false --benchmark_min_time=0.02s \
  --steelyard_warm_up=0.1s --steelyard_most_samples=20 --benchmark_out="$folder/hot.json" --benchmark_filter="$products"
