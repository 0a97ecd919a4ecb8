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
  printf '%s\n' "${outcomes[@]}" | sed -n 's/^skipped //p' | SayWhySkipped
  Say "slowest: $(Slowest "$results")"
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

# Outcomes JUNIT_FILE: "passed NAME", "failed NAME" or "skipped NAME<tab>WHY", one a line.
# ctest says "notrun" of a test that skipped itself and of one that could not start: only the first is a skip. Why is
# what it printed: the line after GoogleTest's "FILE:LINE: Skipped", or one that begins with "skipped:".
Outcomes() {
  awk '
    function put() {
      if (name == "") return
      if (outcome != "skipped") why = ""
      line = outcome " " name (outcome == "skipped" ? "\t" (why == "" ? "it does not say why" : why) : "")
      gsub(/&lt;/, "<", line); gsub(/&gt;/, ">", line); gsub(/&quot;/, "\"", line)
      gsub(/&apos;/, "\047", line); gsub(/&amp;/, "\\&", line)
      print line
    }
    /^\t<testcase name="/ {
      put()
      name = status = $0
      sub(/^\t<testcase name="/, "", name); sub(/" classname=.*/, "", name)
      sub(/.* status="/, "", status); sub(/".*/, "", status)
      outcome = status == "run" ? "passed" : status == "disabled" ? "skipped" : "failed"
      why = status == "disabled" ? "disabled" : ""
      next
    }
    /^\t\t<skipped message="SKIP_/ { outcome = "skipped"; next }
    { sub(/^\t\t<system-out>/, "") }
    why == "" && (after || /^skipped: /) { why = $0; sub(/^skipped: /, "", why) }
    { after = /: Skipped$/ }
    END { put() }' "$1"
}

# Slowest JUNIT_FILE: the tests that took longest, "NAME SECONDS s, ..."; ten at most.
Slowest() {
  sed -n 's/^\t<testcase name="\([^"]*\)".* time="\([0-9.]*\)".*/\2 \1/p' "$1" | sort -rn |
    awk 'NR <= 10 { list = list (NR > 1 ? ", " : "") $2 " " int($1 + 0.5) " s" } END { print list }'
}

# SayWhySkipped: the lines "NAME<tab>WHY" of standard input as one line a reason, the first names with it.
SayWhySkipped() {
  local line
  while IFS= read -r line; do Say "$line"; done < <(awk -F '\t' '
    !($2 in count) { order[++reasons] = $2 }
    ++count[$2] <= 3 { names[$2] = names[$2] (count[$2] > 1 ? ", " : "") $1 }
    END {
      for (i = 1; i <= reasons; i++) {
        why = order[i]
        print count[why] " skipped, " why ": " names[why] (count[why] > 3 ? " and " count[why] - 3 " more" : "")
      }
    }')
}

# TestCommand [--proofs] [--browser] [--arm64] [REGEX]
TestCommand() {
  local -a pick=() groups=(build rtl cross package test)
  local proofs=0 arm64=0
  while [[ ${1:-} == --@(proofs|browser|arm64) ]]; do
    case $1 in
      --proofs) proofs=1 groups+=(synth pnr) ;;
      --browser) groups+=(browser) ;;
      --arm64) arm64=1 ;;
    esac
    shift
  done
  if (($#)); then pick=(-R "$1"); fi
  EnsurePackages "${groups[@]}"
  if ((arm64)); then (EnsurePackages arm64) || Say "so XRT for boards with 64-bit ARM is not tried"; fi
  if ((proofs)); then (EnsurePython formal 11 60) || Say "so the proofs of tests/formal are skipped"; fi
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
  EnsurePackages build rtl package test sanitize
  Configure sanitize
  Build sanitize
  # Half the time goes without these: deep stacks for each allocation, and the heap for locals.
  export ASAN_OPTIONS=malloc_context_size=8:detect_stack_use_after_return=0
  rerun=sanitize RunTests "$root/build-sanitize" -L unit "${pick[@]}"
  Say "with sanitizers: $passed ran clean, $failed did not, $skipped left out"
  ((failed == 0))
}
