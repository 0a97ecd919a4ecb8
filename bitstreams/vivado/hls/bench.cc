// Test bench of the kernels: the launches of launches.txt, one after the other, in which the
// kernels are called in turns. Outcome, counters of work and the whole memory must be what the
// golden model left. Ends with 0 where they are.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "hls/vta.h"

namespace {

const uint32_t kMostTurns = 1 << 20;
const int kWords = kBenchBytes / 8;

uint64_t memory[kWords], expected[kWords];
int8_t inp[VTA_INP_DEPTH][VTA_INP_ROW], wgt[VTA_WGT_DEPTH][VTA_WGT_ROW],
    out[VTA_ACC_DEPTH][VTA_ACC_ROW];
vta_orders fetch_orders, load_orders, compute_orders, store_orders;
vta_commands load_commands, compute_commands, store_commands;
vta_tokens load_command_space, compute_command_space, store_command_space;
vta_tokens load_compute, compute_load, compute_store, store_compute;
vta_tokens load_compute_space, compute_load_space, compute_store_space, store_compute_space;
vta_fetch_state fetch;
vta_state load, compute, store;
vta_result result;

bool Run(uint32_t number, const vta_launch& launch) {
  vta_beat* const beats = reinterpret_cast<vta_beat*>(memory);
  for (uint32_t turn = 0; turn < kMostTurns; ++turn) {
    vta_fetch(fetch_orders, reinterpret_cast<const vta_word*>(memory), load_commands,
              compute_commands, store_commands, load_command_space, compute_command_space,
              store_command_space, fetch);
    vta_load(load_orders, beats, load_commands, load_command_space, compute_load,
             compute_load_space, load_compute, load_compute_space, inp, wgt, load);
    vta_compute(compute_orders, beats, compute_commands, compute_command_space, load_compute,
                load_compute_space, store_compute, store_compute_space, compute_load,
                compute_load_space, compute_store, compute_store_space, inp, wgt, out, compute);
    vta_store(store_orders, beats, store_commands, store_command_space, compute_store,
              compute_store_space, store_compute, store_compute_space, out, store);
    vta_monitor(number, 0, launch, fetch_orders, load_orders, compute_orders, store_orders, fetch,
                load, compute, store, result);
    if (result.done == number) return true;
  }
  return false;
}

bool ReadWord(FILE* file, uint64_t& value) {
  unsigned long long read;
  if (fscanf(file, "%llx", &read) != 1) return false;
  value = read;
  return true;
}

bool ReadWords(FILE* file, uint64_t* words, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i)
    if (!ReadWord(file, words[i])) return false;
  memset(words + count, 0, (kWords - count) * sizeof *words);
  return true;
}

int Compare(const char* what, uint64_t at, uint64_t want, uint64_t have) {
  if (want == have) return 0;
  printf("  %s %llu: must be %llx, is %llx\n", what, (unsigned long long)at,
         (unsigned long long)want, (unsigned long long)have);
  return 1;
}

/// Returns what is wrong, at most so many differences, or -1 where the file has no more.
int RunNext(FILE* file, uint32_t number) {
  char name[64];
  uint64_t outcome, words, counters[VTA_COUNTERS];
  vta_launch launch = vta_launch();
  uint64_t count;
  if (fscanf(file, "%63s", name) != 1) return -1;
  bool read = ReadWord(file, launch.instructions) && ReadWord(file, count) &&
              ReadWord(file, outcome) && ReadWord(file, words);
  for (int i = 0; read && i < VTA_COUNTERS; ++i) read = ReadWord(file, counters[i]);
  if (!read || words > kWords || !ReadWords(file, memory, words) ||
      !ReadWords(file, expected, words)) {
    printf("launches.txt: cannot be read at launch %s\n", name);
    return 1;
  }
  launch.count = uint32_t(count);
  launch.limit = kBenchBytes;
  if (!Run(number, launch)) {
    printf("%s: does not end\n", name);
    return 1;
  }
  int wrong = Compare("outcome", 0, outcome, result.outcome);
  for (int i = 0; i < VTA_COUNTERS; ++i)
    wrong += Compare("counter", i, counters[i], result.counter[i]);
  for (int i = 0; i < kWords && wrong < 10; ++i)
    wrong += Compare("memory, 8-byte word", i, expected[i], memory[i]);
  printf("%s: %s\n", name, wrong ? "differs" : "as the golden model");
  return wrong;
}

}  // namespace

int main() {
  FILE* const file = fopen("launches.txt", "r");
  if (!file) {
    printf("launches.txt: cannot be opened\n");
    return 1;
  }
  int wrong = 0, launches = 0;
  for (int more = 0; more >= 0; ++launches) {
    more = RunNext(file, launches + 1);
    if (more > 0) wrong = 1;
  }
  fclose(file);
  if (launches < 2) printf("launches.txt: has no launch\n");
  return launches < 2 ? 1 : wrong;
}
