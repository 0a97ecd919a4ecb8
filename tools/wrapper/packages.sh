# Installs the Debian packages of tools/packages.txt that are missing.

# The packages of the named groups, one a line.
PackagesOf() {
  awk -v groups=" $* " 'NF > 2 && $1 !~ /^#/ && index(groups, " " $1 " ") { print $2 }' \
    "$root/tools/packages.txt"
}

# SizesOf PACKAGE...: "DOWNLOAD_MB DISK_MB" by apt, with what the packages pull in; nothing before apt has its lists.
SizesOf() {
  LC_ALL=C apt-get -o Debug::NoLocking=1 -y --no-install-recommends --print-uris install "$@" 2>/dev/null | awk '
    function mb(number, unit) {
      gsub(/,/, "", number)
      return int(unit ~ /^GB/ ? number * 1000 : unit ~ /^MB/ ? number : 0) + 1
    }
    /^Need to get / { download = mb($4, $5) }
    /^After this operation, .* will be used/ { print download + 0, mb($4, $5) }' || true
}

# Those of the named packages that are not installed, one a line.
MissingOf() {
  dpkg-query -W -f='${db:Status-Status} ${Package} ${Package}:${Architecture}\n' -- "$@" 2>/dev/null |
    awk -v wanted="$*" '$1 == "installed" { have[$2] = have[$3] = 1 }
      END { n = split(wanted, name, " "); for (i = 1; i <= n; i++) if (!(name[i] in have)) print name[i] }'
}

# ArchitecturesOf PACKAGE...: those that names like PACKAGE:ARCHITECTURE have, each once.
ArchitecturesOf() { printf '%s\n' "$@" | awk -F : 'NF == 2 && !seen[$2]++ { print $2 }'; }

# RequireDebian12 OS_RELEASE_FILE: the package names and versions are Debian 12's.
RequireDebian12() {
  local name
  name=$(. "$1" 2>/dev/null && printf '%s' "${ID:-unknown} ${VERSION_ID:-}") || name=unknown
  if [[ $name != "debian 12" ]] || ! command -v apt-get >/dev/null; then
    Die "packages are missing and this system (${name% }) is not Debian 12 with apt" \
      "Install the equivalents of the list in tools/packages.txt yourself, then run with VTA_NO_APT=1," \
      "or use a Debian 12 container: docker run -it -v \"\$PWD:/src\" -w /src debian:12 ./vta demo"
  fi
}

# RequireDisk PATH MEGABYTES WHAT
RequireDisk() {
  local free
  free=$(df -Pm -- "$1" | awk 'NR == 2 { print $4 }')
  if ((free < $2)); then
    Die "not enough disk space: $3 needs about $2 MB, $1 has $free MB free"
  fi
}

# DescribeMissing PACKAGE...: each with the reason why it is needed.
DescribeMissing() {
  awk -v names=" $* " 'index(names, " " $2 " ") { why = $0; sub(/^[^ ]+ +[^ ]+ +/, "", why); printf "       %-20s %s\n", $2, why }' \
    "$root/tools/packages.txt" >&2
}

# DescribeSizes [DOWNLOAD_MB DISK_MB]
DescribeSizes() {
  if (($# == 2)); then Say "they need $1 MB to download and $2 MB on disk, with what they pull in"; fi
}

# Returns when the user agrees, or --yes was given.
AskToInstall() {
  local answer
  if ((assume_yes)); then return; fi
  if [[ ! -t 0 ]]; then
    Die "nobody to ask (standard input is not a terminal)" "Run again with --yes, or run the command above yourself."
  fi
  read -r -p 'vta: go ahead? [y/N] ' answer || answer=n
  if [[ $answer != [yY]* ]]; then Die "not installed" "Nothing was changed."; fi
}

# Turns a failed apt-get into one clear error, from its log.
DieOfApt() {
  if grep -qE 'Temporary failure resolving|Could not connect|Could not resolve|Network is unreachable|Connection (timed out|refused)|Unable to connect' "$1"; then
    Die "apt cannot reach its package server: is there a network?" "Log: $1"
  elif grep -qE 'No space left on device|enough free space' "$1"; then
    Die "the disk is full" "Log: $1"
  elif grep -q 'dpkg was interrupted' "$1"; then
    Die "an earlier package installation was interrupted" "Run: ${2}dpkg --configure -a" "then run ./vta again."
  elif grep -q 'Unable to locate package' "$1"; then
    Die "apt does not know a package: $(awk '/^E: Unable to locate package/ { print $NF }' ORS=' ' "$1")" \
      "Is the Debian 12 'main' section in /etc/apt/sources.list? Log: $1"
  fi
  tail -n 5 "$1" >&2
  Die "apt-get failed" "Log: $1"
}

# EnsurePackages GROUP...: returns at once (one dpkg-query) when all packages are installed.
EnsurePackages() {
  if [[ ${VTA_NO_APT:-} == 1 ]]; then return; fi
  local -a wanted missing=() admin=(env DEBIAN_FRONTEND=noninteractive)
  local log=$logs/apt.log prefix='' sizes status=0 architecture
  mapfile -t wanted < <(PackagesOf "$@")
  if command -v dpkg-query >/dev/null; then
    mapfile -t missing < <(MissingOf "${wanted[@]}")
  else
    missing=("${wanted[@]}")
  fi
  if ((${#missing[@]} == 0)); then return; fi

  Say "${#missing[@]} Debian packages are missing:"
  RequireDebian12 /etc/os-release
  if (($(id -u) != 0)) && command -v sudo >/dev/null; then
    prefix='sudo '
    admin=(sudo "${admin[@]}")
  fi
  DescribeMissing "${missing[@]}"
  for architecture in $(ArchitecturesOf "${missing[@]}"); do
    Say "before them: ${prefix}dpkg --add-architecture $architecture; ${prefix}apt-get update"
  done
  Say "to install them: ${prefix}apt-get install --no-install-recommends ${missing[*]}"
  if [[ $(id -u) != 0 && -z $prefix ]]; then
    Die "installing packages needs root, and there is no sudo here" "Run the command above as root, then ./vta again."
  fi
  sizes=$(SizesOf "${missing[@]}")
  DescribeSizes $sizes
  AskToInstall

  : >"$log"
  Say "installing (log: $log)"
  for architecture in $(ArchitecturesOf "${missing[@]}"); do
    "${admin[@]}" dpkg --add-architecture "$architecture" >>"$log" 2>&1 || Die "dpkg takes no architecture $architecture" "Log: $log"
  done
  # A failed update is no error yet: the lists that are there may do, and the installation says if not.
  "${admin[@]}" apt-get -o DPkg::Lock::Timeout=300 update >>"$log" 2>&1 || true
  if [[ -z $sizes ]]; then
    sizes=$(SizesOf "${missing[@]}")
    DescribeSizes $sizes
  fi
  if [[ -n $sizes ]]; then RequireDisk /usr "${sizes#* }" "installing the packages"; fi
  "${admin[@]}" apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${missing[@]}" 2>&1 |
    FollowApt "installing packages" "$log" || status=${PIPESTATUS[0]}
  if ((status)); then DieOfApt "$log" "$prefix"; fi
}
