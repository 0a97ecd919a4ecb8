#include "tools/vta/program/program_image.h"

#include <algorithm>

#include "isa/codec.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"
#include "runtime/proof.h"
#include "tools/shared/usage.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/options.h"

namespace vta::tools {
namespace {

void RefuseRange(const ProgramOptions& options) {
  if (options.address || options.count)
    throw UsageError(options.path, options.address ? "--insn" : "--count", "",
                     "is for flat images; this file says itself where its instructions are");
}

ProgramImage FromImage(isa::Config config, const ProgramOptions& options,
                       std::vector<uint8_t> bytes) {
  ProgramImage out{std::move(config)};
  out.image = std::move(bytes);
  const uint64_t size = out.image.size(), address = options.address.value_or(0);
  if (address % isa::kInstructionBytes != 0)
    throw UsageError(options.path, "--insn", Hex(address),
                     StrCat("must be a multiple of ", isa::kInstructionBytes));
  if (address > size)
    throw Error(options.path, "--insn", Hex(address),
                StrCat("lies after the end of its ", Counted(size, "byte")));
  const auto most = static_cast<int64_t>((size - address) / isa::kInstructionBytes);
  const int64_t count = options.count.value_or(most);
  if (count > most)
    throw Error(options.path, "--count", std::to_string(count),
                StrCat("there is room for ", Counted(most, "instruction"), " between ",
                       Hex(address), " and the end of its ", Counted(size, "byte")));
  out.programs.push_back({"", address, count});
  return out;
}

}  // namespace

void AddProgramOptions(CLI::App& app, ProgramOptions& options) {
  options.load_config = ConfigsBeside(app);
  ReadsFile(
      app.add_option("FILE", options.path,
                     "program text (*.s), a package, or with --insn or --count a flat DRAM image "
                     "(file offset = address)"))
      ->required();
  ReadsConfig(
      app.add_option("-c,--config", options.config,
                     "accelerator variant of an image, or of text that names none (default)"));
  app.add_option("--insn", options.address, "address of an image's first instruction (0)")
      ->check(Unsigned64("a byte address"))
      ->type_name("ADDRESS");
  app.add_option("--count", options.count, "how many instructions; absent: to the image's end")
      ->check(IntegerFrom(0, 1'000'000'000));
}

std::vector<ProgramRange> ProgramImage::Launched(Launches of) const {
  if (of == Launches::kApart) return programs;
  std::vector<ProgramRange> ranges;
  auto launch = launches.begin();
  int64_t next = -1;  // step: those before it share a launch that is there
  for (const ProgramRange& program : programs) {
    if (program.step < next) continue;
    if (launch != launches.end() && package->launches[launch->launch].first == program.step) {
      next = program.step + std::ssize(package->launches[launch->launch].starts);
      ranges.push_back(*launch++);
    } else {
      ranges.push_back(program);
    }
  }
  return ranges;
}

std::vector<isa::Word> ProgramImage::Words(const ProgramRange& program) const {
  if (package)
    return isa::WordsOf(package->ProgramCode(
        package->programs[program.launch >= 0 ? package->launches[program.launch].program
                                              : package->steps[program.step].program]));
  return isa::WordsOf(
      std::span(image).subspan(program.address, program.count * isa::kInstructionBytes));
}

void ProgramImage::WithLaunch(const ProgramRange& program,
                              const std::function<void(const isa::Launch&)>& use) const {
  if (program.launch >= 0)
    return runtime::WithLaunch(*package, package->launches[program.launch], use);
  if (package) return runtime::WithLaunch(*package, package->steps[program.step], use);
  const std::vector<isa::Word> words = Words(program);
  const isa::ImagePart known{0, image};
  isa::Launch launch;
  launch.instructions = words;
  launch.instruction_address = static_cast<int64_t>(program.address);
  launch.memory_bytes = static_cast<int64_t>(image.size());
  launch.image = std::span(&known, 1);
  use(launch);
}

isa::Report ProgramImage::Prove(const ProgramRange& program) const {
  isa::Report report;
  WithLaunch(program, [&](const isa::Launch& launch) { report = isa::Check(config, launch); });
  return report;
}

std::vector<uint8_t> ProgramImage::TakeImage(const std::string& file) && {
  return package ? isa::PackageImage(*package, file) : std::move(image);
}

ProgramImage ImageOfPackage(isa::Package package) {
  ProgramImage out{package.config.value_or(isa::Config())};
  const uint64_t code = isa::PackageCodeAddress(package);
  const auto address = [&](const isa::PackageProgram& program) {
    return code + static_cast<uint64_t>(program.first) * isa::kInstructionBytes;
  };
  for (size_t i = 0; i < package.steps.size(); ++i) {
    const isa::PackageStep& step = package.steps[i];
    if (step.kind != isa::PackageStep::Kind::kProgram) continue;
    const isa::PackageProgram& program = package.programs[step.program];
    out.programs.push_back({step.name, address(program), program.count, static_cast<int64_t>(i)});
  }
  for (size_t i = 0; i < package.launches.size(); ++i) {
    const isa::PackageLaunch& launch = package.launches[i];
    const isa::PackageProgram& program = package.programs[launch.program];
    out.launches.push_back({isa::NameOf(package.StepsOf(launch)), address(program), program.count,
                            -1, static_cast<int64_t>(i)});
  }
  out.package = std::move(package);
  return out;
}

ProgramImage ImageOfText(const std::string& text, const ProgramOptions& options) {
  const isa::Program program =
      AssembleText(text, options.path, options.config, options.load_config, options.own_config);
  if (program.Find(isa::SectionKind::kManifest))
    return ImageOfPackage(isa::PackageOfProgram(program, options.path));
  ProgramImage out{program.config};
  out.image = program.Image();
  if (const isa::Section* code = program.code())
    out.programs.push_back(
        {"", code->address, static_cast<int64_t>(code->bytes.size()) / isa::kInstructionBytes});
  out.labels = program.labels;
  return out;
}

ProgramImage LoadProgramImage(const ProgramOptions& options) {
  if (options.path.ends_with(".s")) {
    RefuseRange(options);
    return ImageOfText(ReadTextFile(options.path, isa::kMaximumImageBytes), options);
  }
  std::vector<uint8_t> bytes = ReadFile(options.path, isa::kMaximumImageBytes);
  if (isa::IsPackage(bytes)) {
    RefuseRange(options);
    if (options.config)
      throw UsageError(options.path, "--config", *options.config, "a package holds its own config");
    return ImageOfPackage(isa::ParsePackage(bytes, options.path));
  }
  if (options.address || options.count)
    return FromImage(
        options.own_config ? *options.own_config : FindConfig(options.config.value_or("default")),
        options, std::move(bytes));
  throw Error(options.path, "", "",
              "is neither program text (*.s) nor a package; of a flat image say where its "
              "instructions lie: --insn ADDRESS");
}

ProgramImage LoadRawImage(const isa::Config& config, const RawLaunch& launch) {
  const ProgramOptions options{launch.image, {}, launch.address, launch.count};
  ProgramImage out = FromImage(config, options, ReadFile(launch.image, isa::kMaximumImageBytes));
  out.programs[0].name = launch.name;
  return out;
}

isa::Program AssembleText(const std::string& text, const std::string& file,
                          const std::optional<std::string>& config,
                          const isa::ConfigLoader& load_config,
                          const std::optional<isa::Config>& own) {
  if (isa::IsPackage({reinterpret_cast<const uint8_t*>(text.data()), text.size()}))
    throw Error(file, "", "", "is a package, not program text; vta dis prints it as text");
  const auto refuse = [&](const std::string& what) {
    if (config)
      throw Error(file, "--config", *config, StrCat("the text names its own config: ", what));
  };
  const isa::Program program = isa::Assemble(
      text, file, own ? *own : FindConfig(config.value_or("default")), [&](const auto& name) {
        refuse(name);
        return load_config ? load_config(name) : FindConfig(name);
      });
  if (program.Find(isa::SectionKind::kManifest)) refuse(program.config.name);
  return program;
}

std::string InstructionsText(const ProgramImage& programs, const ProgramRange& program,
                             const std::set<int64_t>& indices) {
  if (indices.empty()) return "";
  std::string text;
  const isa::Layout layout(programs.config);
  const std::vector<isa::Word> words = programs.Words(program);
  for (int64_t index : indices)
    text += StrCat(index, ": ", isa::Disassemble(layout, words[index]), "\n");
  return text;
}

std::string VerdictText(const ProgramImage& programs, const ProgramRange& program,
                        const isa::Report& report) {
  std::set<int64_t> named;
  for (const isa::Finding& finding : report.findings)
    for (int64_t index : {finding.instruction, finding.other})
      if (index >= 0) named.insert(index);
  return isa::ReportToText(report) + InstructionsText(programs, program, named);
}

}  // namespace vta::tools
