// Told of what goes on while something long does, by whichever thread does it. An empty one: nobody looks on.
#pragma once
#include <functional>
#include <optional>
#include <string_view>

namespace ringscope {

// How much is done, from 0 to 1.
using TellDone = std::function<void(double done)>;
// What is being done, and how much of it is, where that is known.
using TellStage = std::function<void(std::string_view stage, std::optional<double> done)>;

inline void tell_done(const TellDone& tell, double done) {
  if (tell) tell(done);
}

// A part of the whole, told as the whole's.
inline TellDone part_of(const TellDone& tell, double begin, double end) {
  if (!tell) return {};
  return [&tell, begin, end](double done) { tell(begin + done * (end - begin)); };
}

}  // namespace ringscope
