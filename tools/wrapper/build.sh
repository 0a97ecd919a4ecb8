# Configures a CMake preset when needed and builds what changed.

# What one clone compiled serves the others: the compiler's cache goes by paths from the clone's root.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}

# BuildFolder PRESET: where CMakePresets.json puts it.
BuildFolder() { if [[ $1 == release ]]; then echo "$root/build"; else echo "$root/build-$1"; fi; }

# Configure PRESET OPTION...: only when the folder is new, half-configured, moved, or has other options.
Configure() {
  local preset=$1 folder option stale=0 log=$logs/configure-$1.log
  shift
  folder=$(BuildFolder "$preset")
  [[ -f $folder/CMakeCache.txt && -f $folder/build.ninja ]] || stale=1
  for option in "$@" "CMAKE_HOME_DIRECTORY:INTERNAL=$root"; do
    ((stale)) || grep -qxF -- "${option#-D}" "$folder/CMakeCache.txt" || stale=1
  done
  if ((!stale)); then return; fi
  RequireDisk "$root" 3000 "building"
  Say "configuring ${folder##*/}"
  # What an interrupted or moved configuration left behind would only confuse CMake; objects stay.
  rm -rf -- "$folder/CMakeCache.txt" "$folder/CMakeFiles"
  if ! (cd -- "$root" && cmake --preset "$preset" "$@") >"$log" 2>&1; then
    grep -A 6 -E 'CMake Error|not found' "$log" | head -n 30 >&2
    Die "CMake could not configure the build" "Log: $log"
  fi
}

# With all checks of pointers where all tests are asked for.
ConfigureSanitized() {
  Configure sanitize "-DVTA_SANITIZE_ALL:BOOL=$([[ ${VTA_TEST_WHOLE:-} == 1 ]] && echo ON || echo OFF)"
}

# Build PRESET [TARGET]: CMake and Ninja do nothing when nothing changed. One build at a time in a folder.
Build() {
  local preset=$1 folder status=0 log=$logs/build-$1.log start=$SECONDS cached=$logs/cache-$1.log
  local -a target=()
  if (($# > 1)); then target=(--target "$2"); fi
  folder=$(BuildFolder "$preset")
  : >"$log"
  {
    flock -n 9 || { Say "waiting for another build in ${folder##*/}"; flock 9; }
    : >"$cached"
    CCACHE_STATSLOG=$cached cmake --build "$folder" "${target[@]}" 2>&1 9>&- | FollowNinja "building" "$log" || status=${PIPESTATUS[0]}
  } 9>"$folder/.lock"
  if ((status)); then
    if grep -q 'No space left on device' "$log"; then Die "the disk is full" "Log: $log"; fi
    Die "the build failed" "Log: $log"
  fi
  if ((SECONDS - start > 5)); then
    Say "built in $((SECONDS - start)) s; the compiler's cache had $(grep -c '_cache_hit$' "$cached") of $(grep -c '^#' "$cached") files"
  fi
}

# The tool alone; a folder that already builds the tests too is left as it is.
BuildTool() {
  if ! grep -qx 'VTA_BUILD_TESTS:BOOL=ON' "$root/build/CMakeCache.txt" 2>/dev/null; then
    Configure release -DVTA_BUILD_TESTS:BOOL=OFF
  else
    Configure release -DVTA_BUILD_TESTS:BOOL=ON
  fi
  Build release vta
}
