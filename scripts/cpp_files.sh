# Every C++ file of the project, ended by NUL.
cpp_files() {
  local folder folders=()
  for folder in core formats pictures backends tools visualizer python tests benchmarks examples; do
    [[ -d $root/$folder ]] && folders+=("$root/$folder")
  done
  find "${folders[@]}" \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' -o -name '*.c' \) -print0
}
