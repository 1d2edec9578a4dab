#!/usr/bin/env bash
# Measures on the machine with the device what docs/reference/cuda_suite.md reports, and prints one table last.
#
#   on_device.sh PROGRAM FOLDER CALL|PART...
#
# PROGRAM   steelyard_cuda_suite, as it was built anywhere, the device's test programs beside it; FOLDER, on that
#           machine's own disk, gets everything that is measured
# CALL      first, second or third: parts that fit together, for a device that is at hand for minutes at a time
#             first    facts tests smoke sanitize trace              three minutes
#             second   ours turns peer table                         five minutes
#             third    peer targets profile null decoding table       six minutes
# PART      facts    what the device says of itself
#           tests    the test programs that need a device
#           smoke    every benchmark but decoding once, verified and timed in a few samples: a whole first table
#           sanitize compute-sanitizer over the kernels' tests and some benchmarks
#           trace    CUPTI's records of a perceptron, raw and as spans, and a profiler's trace of PyTorch
#           ours     our kernels: verified, then timed; the most important first, a file for each family
#           turns    large products, ours and PyTorch's in turns, and ours once by the library that PyTorch has
#           peer     the same shapes as in `ours` in PyTorch, eager and compiled
#           targets  six processes of the kernels that have targets, a file each, for `steelyard targets`
#           profile  Nsight Compute's figures of a few kernels
#           null     the same build against itself: gates of small runs in turns, for `steelyard compare`
#           decoding language models, token by token: ours, PyTorch's, and the ways that kernels may follow each other
#           table    the table, from what is in FOLDER
#
# A part that fails or runs out of its time is said and does not end the rest. A further call goes on from what is in
# FOLDER, whatever ended the one before it, and measures nothing anew. With STEELYARD_DEVICE_OUT=FOLDER everything is
# packed there after each part: few files, none above 15 MiB. STEELYARD_DEVICE_EARLIER=FOLDER: where an earlier call's
# were put, on a machine that has nothing else of it. STEELYARD_DEVICE_SECONDS: the whole time.
# Needs bash, timeout, tar and python3; PyTorch for `turns`, `peer` and `trace` alone. Judge the files anywhere:
#   steelyard targets check FOLDER/targets     steelyard compare FOLDER/null/01/a FOLDER/null/01/b
set -uo pipefail

if [ $# -lt 3 ]; then
  sed -n '2,35s/^# \{0,1\}//p' "$0"
  exit 3
fi
program=$1
folder=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
python=${STEELYARD_PYTHON:-python3}
gates=${STEELYARD_NULL_GATES:-1}
rounds=${STEELYARD_NULL_ROUNDS:-6}
row_seconds=${STEELYARD_ROW_SECONDS:-20} # of one benchmark, after which the next is measured
out=${STEELYARD_DEVICE_OUT:-}

seconds=0
parts=
for word in "$@"; do
  case $word in
    first) parts+=" facts tests smoke sanitize trace" seconds=$((seconds + 190)) ;;
    second) parts+=" ours turns peer table" seconds=$((seconds + 265)) ;;
    third) parts+=" peer targets profile null decoding table" seconds=$((seconds + 355)) ;;
    facts | tests | smoke | sanitize | trace | ours | turns | peer | targets | profile | null | decoding | table)
      parts+=" $word" seconds=$((seconds + 240)) ;;
    *)
      echo "on_device.sh: found part \"$word\", wanted first, second, third, facts, tests, smoke, sanitize, trace," \
        "ours, turns, peer, targets, profile, null, decoding or table" >&2
      exit 3 ;;
  esac
done
until=$((SECONDS + ${STEELYARD_DEVICE_SECONDS:-$seconds}))
end_seconds=10 # of the table and of packing
part_until=$until
mkdir -p "$folder/logs" "$folder/smoke" "$folder/ours" "$folder/targets" || exit 3
if [ ! -x "$program" ]; then
  echo "on_device.sh: $program is no program; give the path of steelyard_cuda_suite" >&2
  exit 3
fi
# The newest pack that is whole.
unpack() {
  local number work
  for number in $(ls "$1" | sed -n 's/^steelyard\.\([0-9]*\)\.tar\.gz\.a$/\1/p' | sort -r); do
    work=$(mktemp -d "$folder.unpacked.XXXXXX") || return
    if cat "$1/steelyard.$number.tar.gz".? | gzip -dc 2>/dev/null | tar -C "$work" -xf - 2>/dev/null; then
      cp -a "$work/." "$folder/"
      rm -rf "$work"
      return 0
    fi
    rm -rf "$work"
  done
  return 1
}
if [ -n "${STEELYARD_DEVICE_EARLIER:-}" ] && [ ! -e "$folder/names.txt" ]; then
  unpack "$STEELYARD_DEVICE_EARLIER" || echo "on_device.sh: $STEELYARD_DEVICE_EARLIER has no pack that is whole"
