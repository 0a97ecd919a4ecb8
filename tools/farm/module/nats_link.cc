// What speaks NATS.
#include <nats.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "isa/support/error.h"
#include "tools/farm/link.h"

namespace vta::farm {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int64_t kAnswerMs = 5000;                 // of a request, and of the first connection
constexpr milliseconds kPause{100};                 // between tries
constexpr int64_t kMostWaiting = int64_t{1} << 16;  // for messages of one name: a slot is one

template <auto kFree>
struct Freed {
  template <typename T>
  void operator()(T* pointer) const {
    kFree(pointer);
  }
};
template <typename T, auto kFree>
using Owned = std::unique_ptr<T, Freed<kFree>>;

int64_t Nanoseconds(std::chrono::nanoseconds time) { return time.count(); }

class NatsLink final : public Link {
 public:
  NatsLink(const Access& access, const std::string& who, std::chrono::seconds patience);
  ~NatsLink() override;
  NatsLink(const NatsLink&) = delete;
  NatsLink& operator=(const NatsLink&) = delete;

  void Put(Bucket bucket, const std::string& key, std::string_view value) override;
  std::optional<std::string> Get(Bucket bucket, const std::string& key) override;
  std::vector<std::string> Keys(Bucket bucket) override;
  void Remove(Bucket bucket, const std::string& key) override;
  void Send(Queue queue, const std::string& subject, const std::string& id,
            std::string_view text) override;
  void Purge(Queue queue, const std::string& subject) override;
  std::unique_ptr<Inbox> Open(Queue queue, const std::string& name, const std::string& subject,
                              int64_t in_hands) override;
  void Forget(Queue queue, const std::string& name) override { ForgetName(queue, name); }
  void ForgetName(Queue queue, const std::string& name) const;

  using Subscription = Owned<natsSubscription, natsSubscription_Destroy>;
  struct Opened {
    Queue queue;
    std::string name, subject;
    int64_t in_hands;
  };
  /// Makes what gives out the messages of a name, where it is not there, and listens to it.
  Subscription Listen(const Opened& opened) const;
  /// Whether that gives out what comes. A server that was killed may have begun to count the
  /// messages of a queue anew, and then waits for numbers that come much later.
  bool GivesOut(const Opened& opened) const;
  /// Of who waits for messages: `status` is how that ended. Errors: as Link.
  void Heard(natsStatus status, std::optional<Clock::time_point>* silent_since) const;
  void SetPatience(std::chrono::seconds patience) override { patience_ = patience; }

 private:
  Error Fail(const std::string& what, natsStatus status) const;
  [[noreturn]] void FailToConnect(const Access& access, natsStatus status) const;
  void RequireJetStream() const;
  void MakeBuckets();
  void MakeQueues();
  /// Once more, as long as the server does not answer.
  template <typename Operation>
  natsStatus Try(const std::string& what, const Operation& operation) const;
  kvStore* store(Bucket bucket) const { return stores_[static_cast<size_t>(bucket)].get(); }

