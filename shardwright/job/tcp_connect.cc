//===- tcp_connect.cc - connects processes by TCP -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/tcp_connect.h"

#include "shardwright/support/error.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <cstring>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <random>
#include <sys/socket.h>
#include <unistd.h>

using namespace shardwright;

using Clock = std::chrono::steady_clock;

void FileDescriptor::close() {
  if (number >= 0)
    ::close(number);
  number = -1;
}

namespace {

/// The first bytes of a connection.
struct Hello {
  char magic[8] = {'s', 'h', 'a', 'r', 'd', 'w', 'r', '1'};
  uint64_t secret = 0; ///< of the process that listens
  int32_t process = 0; ///< which connects
  int32_t unused = 0;
};

struct Address {
  sockaddr_storage storage = {};
  socklen_t size = 0;
  sockaddr *get() { return reinterpret_cast<sockaddr *>(&storage); }
};

/// Where a process listens, as it is published: host, port and secret.
struct Listener {
  FileDescriptor socket;
  std::string host, port;
  uint64_t secret = 0;
};

} // namespace

static llvm::Error failWithErrno(const llvm::Twine &what) {
  return fail(what, ": ", std::strerror(errno));
}

static bool isLoopback(const sockaddr *address) {
  if (address->sa_family == AF_INET)
    return (ntohl(reinterpret_cast<const sockaddr_in *>(address)
                      ->sin_addr.s_addr) >>
            24) == 127;
  return IN6_IS_ADDR_LOOPBACK(
      &reinterpret_cast<const sockaddr_in6 *>(address)->sin6_addr);
}

/// Resolves a host and a port. Of several addresses the first that is not of
/// the loopback device is returned, if there is one.
static llvm::Expected<Address> resolve(const std::string &host,
                                       const char *port) {
  addrinfo hints = {}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_family = AF_UNSPEC;
  if (int code = getaddrinfo(host.c_str(), port, &hints, &found))
    return fail("the address ", host, " is not known: ", gai_strerror(code));
  const addrinfo *chosen = found;
  for (const addrinfo *one = found; one; one = one->ai_next)
    if (!isLoopback(one->ai_addr)) {
      chosen = one;
      break;
    }
  Address address;
  std::memcpy(&address.storage, chosen->ai_addr, chosen->ai_addrlen);
  address.size = chosen->ai_addrlen;
  freeaddrinfo(found);
  return address;
}

/// Returns the address of a network interface that other machines may reach.
static bool findInterfaceAddress(Address &address) {
  ifaddrs *all = nullptr;
  if (getifaddrs(&all) != 0)
    return false;
  bool hasFound = false;
  for (const ifaddrs *one = all; one && !hasFound; one = one->ifa_next) {
    if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET ||
        !(one->ifa_flags & IFF_UP) || (one->ifa_flags & IFF_LOOPBACK))
      continue;
    address.size = sizeof(sockaddr_in);
    std::memcpy(&address.storage, one->ifa_addr, address.size);
    hasFound = true;
  }
  freeifaddrs(all);
  return hasFound;
}

