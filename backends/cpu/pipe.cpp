#include "backends/cpu/pipe.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <optional>

namespace ringscope::cpu {

namespace {

using SteadyClock = std::chrono::steady_clock;

Transfer await(int socket, const std::optional<SteadyClock::time_point>& deadline) {
  pollfd poll_for{.fd = socket, .events = POLLIN, .revents = 0};
  for (;;) {
    int milliseconds = -1;
    if (deadline) {
      const std::chrono::duration<double, std::milli> left = *deadline - SteadyClock::now();
      milliseconds = static_cast<int>(std::ceil(std::clamp(left.count(), 0.0, 1e9)));
    }
    const int ready = poll(&poll_for, 1, milliseconds);
    if (ready > 0) return Transfer::done;
    if (ready == 0) return Transfer::late;
    if (errno != EINTR) return Transfer::closed;
  }
}

Transfer receive_until(int socket, std::span<std::byte> bytes, const std::optional<SteadyClock::time_point>& deadline) {
  while (!bytes.empty()) {
    if (const Transfer waited = await(socket, deadline); waited != Transfer::done) return waited;
    const ssize_t got = recv(socket, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Transfer::closed;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return Transfer::done;
}

}  // namespace

Transfer send_all(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return Transfer::closed;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return Transfer::done;
}

Transfer receive_all(int socket, std::span<std::byte> bytes) {
  return receive_until(socket, bytes, std::nullopt);
}

Transfer receive_all(int socket, std::span<std::byte> bytes, double deadline_seconds) {
  const auto wait = std::chrono::duration<double>(std::min(deadline_seconds, 1e9));
  return receive_until(socket, bytes, SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(wait));
}

}  // namespace ringscope::cpu
