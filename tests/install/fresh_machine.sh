#!/usr/bin/env bash
# Installs a Debian package of the tool on a fresh Debian 12 that mmdebstrap makes, runs it there as an ordinary user on each engine, and removes it.
# As root; packages come from the mirrors of this machine, mmdebstrap as well with VTA_YES=1. usage: fresh_machine.sh PACKAGE.deb [ARCHIVE.tar.gz]
set -euo pipefail
if ! command -v mmdebstrap >/dev/null; then
  if [[ ${VTA_YES:-} != 1 ]]; then echo "mmdebstrap is not installed: apt-get install mmdebstrap" >&2; exit 2; fi
  apt-get install -y -q mmdebstrap >&2
fi
package=$(readlink -f -- "$1")
archive=${2:+$(readlink -f -- "$2")}
machine=$(mktemp -d)
trap 'umount -- "$machine"/{proc,dev} 2>/dev/null; rm -rf --one-file-system -- "$machine"' EXIT

Step() { echo "== $SECONDS s: $*"; }
Inside() { chroot -- "$machine" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
AsUser() { Inside setpriv --reuid=1000 --regid=1000 --clear-groups env HOME=/tester sh -ec "cd && $1"; }
Fails() { if "$@" >"$machine/said" 2>&1; then echo "this should fail: $*"; exit 1; fi; tail -n 2 "$machine/said"; }

Step "a fresh Debian 12"
mmdebstrap --quiet --mode=root --variant=minbase bookworm "$machine" - < <(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources 2>/dev/null)
mount --bind /dev "$machine/dev"
mount -t proc proc "$machine/proc"
mkdir "$machine/tester"
chown 1000:1000 "$machine/tester"
cp -- "$package" "$machine/vta.deb"
head -c "$(($(stat -c %s "$package") / 2))" "$package" >"$machine/half.deb"

Step "half a package is refused, and leaves nothing"
Inside apt-get -q update >/dev/null
Fails Inside apt-get install -y /half.deb
Fails Inside dpkg -s vta

Step "the package, with what it depends on alone"
Inside apt-get -q install -y --no-install-recommends /vta.deb >/dev/null
demo=/usr/share/vta/tools/demo
AsUser "vta demo | tail -n 1"
AsUser "vta run $demo/digits_int8.onnx --engine functional,cycle | tail -n 3"
AsUser "vta model mobilenet_tiny --type float -o f.onnx && vta compile f.onnx --target cpu -o f.vta && vta-run f.vta --repeat 3"
AsUser "vta hw package --board zcu104 -o project && ls project"
AsUser "vta hw xrt -o xrt && vta hw xclbin -c small_8x8 -o s.xclbin && XILINX_XRT=\$HOME/xrt vta run $demo/digits_int8.onnx -c small_8x8 --engine xrt:s.xclbin | tail -n 1"
Fails AsUser "vta run $demo/digits_int8.onnx -c small_8x8 --engine rtl"

Step "what it recommends"
Inside apt-get -q install -y --no-install-recommends verilator make g++ >/dev/null
AsUser "vta hw lint -c small_8x8"
AsUser "vta run $demo/digits_int8.onnx -c small_8x8 --engine cycle,rtl | tail -n 3"

if [[ -n $archive ]]; then
  Step "the archive, beside it"
  mkdir "$machine/archive"
  tar -xf "$archive" -C "$machine/archive"
  AsUser "/archive/*/bin/vta demo | tail -n 1"
fi

Step "and away with it"
Inside apt-get -q purge -y vta >/dev/null
left=$(cd -- "$machine" && find usr etc -name vta -o -name 'vta[-_.]*' -o -name 'libvta*')
if [[ -n $left ]]; then echo "left behind: $left"; exit 1; fi
Step "passed"