fi
"$python" "$here/kept_rows.py" rescue "$folder/smoke" "$folder/ours"

python_folders() {
  local search='import glob, sys; print("\n".join(f for p in sys.path for f in glob.glob(p + "/nvidia/*/lib")))'
  "$python" -c "$search" 2>/dev/null
}
# cuBLASLt where the program does not look for it: other toolkits' folders, and PyTorch's own.
missing=$(ldd "$program" 2>/dev/null | sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p' | head -n 1)
if [ -n "$missing" ]; then
  for library in /usr/local/cuda*/lib64 /usr/local/cuda*/targets/*/lib $(python_folders); do
    [ -e "$library/$missing" ] || continue
    export LD_LIBRARY_PATH="$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    echo "on_device.sh: $missing is taken from $library"
    break
  done
  if ldd "$program" | grep -q 'not found'; then
    echo "on_device.sh: found no $missing, which $program needs; put its folder into LD_LIBRARY_PATH" >&2
    exit 3
  fi
fi

# Seconds that this part still has, of its own and of the whole.
left() {
  local whole=$((until - SECONDS - end_seconds)) own=$((part_until - SECONDS))
  echo $((own < whole ? own : whole))
}

# bounded SECONDS LOG COMMAND...: at most so long and no longer than is left; says what went wrong, returns its status.
# First asked to end, as the program then writes what it has.
bounded() {
  local most=$1 log=$2 status
  shift 2
  [ "$(left)" -lt "$most" ] && most=$(left)
  if [ "$most" -lt 4 ]; then
    echo "no time left for: $log"
    return 124
  fi
  timeout -k 2 "$((most - 2))" "$@" >"$folder/logs/$log.txt" 2>&1
  status=$?
  [ $status -ne 0 ] && echo "$log: ended with status $status after at most $most s; see $folder/logs/$log.txt"
  return $status
}

names_of_all() {
  [ -s "$folder/names.txt" ] && return
  "$program" --benchmark_list_tests >"$folder/names.txt" 2>"$folder/logs/names.txt"
  [ -s "$folder/names.txt" ] && return
  rm -f "$folder/names.txt"
  echo "names: the program cannot list its benchmarks; see $folder/logs/names.txt"
  return 1
}

# measure SECONDS FILE REGEX OPTION...: benchmarks whose names match and that neither FILE nor its further ones have.
measure() {
  local seconds=$1 file=$2 regex=$3 stem=${2%.json} filter number=1 result=$2 name
  shift 3
  names_of_all || return
  filter=$("$python" "$here/kept_rows.py" left "$folder/names.txt" "$regex" "$stem".json "$stem".[0-9]*.json)
  [ -n "$filter" ] || return 0
  while [ -e "$result" ]; do
    number=$((number + 1))
    result=$stem.$number.json
  done
  name=${stem#"$folder"/}
  bounded "$seconds" "${name//\//_}" "$program" --benchmark_filter="$filter" \
    --steelyard_timeout="${row_seconds}s" "$@" --benchmark_out="$result" --benchmark_out_format=json
}

# family NAME SECONDS REGEX: our benchmarks, verified and timed.
family() { measure "$2" "$folder/ours/$1.json" "$3" --benchmark_min_time=0.3s --steelyard_most_samples=200; }

do_facts() {
  # Read once now: the libraries are half a gigabyte each, and the first start would wait for them.
  { cat /usr/local/cuda*/lib64/libcublasLt.so.* >/dev/null 2>&1 || true; } &
  bounded 12 devices "$program" --steelyard_list_devices
  command -v nvidia-smi >/dev/null && bounded 8 nvidia_smi nvidia-smi -q
  cat "$folder/logs/devices.txt" 2>/dev/null
  names_of_all
}

