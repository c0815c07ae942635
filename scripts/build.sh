# Configures and builds a preset; one build of a preset at a time.

jobs=$(nproc 2> /dev/null || echo 2)

# configure PRESET: always asks CMake, so that a package installed since is found.
configure() { (cd "$root" && cmake --preset "$1" > "$root/build/$1.log") || { cat "$root/build/$1.log" >&2; return 1; }; }

# build PRESET [TARGET...]: what is stale is built; progress goes to stderr.
build() {
  local preset=$1
  shift
  mkdir -p "$root/build"
  (
    command -v flock > /dev/null && flock 9
    [[ -e $root/build/$preset/build.ninja ]] || configure "$preset"
    cd "$root" && cmake --build --preset "$preset" --parallel "$jobs" ${1:+--target "$@"}
  ) 9> "$root/build/$preset.lock" >&2
}

program=$root/build/release/tools/ringscope

# Whether a source is younger than the last build of the program; faster than asking ninja, and silent.
program_is_stale() {
  local stamp=$root/build/release.stamp
  [[ -x $program && -e $stamp ]] || return 0
  [[ -n $(cd "$root" && find core formats pictures backends tools cmake CMakeLists.txt CMakePresets.json \
    -newer "$stamp" -print -quit) ]]
}

# The program, built if stale; one line on stderr when there is something to do.
build_program() {
  program_is_stale || return 0
  need "${build_packages[@]}"
  say "building the program (the first time takes minutes; later only what changed)"
  mkdir -p "$root/build"
  touch "$root/build/release.stamp.next"  # before the build: what changes meanwhile is stale
  build release ringscope
  mv "$root/build/release.stamp.next" "$root/build/release.stamp"
}
