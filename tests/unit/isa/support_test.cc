#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/hash.h"
#include "isa/support/json.h"
#include "isa/support/stop.h"
#include "isa/support/temporary.h"
#include "tests/support/error_of.h"

namespace vta {
namespace {

TEST(StopTest, IsByTimeOrByWhoAsks) {
  using Clock = std::chrono::steady_clock;
  const auto none = Clock::time_point::max(), later = Clock::now() + std::chrono::hours(1);
  EXPECT_FALSE(IsOver(none));
  EXPECT_FALSE(IsOver(later));
  EXPECT_TRUE(IsOver(Clock::now()));
  bool asked = false;
  {
    const StopAsker asker([&] { return asked; });
    EXPECT_FALSE(IsOver(none));
    asked = true;
    EXPECT_TRUE(IsOver(none));
    std::thread([&] { EXPECT_FALSE(IsOver(later)); }).join();  // is asked for its own thread
    const StopAsker inner([] { return false; });
    EXPECT_FALSE(IsOver(none));
  }
  EXPECT_FALSE(IsOver(none));
}

TEST(StopTest, ALimitBeyondTimeIsNone) {
  const auto now = std::chrono::steady_clock::now();
  EXPECT_EQ(DeadlineOf(now, std::chrono::nanoseconds::max()), now.max());
  EXPECT_EQ(DeadlineOf(now, std::chrono::seconds(1)), now + std::chrono::seconds(1));
}

TEST(ErrorTest, NamesPlaceSubjectValueAndRule) {
  EXPECT_STREQ(Error("a.json", "arch.acc_depth", "100", "must be a power of two").what(),
               "a.json: arch.acc_depth = 100: must be a power of two");
  EXPECT_STREQ(Error("a.json", "", "", "is empty").what(), "a.json: is empty");
  EXPECT_STREQ(Error("a", "\x1b[2J", std::string("\0", 1), "says no").what(),
               "a: \\x1b[2J = \\x00: says no");
  EXPECT_STREQ(Error("row 3", "x", "1", "bad").In("f.s").what(), "f.s: row 3: x = 1: bad");
}

TEST(ErrorTest, NamesForgeNoLine) {
  const std::string name = "x\nvta: all is well";
  EXPECT_STREQ(Error(name, name, name, name).what(),
               "x\\x0avta: all is well: x\\x0avta: all is well = x\\x0avta: all is well: "
               "x\\x0avta: all is well");
  // Only a detail has lines, also inside an outer place; no more than lines.
  EXPECT_STREQ(Error("a", "", "", "says", ":\none\n\x1b[1mtwo\n").In("b").what(),
               "b: a: says:\none\n\\x1b[1mtwo\n");
}

TEST(VisibleTest, EscapesWhatATerminalWouldActOn) {
  const std::pair<std::string, std::string> cases[] = {
      {"conv_1/Größe.日本.🙂", "conv_1/Größe.日本.🙂"},
      {"\t\r\x7f", "\\x09\\x0d\\x7f"},
      {"\x9b"
       "2J",
       "\\x9b2J"},  // C1, raw
      {"\xc2\x9b"
       "2J",
       "\\xc2\\x9b2J"},  // C1 as UTF-8
      {"a\xe2\x80\xae"
       "b\xe2\x80\xa8",
       "a\\xe2\\x80\\xaeb\\xe2\\x80\\xa8"},  // right to left, line end
      {"\xe2\x81\xa6\xe2\x80\x8f", "\\xe2\\x81\\xa6\\xe2\\x80\\x8f"},
      {"\xc0\x9b\xe0\x80\x8a\xed\xa0\x80", "\\xc0\\x9b\\xe0\\x80\\x8a\\xed\\xa0\\x80"},  // no UTF-8
      {"\xf4\x90\x80\x80\xe2\x80", "\\xf4\\x90\\x80\\x80\\xe2\\x80"},
      {std::string("\0", 1), "\\x00"},
  };
  for (const auto& [text, shown] : cases) EXPECT_EQ(Visible(text), shown);
  EXPECT_EQ(Visible("a\nb\x1b"), "a\\x0ab\\x1b");
  EXPECT_EQ(Visible("a\nb\x1b", true), "a\nb\\x1b");
}

TEST(JsonTest, TextHasNoControlCharacters) {
  const std::string name = "a\x1b\n\x7f\xc2\x9b\xe2\x80\xae";
  const std::string text = Json().Set(name, "Größe").Dump(-1);
  EXPECT_EQ(text, R"({"a\u001b\n\u007f\u009b\u202e":"Gr\u00f6\u00dfe"})");
  EXPECT_EQ(*Json::Parse(text, "f").Find(name)->as_string(), "Größe");
  EXPECT_EQ(Json("Größe").Dump(-1), "\"Größe\"");
}

TEST(JsonTest, RefusesWhatIsNotStrict) {
  EXPECT_EQ(ErrorOf([] { Json::Parse(R"({"a":1,"a":2})", "f"); }),
            "f: a: the key stands twice in one object");
  EXPECT_THAT(ErrorOf([] { Json::Parse("{\n  \"a\": ]\n}", "f"); }),
              testing::HasSubstr("not valid JSON here"));
  EXPECT_THAT(ErrorOf([] { Json::Parse(std::string(100000, '['), "f"); }),
              testing::HasSubstr("nested deeper than 64"));
  EXPECT_THAT(ErrorOf([] { Json::Parse("18446744073709551615", "f"); }),
              testing::HasSubstr("must fit 64 signed bits"));
}

TEST(JsonTest, ReaderNamesUnknownKeysTypesAndRanges) {
  const Json json = Json::Parse(R"({"a": 7, "b": {"c": true, "zz": 1}})", "f");
  JsonReader top(json, "f");
  EXPECT_EQ(top.Int("a", 0, 7), 7);
  EXPECT_EQ(ErrorOf([&] { top.Int("a", 0, 6); }), "f: a = 7: must be an integer in [0, 6]");
  JsonReader inner = top.Object("b");
  EXPECT_TRUE(inner.Bool("c"));
  EXPECT_EQ(ErrorOf([&] { inner.Finish(); }), "f: b.zz: unknown key; known here: c");
  EXPECT_EQ(ErrorOf([&] { top.String("q"); }), "f: q: is missing");
}

TEST(JsonTest, RoundTrips) {
  const std::string text = R"({"b":[1,-2,2.5,"x\n",null,false],"a":{}})";
  EXPECT_EQ(Json::Parse(text, "f").Dump(-1), text);
}

TEST(HashTest, MatchesThePublishedFnv1aVector) {
  const uint8_t foobar[] = {'f', 'o', 'o', 'b', 'a', 'r'};
  EXPECT_EQ(Hasher().Bytes(foobar).value(), 0x85944171f73967e8ull);
}

class FileTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) const { return folder_ / name; }
  int64_t Entries() const {
    return std::distance(std::filesystem::directory_iterator(folder_),
                         std::filesystem::directory_iterator());
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / StrCat("file_test.", getpid());
};

TEST_F(FileTest, ATextGoesWithoutItsByteOrderMark) {
  WriteFileAtomically(Path("file"), std::string_view("\xEF\xBB\xBFtext\xEF\xBB\xBF"));
  EXPECT_EQ(ReadTextFile(Path("file")), "text\xEF\xBB\xBF");
  EXPECT_EQ(ReadFile(Path("file")).size(), 10u);
}

TEST_F(FileTest, AWriteKeepsLinksAndPermissions) {
  WriteFileAtomically(Path("file"), std::string_view("old"));
  chmod(Path("file").c_str(), 0600);
  std::filesystem::create_symlink("file", Path("link"));
  WriteFileAtomically(Path("link"), std::string_view("new"));
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
  EXPECT_EQ(ReadTextFile(Path("file")), "new");
  struct stat status {};
  stat(Path("file").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(Entries(), 2);
}

TEST_F(FileTest, APipeIsWrittenAndNotReplaced) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = ReadTextFile(Path("pipe")); });
  WriteFileAtomically(Path("pipe"), std::string_view("bytes"));
  reader.join();
  EXPECT_EQ(got, "bytes");
  EXPECT_TRUE(std::filesystem::is_fifo(Path("pipe")));
}