do_tests() {
  local test beside library
  beside=$(dirname "$program")
  # The tests look for cuBLASLt where they were built.
  library=$(ldd "$program" 2>/dev/null | sed -n 's|.*libcublasLt[^ ]* => \(/.*\)/[^/]* (.*|\1|p')
  mkdir -p "$folder/tests"
  for test in cuda_kernels_device_tests cuda_products_device_tests cuda_device_tests; do
    [ -e "$folder/tests/$test.json" ] && continue
    [ -x "$beside/$test" ] || { echo "$test: there is none beside $program"; continue; }
    STEELYARD_TESTS_PROMISED=gpu STEELYARD_CUDA_SUITE="$program" \
      LD_LIBRARY_PATH="${library:+$library:}${LD_LIBRARY_PATH:-}" \
      bounded 30 "$test" "$beside/$test" --gtest_output="json:$folder/tests/$test.json" && echo "$test: all passed"
  done
}

do_smoke() {
  measure 140 "$folder/smoke/all.json" '^(?!decoding/)' --benchmark_min_time=0.02s --steelyard_most_samples=20 \
    --steelyard_warm_up=0.02s
}

# Tools that have each launch wait for its kernel would wait behind the one that holds the stream.
sanitize_filter='^(mlp_training/batch:128/|cdist/dim:256/dtype:bf16/|batched_dot/batch:64/dtype:bf16/.*length:64$)'
do_sanitize() {
  local tests sanitizer tool
  tests=$(dirname "$program")/cuda_kernels_device_tests
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -n 1)
  [ -n "$sanitizer" ] || { echo "sanitize: there is no compute-sanitizer"; return; }
  for tool in memcheck racecheck; do
    bounded 20 "sanitize_$tool" "$sanitizer" --tool "$tool" --error-exitcode 9 "$tests"
  done
  bounded 15 sanitize_suite "$sanitizer" --tool memcheck --error-exitcode 9 --target-processes all "$program" \
    --steelyard_launch_latency --benchmark_min_time=0.001s --steelyard_warm_up=0.001s --steelyard_most_samples=2 \
    --benchmark_filter="$sanitize_filter"
}

# Where the toolkit has CUPTI: a folder of its own, or beside the others.
cupti_folder() {
  local name=lib64/libcupti.so
  dirname "$(ls /usr/local/cuda*/extras/CUPTI/$name /usr/local/cuda*/$name 2>/dev/null | head -n 1)"
}

do_trace() {
  local dump
  dump=$(cd "$(dirname "$program")" && pwd)/libsteelyard_activity_dump.so
  if [ -e "$dump" ] && ! ls "$folder"/activities.* >/dev/null 2>&1; then
    LD_LIBRARY_PATH="$(cupti_folder):${LD_LIBRARY_PATH:-}" CUDA_INJECTION64_PATH=$dump \
      STEELYARD_ACTIVITY_DUMP=$folder/activities bounded 10 activities "$program" \
      --steelyard_launch_latency --steelyard_verify=false --benchmark_min_time=0.001s --steelyard_warm_up=0.001s \
      --steelyard_most_samples=2 --benchmark_filter='^(mlp_forward/batch:256/dim:256/dtype:bf16/|ceiling/launch$)'
  fi
  # What recording costs: the table that it prints.
  [ -e "$folder/step.spans" ] || bounded 10 spans "$program" --steelyard_profile="$folder/step.spans" \
    --benchmark_filter='^mlp_(forward|training)/batch:256/dim:256/dtype:bf16/'
  [ -e "$folder/trace.json" ] || bounded 20 trace "$python" "$here/peer/torch_peer.py" --trace "$folder/trace.json"
}

do_ours() {
  family ceilings_memory 20 '^ceiling/(access|launch)'
  family rows 20 '^(layer_norm|softmax|rms_norm)/columns:16384/dtype:bf16/form:fused/rows:4096$'
  family gelu 10 '^gelu/dtype:bf16/.*/n:[0-9]+$'
  family gemv 45 '^(gemv|gather_gemv)/.*/n:[0-9]+$'
  family ceilings_products 30 '^ceiling/dtype'
  family mlp_layer_norm 15 '^mlp_layer_norm/batch:(1|512|4096)/dim:4096/'
  family layer_norm 15 '^layer_norm/.*/rows:[0-9]+$'
}

