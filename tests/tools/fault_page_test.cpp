// docs/validator.md says what is so: every fault is red where the page says, by the check that it names.
#include "tools/fault_page.h"

#include <gmock/gmock.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "backends/registry/registry.h"
#include "core/diagnosis/hypothesis.h"

namespace ringscope {
namespace {

std::vector<std::string> page_lines() {
  std::ifstream file(std::string(RINGSCOPE_SOURCE_DIR) + "/docs/validator.md");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line + "\n");
  return lines;
}

// The line of the last table that tells where a fault is red first.
std::string first_red_of(const std::vector<std::string>& lines, std::string_view fault) {
  const std::string begin = "| " + std::string(fault) + " | ";
  for (const std::string& line : lines) {
    if (line.starts_with(begin) && line.find("fault=" + std::string(fault)) != std::string::npos) return line;
  }
  return {};
}

std::string case_in(const std::string& line) {
  const std::size_t begin = line.find('`') + 1;
  std::string text = line.substr(begin, line.find('`', begin) - begin);
  std::erase(text, '\\');
  return text;
}

TEST(FaultPage, EveryFaultIsRedWhereThePageSaysByTheCheckThatItNames) {
  const auto lines = page_lines();
  References references;
  for (const FaultKind& fault : fault_kinds()) {
    const std::string line = first_red_of(lines, fault.name);
    ASSERT_FALSE(line.empty()) << fault.name << " is caught nowhere: ./dev faults";
    const Case c = parse_case(case_in(line));
    const Report report = verify(c, references, {.make_backend = make_backend}).report;
    EXPECT_EQ(first_red_line(fault, report), line) << "./dev faults writes the page again";
    const Verdict wanted = fault.family == FaultFamily::transport ? Verdict::faulted : Verdict::failed;
    EXPECT_EQ(report.verdict, wanted) << fault.name;
    const Case clean = [&] {
      Case right = c;
      right.fault = {};
      return right;
    }();
    EXPECT_EQ(verify(clean, references, {.make_backend = make_backend}).report.verdict, Verdict::passed)
        << to_line(clean);
  }
}

TEST(FaultPage, RowsComeOutAsTheyAreCommitted) {
  const auto lines = page_lines();
  FaultTable table = page_table();
  for (const char* fault : {"strict-causal", "delta-local", "drop-block"}) {
    EXPECT_THAT(lines, testing::Contains(sight_line(table.row(*find_fault(fault)))));
  }
}

TEST(FaultPage, EveryCheckSeesAFault) {
  const auto lines = page_lines();
  std::vector<bool> seen(table_checks().size() + 2);
  for (const FaultKind& fault : fault_kinds()) {
    for (const std::string& line : lines) {
      if (!line.starts_with("| " + std::string(fault.name) + " | ") || line.find('`') != std::string::npos) continue;
      std::istringstream cells(line.substr(line.find('|', 2) + 1));
      std::string cell;
      for (std::size_t n = 0; n < seen.size() && std::getline(cells, cell, '|'); ++n) {
        if (cell != "   " && cell != " = " && cell != " < " && cell != " ! ") seen[n] = true;
      }
    }
  }
  EXPECT_THAT(seen, testing::Each(true));
}

TEST(FaultPage, AMistakeThatADiagnosisKnowsIsAFaultOrHasAReason) {
  std::string page;
  for (const std::string& line : page_lines()) page += line;
  std::set<std::string_view> known;
  for (const Hypothesis& mistake : hypotheses()) known.insert(mistake.name);
  for (const WithoutFault& mistake : mistakes_without_fault()) {
    EXPECT_TRUE(known.erase(mistake.name)) << mistake.name;
    EXPECT_EQ(find_fault(mistake.name), nullptr) << mistake.name;
    EXPECT_THAT(page, testing::HasSubstr("| " + std::string(mistake.name) + " | "));
  }
  for (const std::string_view name : known) EXPECT_NE(find_fault(name), nullptr) << name;
}

}  // namespace
}  // namespace ringscope
