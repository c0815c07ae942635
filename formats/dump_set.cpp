#include "formats/dump_set.h"

#include <filesystem>

#include "core/error.h"

namespace ringscope {

namespace fs = std::filesystem;

std::vector<std::string> files_of_dump(const std::string& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored)) return {path};
  const fs::path name(path);
  const std::string extension = name.extension().string(), begin = name.stem().string() + ".rank0of";
  const fs::path folder = name.has_parent_path() ? name.parent_path() : fs::path(".");
  std::vector<std::string> runs;  // the N of each NAME.rank0ofN there is
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with(begin) || !file.ends_with(extension)) continue;
    runs.push_back(file.substr(begin.size(), file.size() - begin.size() - extension.size()));
  }
  if (runs.size() > 1) {
    throw Error(ErrorKind::bad_file, path + " as shards of " + runs[0] + " and of " + runs[1] + " ranks", "one run",
                "move the shards of the other run away");
  }
  std::vector<std::string> files;
  for (int rank = 0; !runs.empty(); ++rank) {
    const fs::path shard =
        folder / (name.stem().string() + ".rank" + std::to_string(rank) + "of" + runs[0] + extension);
    if (!fs::exists(shard, ignored)) return files;
    files.push_back(shard.string());
  }
  throw Error(ErrorKind::bad_file, path,
              "a file that exists, or shards like " + begin + "4" + extension + " beside it");
}

}  // namespace ringscope