# Ours, PyTorch's, ours, PyTorch's: each warmed by its own kernel, so that both run at the clock that it leaves.
turns_filter='^matmul(_fastest)?/dtype:(bf16|f8|i8)/n:8192$'
do_turns() {
  local turn library
  names_of_all || return
  for turn in 1 2; do
    mkdir -p "$folder/turns/$turn"
    measure 25 "$folder/turns/$turn/ours.json" "$turns_filter" --benchmark_min_time=0.3s --steelyard_most_samples=200
    grep -E "$turns_filter" "$folder/names.txt" >"$folder/turns/names.txt"
    bounded 35 "turn_$turn" "$python" "$here/peer/torch_peer.py" --names "$folder/turns/names.txt" \
      --out "$folder/turns/$turn/peer.json" --seconds 30
  done
  library=$(python_folders | while read -r path; do ls "$path"/libcublasLt.so.* 2>/dev/null; done | head -n 1)
  [ -n "$library" ] || { echo "same library: PyTorch has no cuBLASLt of its own here"; return; }
  LD_LIBRARY_PATH=$(dirname "$library")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} measure 20 "$folder/same_library.json" \
    "$turns_filter" --benchmark_min_time=0.3s --steelyard_most_samples=200 --steelyard_verify=false
}

names_in() { sed -n 's/.*"name": *"\([^"]*\)".*/\1/p' "$@" 2>/dev/null | sort -u; }

do_peer() {
  # What we measured closely, and nothing else.
  names_in "$folder"/ours/*.json >"$folder/names_measured.txt"
  bounded 110 peer "$python" "$here/peer/torch_peer.py" --names "$folder/names_measured.txt" --out "$folder/peer.json" \
    --seconds "$(($(left) - 6))"
}

# The unit of a verdict is the process: a file each, of the same benchmarks, with the ceilings that they are held
# against beside them. `ours` has verified the answers. One that was cut is measured again.
targets_filter='^(ceiling/(access:|launch$|dtype:bf16$)|layer_norm/.*dtype:bf16/form:fused/rows:4096$'
targets_filter+='|(gemv|gather_gemv)/dtype:(bf16|i8)/n:[0-9]+$|mlp_layer_norm/)'
do_targets() {
  local process
  for process in 1 2 3 4 5 6; do
    [ -e "$folder/targets/$process.json" ] && continue
    bounded 30 "targets_$process" "$program" --benchmark_min_time=0.05s --steelyard_most_samples=50 \
      --steelyard_warm_up=0.1s --steelyard_timeout="${row_seconds}s" --steelyard_verify=false \
      --benchmark_filter="$targets_filter" --benchmark_out="$folder/targets.json" --benchmark_out_format=json || break
    mv "$folder/targets.json" "$folder/targets/$process.json"
  done
  rm -f "$folder/targets.json" "$folder/targets.json.partial"
  echo "targets: $(find "$folder/targets" -name '*.json' | wc -l) of 6 processes"
}

do_profile() {
  local ncu one
  ncu=$(command -v ncu || ls /usr/local/cuda*/bin/ncu /opt/nvidia/nsight-compute/*/ncu 2>/dev/null | head -n 1)
  [ -n "$ncu" ] || { echo "profile: there is no ncu"; return; }
  mkdir -p "$folder/profile"
  for one in 'row_kernel ^layer_norm/columns:16384/dtype:bf16/form:fused/rows:4096$' \
    'row_kernel ^softmax/columns:16384/dtype:bf16/form:fused/rows:4096$' \
    'elementwise_kernel ^gelu/dtype:bf16/form:fused/n:[0-9]+$' \
    'gemv_kernel ^gemv/dtype:bf16/n:4096$' 'gemv_kernel ^gemv/dtype:i8/n:16384$'; do
    bounded 12 profile "$ncu" --target-processes all --clock-control none --set detailed --page raw --csv -c 1 \
      -k "regex:${one%% *}" \
      "$program" --steelyard_launch_latency --steelyard_verify=false --benchmark_min_time=0.001s \
      --steelyard_warm_up=0.001s --steelyard_most_samples=2 --benchmark_filter="${one#* }" || continue
    mv "$folder/logs/profile.txt" "$folder/profile/$(tr -c 'a-z0-9_\n' _ <<<"${one#* }").csv"
  done
}

# The two sides take turns, and who begins changes from round to round. A round of one side is none.
null_filter='^(gelu/dtype:bf16/form:fused/|layer_norm/columns:16384/dtype:bf16/form:fused/rows:4096$'
null_filter+='|matmul/dtype:bf16/n:4096$)'
do_null() {
  local gate round side order written_order beside whole=0
  for gate in $(seq -f %02g 1 "$gates"); do
    beside=$folder/null/$gate
    mkdir -p "$beside/a" "$beside/b"
    for round in $(seq 1 "$rounds"); do
      [ -e "$beside/a/$round.json" ] && [ -e "$beside/b/$round.json" ] && continue
      order="a b" written_order=AB
      [ $((round % 2)) -eq 0 ] && order="b a" written_order=BA
      for side in $order; do
        bounded 15 null "$program" --benchmark_min_time=0.05s --steelyard_most_samples=50 --steelyard_warm_up=0.2s \
          --steelyard_timeout="${row_seconds}s" --steelyard_verify=false \
          --benchmark_filter="$null_filter" --benchmark_context=steelyard_layout=interleaved \
          --benchmark_context=steelyard_round="$round" --benchmark_context=steelyard_order="$written_order" \
          --benchmark_out="$folder/null_$side.json" --benchmark_out_format=json || {
          rm -f "$folder"/null_?.json*
          echo "null: $whole of $gates gates are whole, $((round - 1)) rounds of the next"
          return 1
        }
      done
      for side in a b; do mv "$folder/null_$side.json" "$beside/$side/$round.json"; done
    done
    whole=$((whole + 1))
  done
  echo "null: $gates gates of $rounds rounds"
}

# PyTorch compiles a whole step, for more than a minute: what is left for it is for the first model.
do_decoding() {
  family decoding 40 '^(ceiling/access:read/|decoding/[a-z]+/dtype:[a-z0-9]+$)'
  [ -s "$folder/decoding_peer.json" ] || {
    bounded 90 decoding_peer "$python" "$here/peer/torch_decoding.py" --models llama/bf16 --samples 3 --seconds 80
    grep '"tokens_per_second"' "$folder/logs/decoding_peer.txt" >"$folder/decoding_peer.json"
  }
  family decoding 60 '^decoding/'
}

do_table() {
  timeout -k 2 8 "$python" "$here/peer/device_table.py" "$folder" --json "$folder/table.json" | tee "$folder/table.txt"
  [ -s "$folder/names.txt" ] || return
  # What a list of families and their bounds left out is not to be taken for measured.
  names_in "$folder"/smoke/*.json "$folder"/ours/*.json "$folder"/turns/*/ours.json |
    comm -13 - <(sort "$folder/names.txt") >"$folder/names_left_out.txt"
  [ -s "$folder/names_left_out.txt" ] || return
  echo "$(wc -l <"$folder/names_left_out.txt") of $(wc -l <"$folder/names.txt") benchmarks were not measured:" \
    "$folder/names_left_out.txt"
}

