# Runs every libFuzzer target of tests/fuzz, one after the other.

FuzzUsage() {
  cat <<'TEXT'
usage: ./vta fuzz [--seconds S | --execs N] [TARGET...]

Builds the targets of tests/fuzz with clang-19, AddressSanitizer and UndefinedBehaviorSanitizer and runs
each from its corpus in tests/fuzz/corpus for S seconds (60) or N executions. Inputs that reach new code
are kept in build-sanitize/corpus, those that crash in build-sanitize/findings. The commit chooses the seed.
TEXT
}

# The names of all targets.
FuzzTargets() {
  local -a files=("$root"/tests/fuzz/*.cc)
  files=("${files[@]##*/}")
  echo "${files[@]%.cc}"
}

# FuzzTarget BINARY LIMIT: sets executions; returns 1 when the target found something. To libFuzzer seed 0 means any.
FuzzTarget() {
  local name=${1##*/} fuzz=$root/build-sanitize log status=0
  local seeds=$root/tests/fuzz/corpus/$name
  log=$logs/fuzz-$name.log
  mkdir -p -- "$fuzz/corpus/$name" "$fuzz/findings"
  local -a corpus=("$fuzz/corpus/$name")
  if [[ -d $seeds ]]; then corpus+=("$seeds"); fi
  ASAN_OPTIONS=external_symbolizer_path=/usr/bin/addr2line "$1" "$2" -seed="$((VTA_TEST_SEED + 1))" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$fuzz/findings/$name-" "${corpus[@]}" >"$log" 2>&1 || status=1
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  executions=${executions:-0}
  if ((status)); then
    grep -a -m 6 -E 'ERROR:|runtime error:|^ +#[0-9]+ .* in vta::' "$log" >&2 || tail -n 5 "$log" >&2
    sed -n "s|.*Test unit written to \(.*\)|vta: to run it again: '$1' '\1'|p" "$log" >&2
  fi
  return "$status"
}

FuzzCommand() {
  local given="fuzz $*" limit=-max_total_time=60 binary total=0 executions=0 findings=0
  local -a targets=()
  while (($#)); do
    case $1 in
      --seconds | --execs)
        [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || Refuse "$1 = '${2:-}': must be a positive number"
        if [[ $1 == --execs ]]; then limit=-runs=$2; else limit=-max_total_time=$2; fi
        shift 2
        ;;
      -h | --help) FuzzUsage; return ;;
      -*) FuzzUsage >&2; exit 2 ;;
      *)
        [[ $1 != */* && -f $root/tests/fuzz/$1.cc ]] || Refuse "no fuzz target '$1'" "There are: $(FuzzTargets)"
        targets+=("$1")
        shift
        ;;
    esac
  done
  EnsurePackages build package test sanitize
  ConfigureSanitized
  Build sanitize fuzz_targets
  SeedTests "${given% }"
  if ((${#targets[@]} == 0)); then read -ra targets < <(FuzzTargets); fi
  for name in "${targets[@]}"; do
    binary=$root/build-sanitize/fuzz/$name
    if FuzzTarget "$binary" "$limit"; then
      Say "$name: $executions executions, nothing found"
    else
      findings=$((findings + 1))
      Say "$name: failed after $executions executions; log: build/log/fuzz-$name.log"
    fi
    total=$((total + executions))
  done
  printf '%d targets, %d executions, %d targets with findings\n' "${#targets[@]}" "$total" "$findings"
  ((findings == 0))
}
