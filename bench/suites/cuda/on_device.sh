#!/usr/bin/env bash
# Measures on the machine with the device what docs/reference/cuda_suite.md reports, and prints one table last.
#
#   on_device.sh PROGRAM FOLDER [PART...]
#
# PROGRAM   steelyard_cuda_suite, as it was built anywhere; FOLDER gets everything that is measured
# PART      what to do, in this order; without any: all of them
#   facts   what the device says of itself
#   ours    our kernels: verified, then timed; the most important first, a file for each family
#   peer    the same shapes in PyTorch, eager and compiled, right after
#   targets six processes of the kernels that have targets, a file each, for `steelyard targets`
#   null    the same build against itself: twenty gates of small runs in turns, for `steelyard compare`
#   rest    all other benchmarks of the suite
#   table   the table, from what is in FOLDER
#
# It takes nine minutes at most (STEELYARD_DEVICE_SECONDS). A part that fails or runs out of time is said and does not
# end the rest. Needs bash, timeout and python3; PyTorch for `peer` alone. Judge the files anywhere:
#   steelyard targets check FOLDER/targets     steelyard compare FOLDER/null/01/a FOLDER/null/01/b
set -uo pipefail

if [ $# -lt 2 ]; then
  sed -n '2,19s/^# \{0,1\}//p' "$0"
  exit 3
fi
program=$1
folder=$2
shift 2
parts=${*:-facts ours peer targets null rest table}
here=$(cd "$(dirname "$0")" && pwd)
python=${STEELYARD_PYTHON:-python3}
gates=${STEELYARD_NULL_GATES:-20}
rounds=${STEELYARD_NULL_ROUNDS:-6}
until=$((SECONDS + ${STEELYARD_DEVICE_SECONDS:-540}))
table_seconds=10

for part in $parts; do
  case " facts ours peer targets null rest table " in
    *" $part "*) ;;
    *) echo "on_device.sh: found part \"$part\", wanted facts, ours, peer, targets, null, rest or table" >&2; exit 3 ;;
  esac
done
mkdir -p "$folder/ours" "$folder/logs" || exit 3
if [ ! -x "$program" ]; then
  echo "on_device.sh: $program is no program; give the path of steelyard_cuda_suite" >&2
  exit 3
fi

