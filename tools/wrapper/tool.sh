# What the wrapper knows of the vta tool before it is built: its commands, and what some of them need installed.

# A test holds them against what the tool's own help lists.
tool_commands=(demo run exec check asm dis version help man completion compile quantize eval model tune serve tracker devices deploy worker farm hw isa bench measure report explore)

# RequireCommand WORD: refuses a word that is no command, before anything is installed or built.
RequireCommand() {
  local known near
  for known in "${tool_commands[@]}"; do
    if [[ $1 == "$known" ]]; then return; fi
  done
  near=$(Nearest "$1" test sanitize fuzz train package clean "${tool_commands[@]}")
  Refuse "$1: is not a command${near:+; did you mean $near?}" "./vta help lists them"
}

# Nearest WORD NAME...: the first of the names that is fewest typing errors away, of one or two, and not all of it.
Nearest() {
  awk 'BEGIN {
    word = ARGV[1]; best = length(word) < 3 ? length(word) : 3
    for (i = 2; i < ARGC; i++) if ((d = errors(word, ARGV[i])) < best) { best = d; near = ARGV[i] }
    print near
  }
  function min(a, b) { return a < b ? a : b }
  function errors(a, b, i, j, same, cost) {  # letters put in, left out, exchanged or swapped with the next
    for (i = 0; i <= length(a); i++)
      for (j = 0; j <= length(b); j++) {
        if (!i || !j) { cost[i, j] = i + j; continue }
        same = substr(a, i, 1) == substr(b, j, 1)
        cost[i, j] = min(min(cost[i - 1, j], cost[i, j - 1]) + 1, cost[i - 1, j - 1] + !same)
        if (i > 1 && j > 1 && substr(a, i, 1) == substr(b, j - 1, 1) && substr(a, i - 1, 1) == substr(b, j, 1))
          cost[i, j] = min(cost[i, j], cost[i - 2, j - 2] + 1)
      }
    return cost[length(a), length(b)]
  }' "$@"
}

# GroupsOf COMMAND ARGUMENT...: the groups of tools/packages.txt that this call of the tool needs beside build.
GroupsOf() {
  local rtl='@(run|exec|demo):@(--engine:?(*,)rtl?(,*)|*:--@(engine=?(*,)rtl?(,*)|lockstep|wave?(=*)))' previous='' word
  for word; do
    if [[ $1:$previous:$word == $rtl || $1:$word == @(hw:lint|bench:cycle) ]]; then echo rtl; return; fi
    if [[ $1:$previous:$word == serve:@(--device:rtl|*:--device=rtl) ]]; then echo rtl; return; fi
    if [[ $1:$word == @(farm:up|bench:farm) ]]; then echo farm; return; fi
    if [[ $1:$word == hw:@(area|timing) ]]; then echo synth; return; fi
    if [[ $1:$word == @(hw:pnr|bench:cpu|bench:zoo) ]]; then echo pnr; return; fi
    previous=$word
  done
}
