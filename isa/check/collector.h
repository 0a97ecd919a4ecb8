// Gathers findings up to a limit and counts the rest.
#pragma once

#include <utility>

#include "isa/check/check.h"

namespace vta::isa {

class Collector {
 public:
  explicit Collector(Report* report) : report_(report) {}

  void Add(Finding finding) {
    if (std::ssize(report_->findings) < kMostFindings)
      report_->findings.push_back(std::move(finding));
    else
      ++report_->findings_left_out;
  }
  int64_t count() const { return std::ssize(report_->findings) + report_->findings_left_out; }

 private:
  Report* report_;
};

}  // namespace vta::isa