  const std::string name_;
  std::atomic<std::chrono::seconds> patience_;
  Owned<natsConnection, natsConnection_Destroy> connection_;
  Owned<jsCtx, jsCtx_Destroy> stream_;
  std::vector<Owned<kvStore, kvStore_Destroy>> stores_;
};

/// Those that say that a server is away, or has not come back whole yet.
bool IsPassing(natsStatus status) {
  switch (status) {
    case NATS_TIMEOUT:
    case NATS_NO_RESPONDERS:
    case NATS_CONNECTION_DISCONNECTED:
    case NATS_STALE_CONNECTION:
    case NATS_IO_ERROR:
    case NATS_NOT_YET_CONNECTED:
    case NATS_NO_SERVER:
    case NATS_INSUFFICIENT_BUFFER:  // that grows while it is away
    case NATS_MISSED_HEARTBEAT:
      return true;
    default:
      return false;
  }
}

/// Whether who gives messages out has ended, as of a server that ends in order.
bool HasEnded() {
  natsStatus status{};
  const char* const said = nats_GetLastError(&status);
  const std::string_view text = said ? said : "";
  return text.find("Shutdown") != text.npos || text.find("Deleted") != text.npos;
}

class NatsMessage final : public Message {
 public:
  explicit NatsMessage(natsMsg* message)
      : message_(message),
        text_(natsMsg_GetData(message), static_cast<size_t>(natsMsg_GetDataLength(message))) {
    jsMsgMetaData* facts = nullptr;
    if (natsMsg_GetMetaData(&facts, message) != NATS_OK) return;
    deliveries_ = static_cast<int64_t>(facts->NumDelivered);
    jsMsgMetaData_Destroy(facts);
  }
  const std::string& text() const override { return text_; }
  int64_t deliveries() const override { return deliveries_; }
  void Keep() override {
    const std::lock_guard lock(mutex_);
    if (!done_) natsMsg_InProgress(message_.get(), nullptr);
  }
  void Done() override {
    const std::lock_guard lock(mutex_);
    done_ = true;
    // Where the server does not hear of it somebody gets the message once more.
    natsMsg_AckSync(message_.get(), nullptr, nullptr);
  }

 private:
  const Owned<natsMsg, natsMsg_Destroy> message_;
  const std::string text_;
  int64_t deliveries_ = 1;
  std::mutex mutex_;
  bool done_ = false;
};

class NatsInbox final : public Inbox {
 public:
  NatsInbox(const NatsLink& link, NatsLink::Opened opened)
      : link_(link), opened_(std::move(opened)), subscription_(link_.Listen(opened_)) {}

  std::vector<std::unique_ptr<Message>> Take(int64_t most, milliseconds wait) override {
    std::vector<std::unique_ptr<Message>> taken;
    // One is worth an answer at once; what has come besides is there already.
    jsFetchRequest first{}, others{};
    first.Batch = 1, first.Expires = Nanoseconds(wait);
    others.Batch = static_cast<int>(most - 1), others.NoWait = true;
    Take(first, &taken);
    if (!taken.empty() && most > 1) Take(others, &taken);
    constexpr std::chrono::seconds kLook{5};  // without a message
    if (!taken.empty()) looked_ = Clock::now();
    if (Clock::now() - looked_ < kLook) return taken;
    looked_ = Clock::now();
    if (!link_.GivesOut(opened_)) {
      link_.ForgetName(opened_.queue, opened_.name);
      subscription_ = link_.Listen(opened_);
    }
    return taken;
  }

 private:
  void Take(jsFetchRequest& request, std::vector<std::unique_ptr<Message>>* taken) {
    natsMsgList list{};
    const natsStatus status = natsSubscription_FetchRequest(&list, subscription_.get(), &request);
    for (int i = 0; status == NATS_OK && i < list.Count; ++i) {
      taken->push_back(std::make_unique<NatsMessage>(list.Msgs[i]));
      list.Msgs[i] = nullptr;  // which the list then does not free
    }
    natsMsgList_Destroy(&list);
    // Of a request that does not wait it says that there is none.
    link_.Heard(status == NATS_NOT_FOUND           ? NATS_OK
                : status == NATS_ERR && HasEnded() ? NATS_NO_RESPONDERS
                                                   : status,
                &silent_since_);
  }

