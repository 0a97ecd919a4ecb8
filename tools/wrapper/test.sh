# Runs ctest and counts what passed, failed and was skipped.

# RunTests FOLDER CTEST_OPTION...: sets passed, failed, skipped, in cases; names each failure with the command to run it again.
RunTests() {
  local folder=$1 log=$logs/test-${1##*/}.log results=$1/log/results.xml line limit=900
  if [[ ${VTA_TEST_WHOLE:-} == 1 ]]; then limit=3600; fi  # of a test, in seconds
  shift
  : >"$log"
  rm -f -- "$results"
  ctest --test-dir "$folder" -j 2 --timeout "$limit" --no-tests=error --output-on-failure --test-output-size-passed 1000000 \
    --output-junit "$results" "$@" 2>&1 | FollowTests "testing" "$log" || true
  if grep -q 'No tests were found' "$log"; then
    Die "no test is selected by: ctest $*" "All names: ctest --test-dir ${folder##*/} -N"
  fi
  if [[ ! -s $results ]]; then
    tail -n 3 "$log" >&2
    Die "ctest did not finish" "Log: $log"
  fi
  local -a lines
  mapfile -t lines < <(/usr/bin/python3 -B "$root/tools/wrapper/outcomes.py" "$results")
  if ((${#lines[@]} == 0)); then Die "what ctest wrote cannot be read" "File: $results"; fi
  read -r passed failed skipped <<<"${lines[0]}"
  for line in "${lines[@]:1}"; do
    case $line in
      say*) Say "${line#say }" ;;
      failed*) Say "failed; to run it again: ${again}./vta $rerun '^$(sed 's/[][().*+?^$\\]/\\&/g' <<<"${line#failed }")\$'" ;;
    esac
  done
}

# Random trials begin at a number that the commit chooses, so each commit tries others and any can be tried again. Models of the
# hardware are those that are built soon.
SeedTests() {
  local commit
  commit=$(git -C "$root" rev-parse HEAD 2>/dev/null) || commit=0
  export VTA_TEST_SEED=${VTA_TEST_SEED:-$((16#${commit::7}))} VTA_RTL_BUILD=${VTA_RTL_BUILD:-quick}
  again="VTA_TEST_SEED=$VTA_TEST_SEED "
  Say "random trials begin at $VTA_TEST_SEED; to run them again: ${again}./vta $1"
}

# TestCommand [--proofs] [--browser] [--arm64] [REGEX]
TestCommand() {
  local -a pick=() groups=(build farm rtl cross package test pnr)
  local proofs=0 arm64=0 architecture
  while [[ ${1:-} == --@(proofs|browser|arm64) ]]; do
    case $1 in
      --proofs) proofs=1 groups+=(synth) ;;
      --browser) groups+=(browser) ;;
      --arm64) arm64=1 ;;
    esac
    shift
  done
  if (($#)); then pick=(-R "$1"); fi
  EnsurePackages "${groups[@]}"
  if ((arm64)); then
    (EnsurePackages arm64) || Say "so XRT for boards with 64-bit ARM is not tried"
    for architecture in arm64 armhf; do
      (EnsureSysroot "$architecture") || Say "so runners for boards of $architecture read no PNG and no JPEG"
    done
  fi
  if ((proofs)); then
    (EnsurePython formal 11 60) || Say "so the proofs of tests/formal are skipped"
    (EnsurePython hls 4 40) || Say "so the kernels of hw/hls are not compiled with Xilinx's headers"
  fi
  (EnsurePython binding 1 5) || Say "so Python's module is not built"
  (EnsurePython check 28 120) || Say "so its Python is not checked by ruff and mypy"
  (EnsurePython notebooks 48 200) || Say "so the notebooks of docs/notebooks are not run"
  (EnsurePython onnx 40 200) || Say "so of operators' own tests those of Debian's ONNX alone are tried"
  Configure release -DVTA_BUILD_TESTS:BOOL=ON
  Build release
  SeedTests test
  rerun=test RunTests "$root/build" "${pick[@]}"
  Say "log: build/log/test-build.log"
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  ((failed == 0))
}

# The fast set under AddressSanitizer and UndefinedBehaviorSanitizer.
SanitizeCommand() {
  local -a pick=()
  if (($#)); then pick=(-R "$1"); fi
  EnsurePackages build rtl package test sanitize
  ConfigureSanitized
  Build sanitize
  SeedTests sanitize
  # Half the time goes without these: deep stacks for each allocation, and the heap for locals.
  # LLVM puts a stack for signals of its own in the place of a smaller one, and threads that end would unmap it as theirs.
  export LSAN_OPTIONS=suppressions=$root/tests/support/leaks.txt:print_suppressions=0
  export ASAN_OPTIONS=malloc_context_size=8:detect_stack_use_after_return=0:use_sigaltstack=0
  export VTA_TEST_SHARE=${VTA_TEST_SHARE:-8}
  Say "of the tests of each command 1 in $VTA_TEST_SHARE, which the commit chooses; all: VTA_TEST_WHOLE=1 ./vta sanitize"
  rerun=sanitize RunTests "$root/build-sanitize" -L unit "${pick[@]}"
  Say "with sanitizers: $passed ran clean, $failed did not, $skipped left out"
  ((failed == 0))
}
