#include <gtest/gtest.h>

#include <regex>

#include "core/numbers.h"
#include "pictures/html.h"
#include "pictures/svg.h"
#include "pictures/terminal.h"
#include "pictures/words.h"
#include "tests/pictures/picture_checks.h"
#include "tests/pictures/xml_check.h"

namespace ringscope {
namespace {

constexpr std::string_view nasty = "a<b & \"c\" > 'd' \x01 ]]> \xe2\x86\x92 </title></svg>";

Picture nasty_picture() {
  Picture p;
  p.title = p.summary = std::string(nasty);
  p.width = p.height = 600;
  const std::string words(nasty);
  p.boxes.push_back({.x = 10, .y = 10, .width = 500, .height = 30, .label = words, .tooltip = words});
  p.boxes.push_back({.x = 10, .y = 50, .width = 500, .height = 30, .pattern = Pattern::hatched, .label = words});
  p.arrows.push_back({.x0 = 10, .y0 = 10, .x1 = 100, .y1 = 100, .tooltip = words});
  p.texts.push_back({.x = 10, .y = 200, .words = words});
  return p;
}

TEST(XmlCheck, AcceptsWhatIsWellFormed) {
  EXPECT_EQ(xml_fault("<a x=\"1\"><b/>words &amp; more<c y=\"&lt;\"></c></a>\n").value_or(""), "");
}

TEST(XmlCheck, SeesEachPlantedFault) {
  for (const std::string_view text :
       {"<a><b></a></b>", "<a>", "<a/><b/>", "", "words", "<a>x & y</a>", "<a x=1/>", "<a x=\"1\" x=\"2\"/>",
        "<a x=\"<\"/>", "<a x=\"&\"/>", "<a></b>", "<a>\x01</a>", "<a x=\"1/>"}) {
    EXPECT_TRUE(xml_fault(text)) << text;
  }
}

TEST(PictureChecks, SeeAPartOutsideAndALongLine) {
  Picture p = nasty_picture();
  EXPECT_EQ(picture_fault(p).value_or(""), "");
  p.boxes.push_back({.x = 590, .y = 0, .width = 20, .height = 5});
  EXPECT_TRUE(picture_fault(p));
  EXPECT_TRUE(sheet_fault({{{{std::string(81, 'x')}}}}));
}

TEST(Svg, EscapesEveryWord) {
  const std::string svg = to_svg(nasty_picture());
  EXPECT_EQ(xml_fault(svg).value_or(""), "");
  EXPECT_NE(svg.find("a&lt;b &amp; &quot;c&quot;"), std::string::npos);
}

TEST(Svg, AnUnescapedWordWouldBeSeen) {
  std::string svg = to_svg(nasty_picture());
  svg.replace(svg.find("a&lt;b"), 6, "a<b");
  EXPECT_TRUE(xml_fault(svg));
}

TEST(Html, IsOneWellFormedPageThatFetchesNothing) {
  Sheet sheet;
  sheet.add({{std::string(nasty), Ink::rank, 3}, {std::string(nasty)}});
  const std::string words(nasty);
  const std::string page = to_html({words, words, {{words, words, {nasty_picture(), nasty_picture()}, {sheet}}}});
  const std::string_view doctype = "<!DOCTYPE html>\n";
  ASSERT_TRUE(page.starts_with(doctype));
  EXPECT_EQ(xml_fault(std::string_view(page).substr(doctype.size())).value_or(""), "");
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("<defs>"), page.rfind("<defs>")) << "the hatch is there once";
}

TEST(Terminal, ColourAddsEscapesOnlyAndPlainHasNone) {
  Sheet sheet;
  for (const Ink ink : {Ink::text, Ink::faint, Ink::accent, Ink::good, Ink::bad, Ink::card, Ink::rank}) {
    sheet.add({{"one ", ink, -1}, {"▨ two", ink, 11}});
  }
  const std::string plain = to_text(sheet, Colour::none), coloured = to_text(sheet, Colour::ansi);
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_NE(coloured.find('\x1b'), std::string::npos);
  EXPECT_EQ(std::regex_replace(coloured, std::regex("\x1b\\[[0-9;]*m"), ""), plain);
}

TEST(Sheet, FitGivesExactlyTheColumnsAskedFor) {
  for (const std::string words : {"", "r1", "▨ KV3", "a rather long name"}) {
    for (const int columns : {0, 1, 5, 18, 30}) {
      for (const Align align : {Align::left, Align::centre, Align::right}) {
        EXPECT_EQ(columns_of(fit(words, columns, align)), columns) << words;
      }
    }
  }
}

TEST(Sheet, SentencesBreakBetweenWordsAndLoseNone) {
  const std::string sentence = "a bb ccc dddd " + std::string(200, 'x') + " ■■■ " + std::string(79, 'y') + " end of it";
  for (const int indent : {0, 9}) {
    Sheet sheet;
    sheet.say(sentence, Ink::text, indent);
    EXPECT_EQ(sheet_fault(sheet).value_or(""), "");
    std::string text = to_text(sheet, Colour::none), want = sentence;
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    std::erase_if(want, [](char c) { return c == ' '; });
    EXPECT_EQ(text, want);
  }
}

TEST(Sheet, ShownKeepsTheFirstAndTheLastAndTheOrder) {
  for (const int n : {1, 2, 3, 8, 64, 1024}) {
    for (const int room : {3, 5, 8, 70}) {
      const std::vector<int> list = shown(n, room);
      EXPECT_LE(list.size(), static_cast<std::size_t>(room));
      EXPECT_EQ(list.front(), 0);
      EXPECT_EQ(list.back(), n - 1);
      EXPECT_EQ(std::count(list.begin(), list.end(), -1), n > room ? 1 : 0);
    }
  }
}

TEST(Words, NumbersReadAsPeopleWriteThem) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(bytes_in_words(1536), "1.5 KiB");
  EXPECT_EQ(bytes_in_words(1), "1 B");
  EXPECT_EQ(seconds_in_words(0.00125), "1.25 ms");
  EXPECT_EQ(counted(1, "pair"), "1 pair");
  EXPECT_EQ(short_name(TensorKind::kv, {0, 4, 1}), "KV0-3");
  EXPECT_EQ(short_name(TensorKind::q, {1, 3, 4}), "Q1,5,9");
  EXPECT_EQ(short_name(TensorKind::dkv, {0, 8, 2}), "dKV0..14/2");
}

}  // namespace
}  // namespace ringscope