# Everything, in pieces that can be carried one by one; the pack before it goes only when this one is whole.
pack() {
  [ -n "$out" ] || return 0
  local number=1 work before piece left_out=
  work=$(mktemp -d "$folder.pack.XXXXXX") || return
  mkdir -p "$out"
  before=$(cd "$out" && ls steelyard.*.tar.gz.? 2>/dev/null)
  [ -n "$before" ] && number=$(($(sed -n '$s/^steelyard\.0*\([0-9]*\)\..*/\1/p' <<<"$before") + 1))
  for left_out in '' profile; do
    rm -f "$work"/*
    tar -C "$folder" ${left_out:+--exclude="./$left_out"} -cf - . | gzip |
      split -b 15M -a 1 - "$work/steelyard.$(printf %03d "$number").tar.gz."
    # Two packs may be there at once: four pieces each at most.
    [ "$(ls "$work" | wc -l)" -le 4 ] && break
  done
  [ -n "$left_out" ] && echo "pack: without $left_out, which is too large to come along"
  for piece in "$work"/*; do
    cp "$piece" "$out/part" && mv "$out/part" "$out/${piece##*/}" || { rm -rf "$work"; return 1; }
  done
  # Only now: an end between the two leaves both, of which the newer is whole.
  [ -n "$before" ] && (cd "$out" && rm -f $before)
  rm -rf "$work"
}

# share PART: the most seconds that it takes of its call.
share() {
  case $1 in
    facts) echo 20 ;; tests) echo 30 ;; smoke) echo 70 ;; sanitize) echo 30 ;; trace) echo 30 ;;
    ours) echo 90 ;; turns) echo 75 ;; peer) echo 80 ;; targets) echo 70 ;; profile) echo 35 ;; null) echo 30 ;;
    decoding) echo 120 ;;
    *) echo "$end_seconds" ;;
  esac
}

for part in $parts; do
  part_until=$((SECONDS + ${STEELYARD_PART_SECONDS:-$(share "$part")}))
  [ "$part" = table ] || echo "== $part, $(left) s left"
  "do_$part"
  pack
done
exit 0