# cuBLASLt where the program does not look for it: other toolkits' folders, and PyTorch's own.
missing=$(ldd "$program" 2>/dev/null | sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p' | head -n 1)
if [ -n "$missing" ]; then
  python_folders='import glob, sys; print("\n".join(f for p in sys.path for f in glob.glob(p + "/nvidia/*/lib")))'
  for library in /usr/local/cuda*/lib64 /usr/local/cuda*/targets/*/lib $("$python" -c "$python_folders" 2>/dev/null); do
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

left() { echo $((until - SECONDS - table_seconds)); }

# bounded SECONDS LOG COMMAND...: at most so long and no longer than is left; says what went wrong, returns its status.
bounded() {
  local most=$1 log=$2 status
  shift 2
  [ "$(left)" -lt "$most" ] && most=$(left)
  if [ "$most" -lt 1 ]; then
    echo "no time left for: $log"
    return 124
  fi
  timeout -k 5 "$most" "$@" >"$folder/logs/$log.txt" 2>&1
  status=$?
  [ $status -ne 0 ] && echo "$log: ended with status $status after at most $most s; see $folder/logs/$log.txt"
  return $status
}

# family NAME SECONDS REGEX: our benchmarks whose names match, verified and timed.
family() {
  bounded "$2" "ours_$1" "$program" --benchmark_filter="$3" --benchmark_min_time=0.3s \
    --benchmark_out="$folder/ours/$1.json" --benchmark_out_format=json
}

do_facts() {
  bounded 20 devices "$program" --steelyard_list_devices
  command -v nvidia-smi >/dev/null && bounded 20 nvidia_smi nvidia-smi -q
  cat "$folder/logs/devices.txt" 2>/dev/null
  "$program" --benchmark_list_tests >"$folder/names.txt" 2>"$folder/logs/names.txt" ||
    echo "names: the program cannot list its benchmarks; see $folder/logs/names.txt"
}

do_ours() {
  family ceilings_memory 30 '^ceiling/access'
  family ceilings_products 80 '^ceiling/dtype'
  family products_8192 80 '^matmul(_fastest)?/dtype:(bf16|f8|i8)/n:8192$'
  family rows 40 '^(layer_norm|softmax|rms_norm)/columns:16384/dtype:bf16/form:fused/rows:4096$'
  family gelu 30 '^gelu/dtype:bf16/'
  family gemv 60 '^(gemv|gather_gemv)/'
  family mlp_layer_norm 40 '^mlp_layer_norm/batch:(1|512|4096)/dim:4096/'
}

measured_names() { sed -n 's/.*"name": *"\([^"]*\)".*/\1/p' "$folder"/ours/*.json 2>/dev/null | sort -u; }

do_peer() {
  local ours="$folder/names_measured.txt"
  # What we measured, and nothing else.
  measured_names >"$ours"
  local seconds
  seconds=$(($(left) < 200 ? $(left) : 200))
  bounded 230 peer "$python" "$here/peer/torch_peer.py" --names "$ours" --out "$folder/peer.json" --seconds "$seconds"
}

# The unit of a verdict is the process: a file each, of the same benchmarks, with the ceilings of memory beside them.
# `ours` has verified the answers.
targets_filter='^(ceiling/access:|layer_norm/.*dtype:bf16/form:fused|gemv/|gather_gemv/|mlp_layer_norm/)'
do_targets() {
  local process
  rm -rf "${folder:?}/targets"
  mkdir -p "$folder/targets"
  for process in $(seq 1 6); do
    bounded 40 "targets_$process" "$program" --benchmark_min_time=0.05s --steelyard_most_samples=200 \
      --steelyard_verify=false --benchmark_filter="$targets_filter" \
      --benchmark_out="$folder/targets/$process.json" --benchmark_out_format=json || break
  done
  echo "targets: $(find "$folder/targets" -name '*.json' | wc -l) of 6 processes"
}

# The two sides take turns, and who begins changes from round to round.
null_filter='^(gelu/dtype:bf16/form:fused/|layer_norm/columns:16384/dtype:bf16/form:fused/|matmul/dtype:bf16/n:4096$)'
do_null() {
  local gate round side order written_order file
  for gate in $(seq -f %02g 1 "$gates"); do
    # Whole from an earlier call: this one goes on from there.
    [ -f "$folder/null/$gate/a/$rounds.json" ] && [ -f "$folder/null/$gate/b/$rounds.json" ] && continue
    for round in $(seq 1 "$rounds"); do
      order="a b" written_order=AB
      [ $((round % 2)) -eq 0 ] && order="b a" written_order=BA
      for side in $order; do
        file="$folder/null/$gate/$side"
        mkdir -p "$file"
        bounded 20 null "$program" --benchmark_min_time=0.05s --steelyard_verify=false \
          --benchmark_filter="$null_filter" --benchmark_context=steelyard_layout=interleaved \
          --benchmark_context=steelyard_round="$round" --benchmark_context=steelyard_order="$written_order" \
          --benchmark_out="$file/$round.json" --benchmark_out_format=json || {
          rm -rf "${folder:?}/null/$gate"
          echo "null: $((10#$gate - 1)) of $gates gates are whole"
          return 1
        }
      done
    done
  done
  echo "null: $gates gates of $rounds rounds"
}

do_rest() {
  family products 90 '^matmul/'
  family elementwise 60 '^(add|gelu|cdist)/'
  family rows_all 60 '^(layer_norm|softmax|rms_norm)/'
  family mlp_forward 60 '^mlp_forward/'
  family mlp_training 120 '^mlp_training/'
  family mlp_layer_norm_all 60 '^mlp_layer_norm'
  family batched_dot 60 '^batched_dot/'
  family products_fastest 60 '^matmul_fastest/'
}

do_table() {
  timeout -k 5 30 "$python" "$here/peer/device_table.py" "$folder" --json "$folder/table.json" | tee "$folder/table.txt"
  [ -s "$folder/names.txt" ] || return
  # What a list of families and their bounds left out is not to be taken for measured.
  measured_names | sort | comm -13 - <(sort "$folder/names.txt") >"$folder/names_left_out.txt"
  [ -s "$folder/names_left_out.txt" ] || return
  echo "$(wc -l <"$folder/names_left_out.txt") of $(wc -l <"$folder/names.txt") benchmarks were not measured:" \
    "$folder/names_left_out.txt"
}

for part in $parts; do
  [ "$part" = table ] || echo "== $part, $(left) s left"
  "do_$part"
done
exit 0
