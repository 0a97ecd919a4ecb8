# Help and the version, which install and build nothing: of the tool where it is built, else from docs/commands.md.

# AsksForHelp ARGUMENT...
AsksForHelp() {
  local word
  for word; do
    case $word in
      --) return 1 ;;
      -h | --help) return 0 ;;
    esac
  done
  return 1
}

# Built: does the tool run? Its libraries may have gone.
Built() { "$root/build/bin/vta" --version >/dev/null 2>&1; }

# HelpCommand [COMMAND ARGUMENT...]
HelpCommand() {
  local word
  local -a words=()
  for word; do
    if [[ $word != -* ]]; then words+=("$word"); fi
  done
  case ${words[0]:-} in
    '')
      Usage
      echo
      ToolHelp
      ;;
    fuzz) FuzzUsage ;;
    test | sanitize | train | package | clean)
      echo "usage: ./vta ..."
      Usage | awk -v command="${words[0]}" '/^  [a-z]/ { on = $1 == command } /^$/ { on = 0 } on'
      ;;
    *)
      RequireCommand "${words[0]}"
      ToolHelp "${words[@]}"
      ;;
  esac
}

# ToolHelp WORD...: of the command that the first words name, the rest being its arguments.
ToolHelp() {
  local -i count
  local text title
  if Built; then
    exec "$root/build/bin/vta" "$@" --help
  fi
  for ((count = $#; count >= 0; --count)); do
    title="## vta${1+ }${*:1:count}"
    text=$(awk -v title="${title% }" '
      /^## / { on = $0 == title }
      /^```/ { inside = !inside; next }
      on && inside' "$root/docs/commands.md")
    if [[ -n $text ]]; then
      printf '%s\n' "$text"
      return
    fi
  done
}

VersionCommand() {
  if Built; then exec "$root/build/bin/vta" --version; fi
  sed -n 's/^project(\(vta\) VERSION \([0-9.]*\).*/\1 \2/p' "$root/CMakeLists.txt"
  echo "build: none yet"
}
