// A connection to the server of a farm: NATS with JetStream. What speaks NATS is a library that is
// loaded with the first connection.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/remote/client.h"
#include "driver/remote/protocol.h"

namespace vta::farm {

inline constexpr char kUrlUsage[] = "nats://HOST:PORT or tls://HOST:PORT";

/// Where the server is, and what it is shown.
struct Access {
  driver::remote::Address address;
  bool tls = false;
  driver::remote::Credentials credentials;
  /// A public NKey, and the file with its seed; or neither.
  std::string nkey, nkey_seed_file;

  /// As the URL has it.
  std::string Name() const;
};

/// `credentials`: a folder as driver::remote::ReadCredentials has it, or with nkey and nkey.seed;
/// or "". Errors: throws Error at `where` for a URL that is none, or holds a secret, which it does
/// not repeat; and as ReadCredentials.
Access ParseAccess(const std::string& url, const std::string& credentials,
                   const std::string& where);

/// Where values are kept by keys, and for how long after they were put there last.
enum class Bucket : uint8_t { kStudies, kWorkers };
struct BucketFacts {
  const char* name;
  std::chrono::seconds kept;
};
inline constexpr BucketFacts kBuckets[] = {{"vta_studies", std::chrono::hours(24 * 7)},
                                           {"vta_workers", std::chrono::seconds(6)}};
/// How often what lives puts its value there again.
inline constexpr std::chrono::seconds kBeat{2};

/// Where messages wait until one who took them is done with them. Their subjects have the queue's
/// word at their beginning.
enum class Queue : uint8_t { kJobs, kResults };
struct QueueFacts {
  const char *name, *subject;
  std::chrono::seconds kept;     // a message that nobody takes
  std::chrono::seconds silence;  // of who took it, after which another one gets it
};
inline constexpr QueueFacts kQueues[] = {
    {"vta_jobs", "vta.jobs.", std::chrono::hours(24 * 7), std::chrono::seconds(5)},
    {"vta_results", "vta.results.", std::chrono::hours(24 * 7), std::chrono::seconds(30)}};

/// Of a value, and of a message's text.
inline constexpr size_t kMostBytes = 512 * 1024;

/// Messages of one name that are in hands at a time.
inline constexpr int64_t kMostInHands = 1 << 16;

/// A message in somebody's hands.
class Message {
 public:
  virtual ~Message() = default;
  virtual const std::string& text() const = 0;
  /// How often it was given out, this time counted.
  virtual int64_t deliveries() const = 0;
  /// Who has it is at work: no other one gets it.
  virtual void Keep() = 0;
  /// It is done with, and nobody gets it again; told as well as it can be.
  virtual void Done() = 0;
};

/// Where the messages of some subjects are taken from; of one thread.
class Inbox {
 public:
  virtual ~Inbox() = default;
  /// So many at most; fewer, or none, where no more come within that time.
  /// Errors: as Link.
  virtual std::vector<std::unique_ptr<Message>> Take(int64_t most,
                                                     std::chrono::milliseconds wait) = 0;
};

/// What it does is tried again while the server is away, up to its patience.
/// Errors: each throws Error naming host and port where the server does not answer for that long,
/// or refuses.
class Link {
 public:
  virtual ~Link() = default;
  virtual void Put(Bucket bucket, const std::string& key, std::string_view value) = 0;
  virtual std::optional<std::string> Get(Bucket bucket, const std::string& key) = 0;
  virtual std::vector<std::string> Keys(Bucket bucket) = 0;
  virtual void Remove(Bucket bucket, const std::string& key) = 0;

  /// `id`: of two with the same within two minutes there is one.
  virtual void Send(Queue queue, const std::string& subject, const std::string& id,
                    std::string_view text) = 0;
  /// What waits under the subject goes.
  virtual void Purge(Queue queue, const std::string& subject) = 0;
  /// `subject` may end with ".*"; no two names may have a subject in common. Those who open the
  /// same name share its messages, of which so many are in hands at a time.
  virtual std::unique_ptr<Inbox> Open(Queue queue, const std::string& name,
                                      const std::string& subject,
                                      int64_t in_hands = kMostInHands) = 0;
  /// For what was opened under the name and will not be again.
  virtual void Forget(Queue queue, const std::string& name) = 0;
  /// From now on, also of what is being tried; of any thread.
  virtual void SetPatience(std::chrono::seconds patience) = 0;
};

/// `who`: for people. Errors: throws Error naming host and port where no such server answers, it
/// has no JetStream, or refuses what it is shown; and where this build has no such library.
std::unique_ptr<Link> Connect(const Access& access, const std::string& who,
                              std::chrono::seconds patience);

inline constexpr char kModuleFile[] = "libvta_farm.so";
inline constexpr char kConnectSymbol[] = "vta_farm_connect";
using ConnectFunction = Link*(const Access&, const std::string& who, std::chrono::seconds patience);

}  // namespace vta::farm
