# Installs the PyPI packages of tools/python.txt that are missing, each group into an environment of its own.

# The folder where RTL models are kept, too.
CacheFolder() {
  if [[ -n ${VTA_CACHE_DIR:-} ]]; then echo "$VTA_CACHE_DIR"
  elif [[ -n ${XDG_CACHE_HOME:-} ]]; then echo "$XDG_CACHE_HOME/vta"
  elif [[ -n ${HOME:-} ]]; then echo "$HOME/.cache/vta"
  else echo "${TMPDIR:-/tmp}/vta"; fi
}

# PythonRows GROUP: its rows, as pip reads them.
PythonRows() {
  awk -v head="# group $1:" '/^# group / { on = index($0, head) == 1 } on && NF && !/^#/' "$root/tools/python.txt"
}

# HasPython FOLDER ROWS: every package in its version? pip writes RECORD last.
HasPython() {
  local package rest name
  [[ -x $1/bin/python ]] || return 1
  while read -r package rest; do
    name=${package%%==*}
    compgen -G "$1/lib/python*/site-packages/${name//-/_}-${package##*==}.dist-info/RECORD" >/dev/null || return 1
  done <<<"$2"
}

# Turns a failed pip into one clear error, from its log.
DieOfPip() {
  if grep -qE 'Temporary failure in name resolution|Failed to establish a new connection|Network is unreachable|timed out' "$1"; then
    Die "pip cannot reach PyPI: is there a network?" "Log: $1"
  elif grep -q 'No space left on device' "$1"; then
    Die "the disk is full" "Log: $1"
  elif grep -q 'DO NOT MATCH THE HASHES' "$1"; then
    Die "PyPI sent a package that is not the one of tools/python.txt" "Log: $1"
  elif grep -q 'No matching distribution found' "$1"; then
    Die "PyPI has no $(sed -n 's/.*No matching distribution found for \([^ ]*\).*/\1/p' "$1") for this Python and processor" "Log: $1"
  fi
  tail -n 5 "$1" >&2
  Die "the Python environment could not be made" "Log: $1"
}

# EnsurePython GROUP DOWNLOAD_MB DISK_MB: returns at once when all packages are installed.
EnsurePython() {
  if [[ ${VTA_NO_APT:-} == 1 ]]; then return; fi
  local folder rows log=$logs/pip.log
  folder=$(CacheFolder)/python-$1
  rows=$(PythonRows "$1")
  if HasPython "$folder" "$rows"; then return; fi

  Say "packages from PyPI are missing, about $2 MB to download and $3 MB on disk once they ran:"
  sed 's/ .*//; s/==/ /; s/^/       /' <<<"$rows" >&2
  Say "to install them: python3 -m venv '$folder' && sed -n '/^# group $1:/,/^\$/p' '$root/tools/python.txt' |" \
    "'$folder/bin/python' -m pip install --no-deps --require-hashes -r /dev/stdin"
  AskToInstall
  mkdir -p -- "${folder%/*}"
  RequireDisk "${folder%/*}" "$3" "the Python environment"
  rm -rf -- "$folder"
  Say "installing (log: $log)"
  if ! { python3 -m venv "$folder" && "$folder/bin/python" -m pip install --disable-pip-version-check --no-deps \
    --require-hashes -r /dev/stdin <<<"$rows"; } >"$log" 2>&1; then
    DieOfPip "$log"
  fi
}