static llvm::Expected<Listener> listenAt(const std::string &host,
                                         int32_t count) {
  auto address = resolve(host, nullptr);
  if (!address)
    return address.takeError();
  // The name of a host often stands for the loopback device on itself.
  bool isLocal = host == "localhost" || host == "::1" ||
                 llvm::StringRef(host).starts_with("127.");
  if (!isLocal && isLoopback(address->get()))
    findInterfaceAddress(*address);
  Listener listener;
  listener.socket = FileDescriptor(
      socket(address->get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  int number = listener.socket.get();
  // Any free port.
  if (address->get()->sa_family == AF_INET)
    reinterpret_cast<sockaddr_in *>(address->get())->sin_port = 0;
  if (number < 0 || bind(number, address->get(), address->size) != 0 ||
      listen(number, std::max(count, 128)) != 0 ||
      getsockname(number, address->get(), &address->size) != 0)
    return failWithErrno("cannot listen at " + host);
  char name[NI_MAXHOST], port[NI_MAXSERV];
  if (int code =
          getnameinfo(address->get(), address->size, name, sizeof(name), port,
                      sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
    return fail("cannot name the address of ", host, ": ", gai_strerror(code));
  listener.host = name;
  listener.port = port;
  std::random_device random;
  listener.secret = uint64_t(random()) << 32 | random();
  return listener;
}

/// Waits until a socket can be read or written.
static bool waitFor(const FileDescriptor &socket, short events,
                    Clock::time_point end) {
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    pollfd one = {socket.get(), events, 0};
    int result =
        poll(&one, 1, int(std::clamp<int64_t>(left.count(), 0, 60000)));
    if (result > 0)
      return true;
    if (result < 0 && errno != EINTR)
      return false;
    if (left.count() <= 0)
      return false;
  }
}

static llvm::Error connectTo(FileDescriptor &to, llvm::StringRef published,
                             int32_t self, Clock::time_point end) {
  llvm::SmallVector<llvm::StringRef, 3> parts;
  published.split(parts, ' ');
  Hello hello;
  hello.process = self;
  if (parts.size() != 3 || parts[2].getAsInteger(16, hello.secret))
    return fail("its address `", published, "` is malformed");
  auto address = resolve(parts[0].str(), parts[1].str().c_str());
  if (!address)
    return address.takeError();
  to = FileDescriptor(socket(address->get()->sa_family,
                             SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  std::string where = (parts[0] + " port " + parts[1]).str();
  if (!to.isOpen())
    return failWithErrno("no socket");
  if (connect(to.get(), address->get(), address->size) != 0) {
    if (errno != EINPROGRESS)
      return failWithErrno("cannot connect to " + where);
    int code = 0;
    socklen_t size = sizeof(code);
    if (!waitFor(to, POLLOUT, end))
      return fail("no connection to ", where, " in time");
    getsockopt(to.get(), SOL_SOCKET, SO_ERROR, &code, &size);
    if (code)
      return fail("cannot connect to ", where, ": ", std::strerror(code));
  }
  if (send(to.get(), &hello, sizeof(hello), MSG_NOSIGNAL) != sizeof(hello))
    return failWithErrno("cannot send to " + where);
  return llvm::Error::success();
}

/// Accepts a connection of a process of the job; others are closed. Returns its
/// number, or -1 if it was none.
static int32_t acceptOne(const Listener &listener, FileDescriptor &from,
                         Clock::time_point end) {
  constexpr std::chrono::seconds helloLimit(5);
  from = FileDescriptor(accept4(listener.socket.get(), nullptr, nullptr,
                                SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!from.isOpen())
    return -1;
  end = std::min(end, Clock::now() + helloLimit);
  Hello hello, expected;
  size_t at = 0;
  while (at < sizeof(hello)) {
    if (!waitFor(from, POLLIN, end))
      return -1;
    ssize_t size = recv(from.get(), reinterpret_cast<char *>(&hello) + at,
                        sizeof(hello) - at, 0);
    if (size <= 0)
      return -1;
    at += size;
  }
  bool isOurs =
      !std::memcmp(hello.magic, expected.magic, sizeof(hello.magic)) &&
      hello.secret == listener.secret;
  return isOurs ? hello.process : -1;
}

llvm::Expected<std::vector<FileDescriptor>>
shardwright::connectByTcp(const EngineOptions &options) {
  Clock::time_point end =
      Clock::now() + std::chrono::milliseconds(options.startTimeout);
  int32_t self = options.process, count = options.numProcesses;
  auto listener = listenAt(options.address, count);
  if (!listener)
    return listener.takeError();
  std::string error;
  std::string published = listener->host + " " + listener->port + " " +
                          llvm::utohexstr(listener->secret);
  if (!options.put(std::to_string(self), published, error))
    return fail(error);
  std::vector<FileDescriptor> sockets(count);
  for (int32_t p = 0; p < self; ++p) {
    std::string where;
    if (!options.get(std::to_string(p), where, error))
      return fail(error);
    if (llvm::Error failed = connectTo(sockets[p], where, self, end))
      return fail("process ", p, ": ", llvm::toString(std::move(failed)),
                  "; SHARDWRIGHT_HOST_ADDRESS says at which address a process "
                  "listens");
  }
  for (int32_t missing = count - 1 - self; missing > 0;) {
    if (!waitFor(listener->socket, POLLIN, end)) {
      int32_t p = self + 1;
      while (sockets[p].isOpen())
        ++p;
      return fail("process ", p, " has not connected in time");
    }
    FileDescriptor from;
    int32_t p = acceptOne(*listener, from, end);
    if (p <= self || p >= count || sockets[p].isOpen())
      continue;
    sockets[p] = std::move(from);
    --missing;
  }
  for (FileDescriptor &socket : sockets) {
    int isOn = 1;
    if (socket.isOpen())
      setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &isOn, sizeof(isOn));
  }
  return sockets;
}