TEST_F(FileTest, RefusalsNameThePathAndLeaveNothing) {
  EXPECT_EQ(ErrorOf([&] { WriteFileAtomically("", std::string_view("x")); }),
            "file name = \"\": must not be empty");
  EXPECT_EQ(ErrorOf([&] { ReadFile(""); }), "file name = \"\": must not be empty");
  EXPECT_EQ(ErrorOf([&] { WriteFileAtomically(Path(""), std::string_view("x")); }),
            Path("") + ": cannot write: Is a directory");
  EXPECT_EQ(ErrorOf([&] { RequireWritable(Path("none/file")); }),
            Path("none/file") + ": cannot write: No such file or directory");
  std::filesystem::create_directory(Path("folder"));
  EXPECT_EQ(ErrorOf([&] { ReadFile(Path("folder")); }),
            Path("folder") + ": cannot read: is a directory");
  EXPECT_EQ(ErrorOf([&] { WriteFileAtomically("/dev/full", std::string_view("x")); }),
            "/dev/full: cannot write: No space left on device");
  EXPECT_EQ(Entries(), 1);
}

TEST_F(FileTest, AFileThatIsTooLargeIsNotRead) {
  WriteFileAtomically(Path("large"), std::string_view("four"));
  EXPECT_EQ(ReadTextFile(Path("large"), 4), "four");
  EXPECT_EQ(ErrorOf([&] { ReadFile(Path("large"), 3); }),
            Path("large") + ": size: must be at most 3 bytes");
}

