#include "core/nearest.h"

#include <gtest/gtest.h>

#include <array>

namespace ringscope {
namespace {

constexpr std::array<std::string_view, 4> words{"contiguous", "zigzag", "striped", "zigzag-docs"};

TEST(Nearest, AWordIsNearestToItself) {
  for (const std::string_view w : words) EXPECT_EQ(nearest(w, words), w);
}

TEST(Nearest, OneSlipOfTheFingersIsForgiven) {
  EXPECT_EQ(nearest("zigzg", words), "zigzag");
  EXPECT_EQ(nearest("stirped", words), "striped");
  EXPECT_EQ(nearest("contigous", words), "contiguous");
}

TEST(Nearest, ATypedBeginningMeansTheWordItBegins) {
  EXPECT_EQ(nearest("cont", words), "contiguous");
}

TEST(Nearest, AWordThatIsFarFromAllIsNotMistakenForAny) {
  EXPECT_EQ(nearest("banana", words), "");
  EXPECT_EQ(nearest("x", words), "");
  EXPECT_EQ(nearest("", words), "");
  constexpr std::array<std::string_view, 2> short_words{"Q", "KV"};
  EXPECT_EQ(nearest("VK", short_words), "KV");
  EXPECT_EQ(nearest("dQ", short_words), "Q");
  EXPECT_EQ(nearest("X", short_words), "");
  EXPECT_EQ(nearest_sentence("banana", words), "");
  EXPECT_EQ(nearest_sentence("strped", words), "the nearest right word is `striped`");
}

TEST(Nearest, EditsAreSymmetricAndZeroForEqualWordsOnly) {
  for (const std::string_view a : words) {
    for (const std::string_view b : words) {
      EXPECT_EQ(edits_between(a, b), edits_between(b, a));
      EXPECT_EQ(edits_between(a, b) == 0, a == b);
    }
  }
  EXPECT_EQ(edits_between("ab", "ba"), 1);
  EXPECT_EQ(edits_between("", "abc"), 3);
}

TEST(Nearest, NothingAllowedGivesNoSentence) {
  EXPECT_EQ(nearest_sentence("x", {}), "");
}

}  // namespace
}  // namespace ringscope
