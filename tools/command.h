// One command of the program and its arguments: the only door to CLI11, whose header costs each file that includes it
// up to 20 seconds of compilation under a sanitizer.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ringscope {

// A handle: copies are the same command. Values are written when the command line is read, so they must outlive that.
// `type` is what the help calls a value, like N or FILE.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  // Examples stand below the help, one a line.
  Command add(const std::string& name, const std::string& sentence, const std::vector<std::string>& examples) const;

  // A name without dashes is told by its place.
  void add_value(const std::string& name, std::string& value, const std::string& sentence,
                 const std::string& type = "TEXT") const;
  void add_value(const std::string& name, std::optional<std::string>& value, const std::string& sentence,
                 const std::string& type = "TEXT") const;
  void add_needed_value(const std::string& name, std::string& value, const std::string& sentence) const;
  void add_values(const std::string& name, std::vector<std::string>& values, const std::string& sentence) const;
  void add_needed_values(const std::string& name, std::vector<std::string>& values, const std::string& sentence) const;
  void add_flag(const std::string& name, bool& flag, const std::string& sentence) const;
  void on_run(std::function<void()> action) const;

  std::string name() const;
  std::vector<Command> commands() const;
  std::vector<std::string> flags() const;  // with dashes

  // This command and those below it refuse what they do not know, with what is allowed and the nearest right word.
  void refuse_unknown_arguments() const;

 private:
  CLI::App* app_;
};

}  // namespace ringscope