TEST_F(FileTest, AnEndlessFileIsReadToTheLimit) {
  EXPECT_EQ(ErrorOf([] { ReadFile("/dev/zero", 100000); }),
            "/dev/zero: size: must be at most 100000 bytes where it is no regular file");
  EXPECT_EQ(ErrorOf([] { ReadTextFile("/dev/zero"); }),
            StrCat("/dev/zero: size: must be at most ", kMostStreamBytes,
                   " bytes where it is no regular file"));
}

TEST_F(FileTest, ZerosTakeNoRoom) {
  std::vector<uint8_t> bytes(10'000'000);
  for (size_t used : {size_t{0}, size_t{65'535}, size_t{65'536}, size_t{5'000'000}})
    bytes[used] = 7;
  for (size_t end : {bytes.size(), size_t{5'000'001}, size_t{1}, size_t{0}}) {
    WriteFileAtomically(Path("file"), std::span(bytes).first(end));
    EXPECT_TRUE(std::ranges::equal(ReadFile(Path("file")), std::span(bytes).first(end))) << end;
    struct stat status {};
    ASSERT_EQ(stat(Path("file").c_str(), &status), 0);
    EXPECT_LE(status.st_blocks * 512, 1'000'000) << end;
  }
}

TEST_F(FileTest, AWriteFollowsLinksThatLeadNowhereYet) {
  std::filesystem::create_symlink("second", Path("first"));
  std::filesystem::create_symlink(Path("file"), Path("second"));
  EXPECT_EQ(LinkTarget(Path("first")), Path("file"));
  WriteFileAtomically(Path("first"), std::string_view("new"));
  EXPECT_TRUE(std::filesystem::is_symlink(Path("first")));
  EXPECT_TRUE(std::filesystem::is_symlink(Path("second")));
  EXPECT_EQ(ReadTextFile(Path("file")), "new");
  EXPECT_EQ(Entries(), 3);

  std::filesystem::create_symlink("none/file", Path("away"));
  EXPECT_EQ(ErrorOf([&] { WriteFileAtomically(Path("away"), std::string_view("x")); }),
            Path("away") + ": cannot write: No such file or directory");
  std::filesystem::create_symlink("loop", Path("loop"));
  EXPECT_EQ(ErrorOf([&] { WriteFileAtomically(Path("loop"), std::string_view("x")); }),
            Path("loop") + ": cannot write: Too many levels of symbolic links");
  EXPECT_TRUE(std::filesystem::is_symlink(Path("loop")));
}

// What a process that owns a temporary file and a temporary folder leaves when a signal ends it.
TEST_F(FileTest, TemporariesGoWithEverySignalThatCanBeCaught) {
  for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ}) {
    EXPECT_EXIT(
        {
          std::signal(signal, SIG_DFL);  // whoever runs the tests may ignore it
          const Temporary file(Path("file"));
          const Temporary folder(Path("folder"));
          WriteFileAtomically(file.path(), std::string_view("x"));
          std::filesystem::create_directory(folder.path());
          WriteFileAtomically(folder.path() + "/inner", std::string_view("x"));
          std::raise(signal);
        },
        testing::KilledBySignal(signal), "");
    EXPECT_EQ(Entries(), 0) << signal;
  }
}

TEST_F(FileTest, AWriteThatIsTooLargeLeavesNothing) {
  const auto limit = [] {
    const rlimit most = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &most);
  };
  EXPECT_EXIT(
      {
        limit();
        std::signal(SIGXFSZ, SIG_DFL);
        WriteFileAtomically(Path("file"), std::string(100000, 'x'));
      },
      testing::KilledBySignal(SIGXFSZ), "");
  EXPECT_EXIT(
      {
        limit();
        std::signal(SIGXFSZ, SIG_IGN);
        const std::string message =
            ErrorOf([&] { WriteFileAtomically(Path("file"), std::string(100000, 'x')); });
        std::exit(message == Path("file") + ": cannot write: File too large" ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EQ(Entries(), 0);
}

TEST_F(FileTest, TemporariesLeaveHandlersAlone) {
  const auto before = std::signal(SIGUSR1, [](int) {});
  std::signal(SIGHUP, SIG_IGN);
  const auto handler = [](int signal) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    return now.sa_handler;
  };
  const auto mine = handler(SIGUSR1);
  {
    const Temporary file(Path("file"));
    EXPECT_EQ(handler(SIGUSR1), mine);
    EXPECT_EQ(handler(SIGHUP), SIG_IGN);
    EXPECT_NE(handler(SIGTERM), SIG_DFL);
  }
  EXPECT_EQ(handler(SIGTERM), SIG_DFL);
  std::signal(SIGUSR1, before);
  std::signal(SIGHUP, SIG_DFL);
}

}  // namespace
}  // namespace vta
