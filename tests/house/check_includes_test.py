"""scripts/check_includes.py finds each kind of planted breach, and is silent about what is allowed."""
import unittest
from pathlib import Path

from checked import checked

CHECKER = Path(__file__).parents[2] / "scripts" / "check_includes.py"


def check(files: dict[str, str]) -> tuple[int, str]:
    return checked(CHECKER, files)


class CheckIncludes(unittest.TestCase):
    def assert_breach(self, file: str, text: str, words: str) -> None:
        code, out = check({file: text})
        self.assertEqual(code, 1, out)
        self.assertIn(f"{file}:1: ", out)
        self.assertIn(words, out)

    def test_core_may_use_itself_and_the_standard_library(self) -> None:
        text = '#include "core/error.h"\n#include <cmath>\n#include <condition_variable>\n'
        self.assertEqual(check({"core/state.cpp": text}), (0, ""))

    def test_core_may_not_use_a_backend_or_another_library(self) -> None:
        self.assert_breach("core/state.cpp", '#include "backends/cpu/kernel.h"\n', "backends/cpu/kernel.h")
        self.assert_breach("core/state.cpp", "#include <fmt/core.h>\n", "<fmt/core.h>")
        self.assert_breach("core/state.cpp", "#include <unistd.h>\n", "<unistd.h>")

    def test_eigen_lives_in_the_cpu_backend_only(self) -> None:
        self.assertEqual(check({"backends/cpu/eigen.cpp": "#include <Eigen/Core>\n"}), (0, ""))
        self.assert_breach("tools/main.cpp", "#include <Eigen/Core>\n", "Eigen")
        self.assert_breach("backends/registry/registry.cpp", "#include <Eigen/Core>\n", "Eigen")

    def test_a_path_is_written_from_the_root(self) -> None:
        self.assert_breach("core/state.cpp", '#include "state.h"\n', "from the root")

    def test_nobody_asks_a_schedule_for_its_name(self) -> None:
        self.assert_breach("pictures/ring.cpp", 'if (recipe.schedule == "ulysses") draw();\n', "its name")
        self.assert_breach("core/execute.cpp", 'if ("zigzag" != layout.name) return;\n', "its name")
        self.assertEqual(check({"core/schedules/usp.cpp": 'if (name == "usp") return;\n'}), (0, ""))
        self.assertEqual(check({"tools/help.cpp": 'const auto example = "zigzag";\n'}), (0, ""))


if __name__ == "__main__":
    unittest.main()
