# Fetches the development packages of group sysroot for another architecture and unpacks them beside the cross compilers:
# nothing that is installed on this machine changes.

# EnsureSysroot ARCHITECTURE: returns at once when all packages are there.
EnsureSysroot() {
  if [[ ${VTA_NO_APT:-} == 1 ]]; then return; fi
  local folder log=$logs/sysroot-$1.log deb
  local -a packages options
  mapfile -t packages < <(PackagesOf sysroot)
  folder=$(CacheFolder)/sysroot-$1
  if [[ $(cat -- "$folder/packages.txt" 2>/dev/null) == "${packages[*]}" ]]; then return; fi
  Say "development packages for $1 are missing, about 20 MB to download; they are unpacked into $folder and not installed:" \
    "${packages[*]}"
  AskToInstall
  RequireDebian12 /etc/os-release
  rm -rf -- "$folder.new"
  mkdir -p -- "$folder.new"/apt/{lists,cache/archives}/partial "$folder.new/debs"
  RequireDisk "${folder%/*}" 200 "the development packages"
  options=(-o APT::Architecture="$1" -o APT::Architectures="$1" -o Dir::State::Lists="$folder.new/apt/lists"
    -o Dir::Cache="$folder.new/apt/cache" -o APT::Sandbox::User="$(id -un)")
  # A failed update is no error yet: the lists that came may do.
  if ! { { apt-get "${options[@]}" update || true; } && cd -- "$folder.new/debs" && apt-get "${options[@]}" download "${packages[@]}"; } \
    >"$log" 2>&1; then
    DieOfApt "$log" ''
  fi
  for deb in "$folder.new"/debs/*.deb; do
    dpkg -x "$deb" "$folder.new" >>"$log" 2>&1 || Die "${deb##*/} cannot be unpacked" "Log: $log"
  done
  rm -rf -- "$folder.new"/{apt,debs} "$folder"
  echo "${packages[*]}" >"$folder.new/packages.txt"
  mv -- "$folder.new" "$folder"
}
