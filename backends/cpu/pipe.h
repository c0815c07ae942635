// Both ends of the talk between two processes: whole messages or none.
#pragma once
#include <cstddef>
#include <span>

namespace ringscope::cpu {

enum class Transfer { done, closed, late };

// Waits as long as it takes.
Transfer send_all(int socket, std::span<const std::byte> bytes);
// Without a deadline it waits for ever.
Transfer receive_all(int socket, std::span<std::byte> bytes);
Transfer receive_all(int socket, std::span<std::byte> bytes, double deadline_seconds);

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}
template <class T>
std::span<std::byte> writable_bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

}  // namespace ringscope::cpu
