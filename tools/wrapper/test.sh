# Runs ctest and counts what passed, failed and was skipped.

# RunTests FOLDER CTEST_OPTION...: sets passed, failed, skipped; names each failure with the command to run it again.
RunTests() {
  local folder=$1 log=$logs/test-${1##*/}.log results=$1/log/results.xml name
  shift
  : >"$log"
  rm -f -- "$results"
  ctest --test-dir "$folder" -j 2 --timeout 900 --no-tests=error --output-on-failure \
    --output-junit "$results" "$@" 2>&1 | FollowTests "testing" "$log" || true
  if grep -q 'No tests were found' "$log"; then
    Die "no test is selected by: ctest $*" "All names: ctest --test-dir ${folder##*/} -N"
  fi
  if [[ ! -s $results ]]; then
    tail -n 3 "$log" >&2
    Die "ctest did not finish" "Log: $log"
  fi
  local -a outcomes
  mapfile -t outcomes < <(Outcomes "$results")
  passed=0 failed=0 skipped=0
  for name in "${outcomes[@]}"; do
    case $name in
      passed*) passed=$((passed + 1)) ;;
      skipped*) skipped=$((skipped + 1)) ;;
      failed*)
        failed=$((failed + 1))
        Say "failed; to run it again: ./vta $rerun '^$(sed 's/[][().*+?^$\\]/\\&/g' <<<"${name#* }")\$'"
        ;;
    esac
  done
}

# Outcomes JUNIT_FILE: "passed NAME", "failed NAME" or "skipped NAME", one a line.
# ctest says "notrun" of a test that skipped itself and of one that could not start: only the first is a skip.
Outcomes() {
  sed -n -e 's/^\t<testcase name="\(.*\)" classname=.* status="\([a-z]*\)".*/\2 \1/p' \
    -e 's/^\t\t<skipped message="\(SKIP_[A-Z]*\)\?.*/reason \1/p' "$1" |
    awk '$1 == "notrun" { name = substr($0, 8); next }
         $1 == "reason" { print ($2 == "" ? "failed" : "skipped"), name; next }
         { outcome = $1 == "run" ? "passed" : $1 == "disabled" ? "skipped" : "failed"
           sub(/^[a-z]+/, outcome); print }' |
    sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&apos;/'\''/g; s/&amp;/\&/g'
}

TestCommand() {
  local -a pick=()
  if (($#)); then pick=(-R "$1"); fi
  EnsurePackages build test
  Configure release -DVTA_BUILD_TESTS:BOOL=ON
  Build release
  rerun=test RunTests "$root/build" "${pick[@]}"
  Say "log: build/log/test-build.log"
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  ((failed == 0))
}

# The fast set under AddressSanitizer and UndefinedBehaviorSanitizer.
SanitizeCommand() {
  local -a pick=()
  if (($#)); then pick=(-R "$1"); fi
  EnsurePackages build test
  Configure sanitize
  Build sanitize
  rerun=sanitize RunTests "$root/build-sanitize" -L unit "${pick[@]}"
  Say "with sanitizers: $passed ran clean, $failed did not, $skipped left out"
  ((failed == 0))
}
