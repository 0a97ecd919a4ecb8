# What the wrapper writes to the screen: always stderr, so that stdout is the tool's own.

Say() { printf 'vta: %s\n' "$*" >&2; }

# End STATUS MESSAGE [NEXT STEP...]: one clear error, then what to do, one line each.
End() {
  local status=$1
  printf 'vta: error: %s\n' "$2" >&2
  shift 2
  if (($#)); then printf '     %s\n' "$@" >&2; fi
  exit "$status"
}

# Die and Refuse end what failed and what was called wrongly.
Die() { End 1 "$@"; }
Refuse() { End 2 "$@"; }

# Progress LABEL DONE TOTAL: rewrites one line on a terminal, else prints a line at each tenth.
progress_tenth=-1
Progress() {
  local tenth=$(($2 * 10 / $3))
  if [[ -t 2 ]]; then
    printf '\rvta: %s %d/%d\e[K' "$1" "$2" "$3" >&2
    if (($2 == $3)); then printf '\n' >&2; fi
  elif ((tenth != progress_tenth)); then
    Say "$1 $2/$3"
  fi
  progress_tenth=$tenth
}

# FollowNinja LABEL LOG: reads a build's output; steps become progress, the rest (warnings, errors) is shown.
FollowNinja() {
  local line
  progress_tenth=-1
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$2"
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      # Three are of every build: asking for the commit, and the tool that says it.
      if ((BASH_REMATCH[2] > 3)); then Progress "$1" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"; fi
    elif [[ $line != "ninja: no work"* && $line != "ninja: Entering"* && $line != --\ * ]]; then
      printf '%s\n' "$line" >&2
    fi
  done
}

# FollowApt LABEL LOG: reads apt-get's output; each package is unpacked and set up.
FollowApt() {
  local line steps=0 total=0
  progress_tenth=-1
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$2"
    if [[ $line =~ ([0-9]+)\ upgraded,\ ([0-9]+)\ newly ]]; then
      total=$((2 * (BASH_REMATCH[1] + BASH_REMATCH[2])))
    elif [[ $line == Unpacking\ * || $line == Setting\ up\ * ]] && ((total > steps)); then
      steps=$((steps + 1))
      Progress "$1" "$steps" "$total"
    fi
  done
}

# FollowTests LABEL LOG: reads ctest's output; passed tests become progress, failures are shown.
FollowTests() {
  local line
  progress_tenth=-1
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$2"
    if [[ $line =~ ^\ *([0-9]+)/([0-9]+)\ Test ]]; then
      if [[ $line != *" Passed "* && $line != *"***Skipped"* ]]; then printf '\n%s\n' "$line" >&2; fi
      Progress "$1" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
    elif [[ $line == *"tests passed, "* ]]; then
      break
    elif [[ -n $line && $line != *" Start "* && $line != Test\ project* &&
      $line != @("Internal ctest"|"No tests were"|"Errors while"|"Output from these"|"Use \"--rerun")* ]]; then
      printf '%s\n' "$line" >&2
    fi
  done
  cat >>"$2"
}