  const NatsLink& link_;
  const NatsLink::Opened opened_;
  NatsLink::Subscription subscription_;
  std::optional<Clock::time_point> silent_since_;
  Clock::time_point looked_ = Clock::now();
};

NatsLink::NatsLink(const Access& access, const std::string& who, std::chrono::seconds patience)
    : name_(access.Name()), patience_(patience) {
  natsOptions* made = nullptr;
  VTA_CHECK(natsOptions_Create(&made) == NATS_OK);
  const Owned<natsOptions, natsOptions_Destroy> owner(made);
  const driver::remote::Credentials& shown = access.credentials;
  const auto require = [&](natsStatus status, const char* what) {
    if (status != NATS_OK) throw Fail(what, status);
  };
  require(natsOptions_SetURL(made, name_.c_str()), "URL");
  natsOptions_SetName(made, who.c_str());
  natsOptions_SetTimeout(made, kAnswerMs);
  natsOptions_SetMaxReconnect(made, -1);
  natsOptions_SetReconnectWait(made, 250);
  natsOptions_SetReconnectJitter(made, 50, 50);
  natsOptions_SetFailRequestsOnDisconnect(made, true);
  natsOptions_SetPingInterval(made, 2000);
  natsOptions_SetMaxPingsOut(made, 2);
  if (!shown.token.empty()) natsOptions_SetToken(made, shown.token.c_str());
  if (!access.nkey.empty())
    require(natsOptions_SetNKeyFromSeed(made, access.nkey.c_str(), access.nkey_seed_file.c_str()),
            "nkey");
  if (access.tls) require(natsOptions_SetSecure(made, true), "TLS");
  if (!shown.ca.empty()) {
    require(natsOptions_SetCATrustedCertificates(made, shown.ca.c_str()), "ca.pem");
    require(natsOptions_SetExpectedHostname(made, driver::remote::kServerName), "TLS");
  }
  if (!shown.key.empty())
    require(natsOptions_SetCertificatesChain(made, shown.certificate.c_str(), shown.key.c_str()),
            "certificate.pem and key.pem");
  natsConnection* connection = nullptr;
  const natsStatus status = natsConnection_Connect(&connection, made);
  connection_.reset(connection);
  if (status != NATS_OK) FailToConnect(access, status);
  jsOptions options;
  jsOptions_Init(&options);
  options.Wait = kAnswerMs;
  jsCtx* stream = nullptr;
  require(natsConnection_JetStream(&stream, connection, &options), "JetStream");
  stream_.reset(stream);
  RequireJetStream();
  MakeBuckets();
  MakeQueues();
}

NatsLink::~NatsLink() {
  stores_.clear();
  stream_.reset();
  if (connection_) natsConnection_Close(connection_.get());
}

Error NatsLink::Fail(const std::string& what, natsStatus status) const {
  natsStatus last{};
  const char* const said = nats_GetLastError(&last);
  const bool is_of_it = said && *said && last == status;
  return Error(name_, what, "",
               StrCat("the server refuses: ", is_of_it ? said : natsStatus_GetText(status)));
}

void NatsLink::FailToConnect(const Access& access, natsStatus status) const {
  const bool shows = !access.credentials.token.empty() || !access.nkey.empty();
  const auto why = [&]() -> std::string {
    switch (status) {
      case NATS_CONNECTION_AUTH_FAILED:
      case NATS_NOT_PERMITTED:
        return shows ? "refuses the token or key that it is shown"
                     : "wants a token or a key, and none is shown: --credentials names the folder "
                       "with it";
      case NATS_SECURE_CONNECTION_REQUIRED:
        return "wants TLS: tls://HOST:PORT, or --credentials with ca.pem";
      case NATS_SECURE_CONNECTION_WANTED:
        return "has no TLS, for which --credentials has ca.pem";
      case NATS_SSL_ERROR:
        return "is none that --credentials trusts, or refuses the certificate that it is shown";
      case NATS_NO_SERVER:
        return "nothing answers there: is a NATS server running? vta farm up starts one";
      default:
        return StrCat("is no NATS server, or does not answer: ", natsStatus_GetText(status));
    }
  };
  throw Error(name_, "", "", why());
}

void NatsLink::RequireJetStream() const {
  jsAccountInfo* info = nullptr;
  jsErrCode code{};
  const natsStatus status = js_GetAccountInfo(&info, stream_.get(), nullptr, &code);
  jsAccountInfo_Destroy(info);
  if (status == NATS_OK) return;
  if (code == JSNotEnabledErr || code == JSNotEnabledForAccountErr ||
      status == NATS_NO_RESPONDERS || status == NATS_TIMEOUT)
    throw Error(name_, "", "", "has no JetStream: nats-server --jetstream has it");
  throw Fail("JetStream", status);
}

void NatsLink::MakeBuckets() {
  for (const BucketFacts& facts : kBuckets) {
    kvStore* store = nullptr;
    Try(facts.name, [&] {
      const natsStatus there = js_KeyValue(&store, stream_.get(), facts.name);
      if (there != NATS_NOT_FOUND) return there;
      kvConfig config;
      kvConfig_Init(&config);
      config.Bucket = facts.name;
      config.History = 1;
      config.TTL = Nanoseconds(facts.kept);
      const natsStatus made = js_CreateKeyValue(&store, stream_.get(), &config);
      // Another one may have made it meanwhile.
      return made == NATS_OK ? made : js_KeyValue(&store, stream_.get(), facts.name);
    });
    stores_.emplace_back(store);
  }
}

void NatsLink::MakeQueues() {
  for (const QueueFacts& facts : kQueues) {
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    config.Name = facts.name;
    const std::string subject = StrCat(facts.subject, ">");
    const char* subjects[] = {subject.c_str()};
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.Retention = js_WorkQueuePolicy;
    config.MaxAge = Nanoseconds(facts.kept);
    Try(facts.name,
        [&] { return js_AddStream(nullptr, stream_.get(), &config, nullptr, nullptr); });
  }
}

template <typename Operation>
natsStatus NatsLink::Try(const std::string& what, const Operation& operation) const {
  const Clock::time_point start = Clock::now();
  for (;;) {
    const natsStatus status = operation();
    if (status == NATS_OK || status == NATS_NOT_FOUND) return status;
    if (!IsPassing(status)) throw Fail(what, status);
    if (const std::chrono::seconds most = patience_; Clock::now() - start > most)
      throw Error(name_, what, "", StrCat("the server does not answer for ", most.count(), " s"));
    std::this_thread::sleep_for(kPause);
  }
}

void NatsLink::Heard(natsStatus status, std::optional<Clock::time_point>* silent_since) const {
  const bool is_there =
      status == NATS_OK || (status == NATS_TIMEOUT &&
                            natsConnection_Status(connection_.get()) == NATS_CONN_STATUS_CONNECTED);
  if (is_there) return silent_since->reset();
  if (status != NATS_TIMEOUT && !IsPassing(status)) throw Fail("messages", status);
  if (!*silent_since) *silent_since = Clock::now();
  if (const std::chrono::seconds most = patience_; Clock::now() - **silent_since > most)
    throw Error(name_, "", "", StrCat("does not answer for ", most.count(), " s"));
  std::this_thread::sleep_for(kPause);
}

void NatsLink::Put(Bucket bucket, const std::string& key, std::string_view value) {
  Try(key, [&] {
    return kvStore_Put(nullptr, store(bucket), key.c_str(), value.data(),
                       static_cast<int>(value.size()));
  });
}

std::optional<std::string> NatsLink::Get(Bucket bucket, const std::string& key) {
  kvEntry* entry = nullptr;
  if (Try(key, [&] { return kvStore_Get(&entry, store(bucket), key.c_str()); }) != NATS_OK)
    return std::nullopt;
  std::string value(static_cast<const char*>(kvEntry_Value(entry)),
                    static_cast<size_t>(kvEntry_ValueLen(entry)));
  kvEntry_Destroy(entry);
  return value;
}

std::vector<std::string> NatsLink::Keys(Bucket bucket) {
  std::vector<std::string> keys;
  kvKeysList list{};
  const std::string what = kBuckets[static_cast<size_t>(bucket)].name;
  if (Try(what, [&] { return kvStore_Keys(&list, store(bucket), nullptr); }) == NATS_OK)
    keys.assign(list.Keys, list.Keys + list.Count);
  kvKeysList_Destroy(&list);
  std::ranges::sort(keys);
  return keys;
}

void NatsLink::Remove(Bucket bucket, const std::string& key) {
  Try(key, [&] { return kvStore_Purge(store(bucket), key.c_str(), nullptr); });
}

void NatsLink::Send(Queue queue, const std::string& subject, const std::string& id,
                    std::string_view text) {
  const std::string whole = kQueues[static_cast<size_t>(queue)].subject + subject;
  jsPubOptions options;
  jsPubOptions_Init(&options);
  options.MsgId = id.c_str();
  Try(whole, [&] {
    return js_Publish(nullptr, stream_.get(), whole.c_str(), text.data(),
                      static_cast<int>(text.size()), &options, nullptr);
  });
}

void NatsLink::Purge(Queue queue, const std::string& subject) {
  const QueueFacts& facts = kQueues[static_cast<size_t>(queue)];
  const std::string whole = facts.subject + subject;
  jsOptions options;
  jsOptions_Init(&options);
  options.Wait = kAnswerMs;
  options.Stream.Purge.Subject = whole.c_str();
  Try(whole, [&] { return js_PurgeStream(stream_.get(), facts.name, &options, nullptr); });
}

std::unique_ptr<Inbox> NatsLink::Open(Queue queue, const std::string& name,
                                      const std::string& subject, int64_t in_hands) {
  return std::make_unique<NatsInbox>(*this, Opened{queue, name, subject, in_hands});
}

NatsLink::Subscription NatsLink::Listen(const Opened& opened) const {
  const QueueFacts& facts = kQueues[static_cast<size_t>(opened.queue)];
  const std::string whole = facts.subject + opened.subject;
  const char* const name = opened.name.c_str();
  jsConsumerConfig config;
  jsConsumerConfig_Init(&config);
  config.Durable = name;
  config.FilterSubject = whole.c_str();
  config.AckPolicy = js_AckExplicit;
  config.AckWait = Nanoseconds(facts.silence);
  config.MaxDeliver = -1;
  config.MaxAckPending = opened.in_hands;
  config.MaxWaiting = kMostWaiting;
  Try(whole, [&] {
    return js_AddConsumer(nullptr, stream_.get(), facts.name, &config, nullptr, nullptr);
  });
  jsSubOptions options;
  jsSubOptions_Init(&options);
  options.Stream = facts.name;
  options.Consumer = name;
  natsSubscription* subscription = nullptr;
  Try(whole, [&] {
    return js_PullSubscribe(&subscription, stream_.get(), whole.c_str(), name, nullptr, &options,
                            nullptr);
  });
  return Subscription(subscription);
}

bool NatsLink::GivesOut(const Opened& opened) const {
  // Of a server that does not answer now it is not known.
  if (natsConnection_Status(connection_.get()) != NATS_CONN_STATUS_CONNECTED) return true;
  const char* const stream = kQueues[static_cast<size_t>(opened.queue)].name;
  jsStreamInfo* all = nullptr;
  jsConsumerInfo* given = nullptr;
  natsStatus status = js_GetStreamInfo(&all, stream_.get(), stream, nullptr, nullptr);
  if (status == NATS_OK)
    status =
        js_GetConsumerInfo(&given, stream_.get(), stream, opened.name.c_str(), nullptr, nullptr);
  const bool is_lost = status == NATS_NOT_FOUND && all;
  const bool is_ahead = status == NATS_OK && given->Delivered.Stream > all->State.LastSeq;
  jsStreamInfo_Destroy(all);
  jsConsumerInfo_Destroy(given);
  return !is_lost && !is_ahead;
}

void NatsLink::ForgetName(Queue queue, const std::string& name) const {
  const char* const stream = kQueues[static_cast<size_t>(queue)].name;
  Try(name,
      [&] { return js_DeleteConsumer(stream_.get(), stream, name.c_str(), nullptr, nullptr); });
}

}  // namespace

extern "C" Link* vta_farm_connect(const Access& access, const std::string& who,
                                  std::chrono::seconds patience) {
  return new NatsLink(access, who, patience);
}

}  // namespace vta::farm
