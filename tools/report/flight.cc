#include "tools/report/flight.h"

#include "tools/shared/trials.h"

namespace vta::tools {
namespace {

Json FlightJson(const RunReport& report, const FlightReport& flight) {
  const runtime::Throughput& t = flight.throughput;
  Json json = Json()
                  .Set("in_flight", t.in_flight)
                  .Set("latency_ms", Milliseconds(t.alone))
                  .Set("latency_in_flight_ms", Milliseconds(t.latency))
                  .Set("throughput_fps", static_cast<double>(report.batch) * t.per_second())
                  .Set("time", flight.clock.Text());
  if (flight.runs == 0)
    json.Set("accelerator_busy", t.device_busy).Set("host_busy", t.host_busy);
  else
    json.Set("runs", flight.runs);
  return json;
}

}  // namespace

std::string FlightText(const RunReport& report) {
  std::string text;
  if (report.modelled)
    text += ModelledText(report.modelled->throughput, report.modelled->clock, report.batch);
  if (report.measured)
    text += MeasuredText(report.measured->throughput, report.measured->clock, report.measured->runs,
                         report.batch);
  if (report.timing) text += TimingText(*report.timing);
  return text;
}

void AddFlight(const RunReport& report, Json& json) {
  if (report.modelled) json.Set("modelled", FlightJson(report, *report.modelled));
  if (report.measured) json.Set("measured", FlightJson(report, *report.measured));
  if (!report.timing) return;
  Json::Array results;
  for (const double ns : report.timing->results) results.emplace_back(ns / 1e6);
  json.Set("timing", Json()
                         .Set("mean_ms", report.timing->mean() / 1e6)
                         .Set("deviation_ms", report.timing->deviation() / 1e6)
                         .Set("number", report.timing->number)
                         .Set("results_ms", std::move(results))
                         .Set("time", report.timing->clock.Text()));
}

}  // namespace vta::tools
