"""Plants one bug after the other in the RTL, at least one in each module, and says what lockstep fuzzing finds.

usage: mutants.py RTL_FUZZ [-j JOBS] [FILE.sv...]

Each mutant is a copy of the design with a Verilator model of its own (a few seconds of CPU); RTL_FUZZ runs it until
something differs. Ends with 1 when a bug is missed, when a module has none, or when one cannot be built.
"""

import argparse
import concurrent.futures
import fcntl
import itertools
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIGS = ROOT / "tests/rtl/configs"
CONFIG = "extended_8x8.json"
PROGRAMS = "12000"

# File below hw/rtl, text that occurs once, what it becomes; the config, where CONFIG has not that module or meets it
# seldom: tiny_4x4 has queues of one token, one read port and one outstanding burst.
MUTANTS = [
    ("common/vta_reset.sv", "ended_q <= rising_q;", "ended_q <= 1'b0;"),
    ("common/vta_ram.sv", "if (read_i) data_q", "data_q"),
    ("common/vta_fifo.sv", "if (read) read_q <= read_q + 1'b1;", "if (read && !store) read_q <= read_q + 1'b1;"),
    ("common/vta_queue.sv", "next = mem[read_q];", "next = mem[read_q & IndexBits'(1)];"),
    ("vta_tokens.sv", "count != 16'(vta_pkg::TokenCapacity - 1)", "count != 16'(vta_pkg::TokenCapacity)"),
    ("vta_decode.sv", "if (!vta_pkg::AluOpExists[alu_opcode] ||", "if ("),
    ("vta_bursts.sv", "step_q <= AddressBits'(stride_q);", "step_q <= AddressBits'(stride_q[11:0]);"),
    ("vta_cut.sv", "assign last = blocks_q == '0;", "assign last = blocks_q[EndBits-LogBurst-1:1] == '0;"),
    ("vta_offset.sv", "in_q <= in_sum;", "in_q <= {1'b0, in_sum[Bits-1:0]};"),
    ("vta_multiplier.sv", "one ? {a_i[7], a_i}", "one ? {1'b0, a_i}"),
    ("vta_mac_lane.sv", "g_product[First+3].product_q)", "32'(g_product[First+3].product_q[15:0]))"),
    ("vta_mac_excess.sv", "total << 7", "total << 6", "batch2_8x32.json"),
    ("vta_mac_pair.sv", "(2*Half)'(1 << (Half - 1)) +", "(2*Half)'(0) +", "batch2_8x32.json"),
    ("vta_mac.sv", ".wgt_i(wgt_i[k*RowBits +: RowBits])", ".wgt_i(wgt_i[(k^1)*RowBits +: RowBits])"),
    ("vta_alu.sv", "other_o = far ? {32{fill}}", "other_o = far && left ? {32{fill}}"),
    ("vta_alu_long.sv", "{33{below_q && product[63]}}", "{33{1'b0}}"),
    ("vta_tile.sv", "outside_q <= row_q + 17'd1 == depth_q;", "outside_q <= row_q == depth_q;"),
    ("vta_padded.sv", "has_before_q <= before_i != '0;", "has_before_q <= 1'b0;"),
    ("vta_padded.sv", "next_left = 16'(after_q);", "next_left = 16'(before_q);"),
    ("vta_uop_memory.sv", "next_offset = row_offset_q + stride_q;", "next_offset = row_offset_q;"),
    ("vta_loop.sv", "outside2_q || dst_outside", "dst_outside"),
    ("vta_loop.sv", "i_q <= i_last_q ? iter_in_q", "i_q <= i_last_q ? 14'd1"),
    ("vta_execute.sv", "row_a = dst_new_q ? write_data :", "row_a ="),
    ("vta_execute.sv", "a_q <= s4_q.overwrite ? '0 : row_a;", "a_q <= row_a;"),
    ("vta_execute.sv", "result_row == s4_q.dst && !s4_q.overwrite;", "result_row == s4_q.dst;"),
    ("vta_execute.sv", "src_back_q ? back_data_q :", ""),
    ("vta_execute.sv", "a = dst_forward_q ? write_data : a_q", "a = a_q"),
    ("vta_execute.sv", "b = src_forward_q ? write_data : b_q", "b = b_q"),
    ("vta_execute.sv", "for (int i = 0; i < Long; i++) begin", "for (int i = 0; i < Long - 1; i++) begin"),
    ("vta_execute.sv", "i > 0 && meets_q[i > 0 ? i : 1]", "1'b0"),
    ("vta_execute.sv", "go_block = block_count_q != 2'd0 || !busy_long;", "go_block = 1'b1;"),
    ("vta_load.sv", "select_q ? pad_q : 8'd0", "pad_q"),
    ("vta_compute.sv", "fault_q <= next_fault_code;", "fault_q <= vta_pkg::FAULT_ILLEGAL_OPCODE;"),
    ("vta_compute.sv", "prev_done_q <= prev_done_q || push_prev;", "prev_done_q <= 1'b0;"),
    ("vta_compute.sv", "(space_next_i && !(drain_q && drain_next_q))", "1'b1", "batch2_8x32.json"),
    ("vta_execute.sv", "go_main && last_i && !outside_i && !long_q", "go_main && !outside_i && !long_q"),
    ("vta_frontend.sv", "(free_next_q[0] && !use_next)", "free_next_q[0]"),
    ("vta_store.sv", ".idle_i, .ready_o(unused_ready)", ".idle_i(1'b1), .ready_o(unused_ready)"),
    ("vta_fetch.sv", "3'b001 << target", "3'b001 << (target & 2'd1)"),
    ("vta_fetch.sv", "(run_q && head_valid_q && head_error_q) begin", "(run_q && head_valid_q && head_error_q && index_q[0]) begin"),
    ("vta_read_buffer.sv", "(grant_i ? 2 * Burst : Burst)", "Burst"),
    ("vta_read.sv", "assign free = !ar_valid_q || ar_ready_i;", "assign free = 1'b1;"),
    ("vta_write.sv", "beat_q <= last ? 8'd0 : beat_q + 8'd1", "beat_q <= beat_q + 8'd1"),
    ("vta_control.sv", "still_i && bus_idle_i;", "bus_idle_i;"),
    ("vta_regs.sv", "bases_q[32*word + 8*i +: 8] <= w_data_q[8*i +: 8];", "bases_q[32*word + 8*i +: 8] <= i == 0 ? 8'd0 : w_data_q[8*i +: 8];"),
    ("vta_regs.sv", "if (w_strb_q[i]) begin", "if (w_strb_q[i] && i != 3) begin"),
    ("vta_ip.v", "m_axi_gmem_awaddr[63:48] = 16'd0", "m_axi_gmem_awaddr[63:48] = 16'd1"),
    ("vta_ip.v", "m_axi_gmem_arsize = Size[2:0]", "m_axi_gmem_arsize = 3'd2"),
    ("vta_ip.v", "Incrementing = 2'b01", "Incrementing = 2'b00"),
    ("vta_ip.v", "Bufferable = 4'b0011", "Bufferable = 4'b0101"),
    ("vta_ip.v", "m_axi_gmem_arlock = 1'b0", "m_axi_gmem_arlock = 1'b1"),
    ("vta_regs.sv", "if (s_b_ready_i) b_valid_q <= 1'b0;", "b_valid_q <= 1'b0;\n      if (s_b_ready_i && !write) b_valid_q <= 1'b1;"),
    ("vta_regs.sv", "assign s_aw_ready_o = awake_q &&", "assign s_aw_ready_o ="),
    ("vta_counters.sv", "if (clear_i) count_q", "if (clear_i && i > 20) count_q"),
    # Rare meetings: a fault, a reset or a full queue while something else is under way.
    ("vta_frontend.sv", "head_valid_q && !halted_i && !stop_q && !valid_o", "head_valid_q && !stop_q && !valid_o", "tiny_4x4.json"),
    ("vta_frontend.sv", "(free_prev_q[0] && !use_prev)", "free_prev_q[0]"),
    ("vta_frontend.sv", "if (clear_i) begin\n      head_valid_q <= 1'b0;", "if (clear_i) begin"),
    ("vta_frontend.sv", "free_next_q <= '0;\n      some_prev_q", "some_prev_q"),
    ("vta_frontend.sv", "insn_i[vta_pkg::LoadPopNextLsb] && fault == vta_pkg::FAULT_NONE", "insn_i[vta_pkg::LoadPopNextLsb]"),
    ("vta_frontend.sv", "!valid_o && !far_busy_i && !walking &&", "!valid_o && !walking &&", "tiny_4x4.json"),
    ("vta_store.sv", ".clear_i(clear_i || error_i)", ".clear_i(clear_i)"),
    ("vta_store.sv", "assign waits = !run_q && !halted_q && head_valid_q && lacks;", "assign waits = 1'b0;"),
    ("vta_store.sv", "if (start) lane_q <= '0;", "", "batch2_8x32.json"),
    ("vta_store.sv", "error_i || cut);", "error_i);"),
    ("vta_load.sv", "if (tile_start) begin\n      type_q", "if (start) begin\n      type_q"),
    ("vta_load.sv", "(tile_ending && (!insn_q[vta_pkg::LoadPushNextLsb] || space_i))", "tile_ending", "tiny_4x4.json"),
    ("vta_load.sv", "complete && (!insn_q[vta_pkg::LoadPushNextLsb] || space_i)", "complete", "tiny_4x4.json"),
    ("vta_fetch.sv", "if (clear_i) low_valid_q <= 1'b0;\n      else if (beat_valid_i", "if (beat_valid_i"),
    ("vta_fetch.sv", "if (start_i) lane_q <= first_i[LogBeat-1:4];", "if (start_i) lane_q <= '0;", "plain_32x32.json"),
    ("vta_fetch.sv", "still_o = !run_q || waits;", "still_o = !run_q;"),
    ("vta_commands.sv", "held == CountBits'(Depth - 1)", "held == CountBits'(Depth)", "queues_2.json"),
    ("vta_commands.sv", "if (push_i && !start_i) full_q", "if (push_i) full_q", "queues_2.json"),
    ("vta_commands.sv", "clear_i || halted_i", "clear_i", "queues_2.json"),
    ("vta_tile.sv", "refused = !pad && beat_valid_i", "refused = beat_valid_i"),
    ("vta_tile.sv", "lane_q <= '0;\n      row_q", "row_q"),
    ("vta_tile.sv", "if (clear_i) begin\n      busy_q <= 1'b0;", "if (clear_i) begin"),
    ("vta_uop_memory.sv", "fault_q <= outside_q || step ?", "fault_q <= outside_q ?"),
    ("vta_uop_memory.sv", "5'(ahead) < fits)", "5'(ahead) < count_q)"),
    ("vta_uop_memory.sv", "if (clear_i) begin\n      busy_q <= 1'b0;", "if (clear_i) begin"),
    ("vta_read_buffer.sv", "if (clear_i) begin\n      free_q <= CountBits'(Beats);", "if (clear_i) begin"),
    ("vta_read_buffer.sv", "slot_q <= grant_i ? slots > 8'd1 :", "slot_q <="),
    ("common/vta_fifo.sv", "read_valid_q <= 1'b0;\n      valid_q <= 1'b0;\n", "read_valid_q <= 1'b0;\n"),
    ("vta_write.sv", "(data_valid_i || discard_i)", "data_valid_i"),
    ("vta_write.sv", "w_strobe_q <= !discard_i;", "w_strobe_q <= 1'b1;"),
    ("vta_write.sv", "&& !answer_full && !data_full", "&& !data_full"),
    ("vta_write.sv", "if (clear_error_i) error_q <= 1'b0;\n      else if", "if"),
    ("vta_bursts.sv", "none_q <= limit_q == '0;", "none_q <= 1'b0;"),
    ("vta_cut.sv", "(last && !full)", "!full"),
    ("vta_bursts.sv", "(cut_busy || !idle_i)", "cut_busy"),
    ("vta_control.sv", "clear_q <= state == CLEAR || state == RESET;", "clear_q <= state == CLEAR;"),
    ("vta_loop.sv", "active_q && !hold", "active_q && ready_i"),
    ("vta_loop.sv", "assign hold = valid3_q && !ready_i;", "assign hold = !ready_i;"),
    ("vta_execute.sv", "if (!valid_i || go_main) block_ok_q <= valid_i && next_src_i == src_i;", "if (go_main) block_ok_q <= next_src_i == src_i;"),
    ("vta_execute.sv", "recent[Long:1] != '0", "recent[Long:2] != '0"),
    ("vta_execute.sv", "else if (go_main) early_q <= 1'b0;", "", "tiny_4x4.json"),
    ("vta_compute.sv", "(!drain_q || drain_done) && next_loops", "next_loops"),
    ("vta_compute.sv", "(loop_ending || certain_q) && !start && !complete;", "(loop_ending || certain_q) && !complete;"),
    ("vta_compute.sv", "insn_q[vta_pkg::GemmPushPrevLsb] && !prev_done_q ? vta_pkg", "insn_q[vta_pkg::GemmPushPrevLsb] ? vta_pkg", "tiny_4x4.json"),
    ("vta_compute.sv", "if (clear_i) begin\n      drain_q <= 1'b0;", "if (clear_i) begin"),
    ("vta_bursts.sv", "row_q <= row_q + step_q;", "row_q <= {row_q[47:40], 40'(row_q + step_q)};"),
    ("vta_core.sv", ".barrier_i(load_drained && store_drained", ".barrier_i(load_drained"),
]


def plant(work, path, old, new, *_):
    shutil.rmtree(work, ignore_errors=True)
    for folder in ("hw", "sim/rtl/model"):
        shutil.copytree(ROOT / folder, work / folder)
    file = work / "hw/rtl" / path
    file.write_text(file.read_text().replace(old, new))


def try_mutant(fuzz, folders, mutant):
    """What came of it (found, MISSED or BROKEN), in words, and seconds."""
    begin = time.monotonic()
    work = folders.get()
    plant(work, *mutant)
    environment = dict(os.environ, VTA_HOME=str(work), VTA_CACHE_DIR=str(work / "cache"))
    config = CONFIGS / (mutant[3] if len(mutant) > 3 else CONFIG)
    command = [fuzz, "--quick", "--programs", PROGRAMS, config]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    shutil.rmtree(work)
    folders.put(work)
    seconds = time.monotonic() - begin
    if done.returncode == 0:
        return "MISSED", f"{PROGRAMS} programs without a difference", seconds
    if re.search("build failed|is not installed|cannot be built", done.stdout + done.stderr):
        return "BROKEN", done.stdout + done.stderr, seconds
    seed = re.search(r"seed (\d+)[^:]*:\n?\s*(.*)", done.stdout)
    said = f"program {seed[1]}: {seed[2]}" if seed else (done.stdout + done.stderr).strip().partition("\n")[0] or f"ended with {done.returncode}"
    return "found", said[:120], seconds


def lock_folder():
    """The lock of a folder that no other run uses."""
    for number in itertools.count():
        lock = open(pathlib.Path(tempfile.gettempdir()) / f"vta-mutant-{os.getuid()}-{number}.lock", "w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except BlockingIOError:
            lock.close()


def check_table():
    """Each module has a bug, and each bug its place."""
    problems = []
    for path in (ROOT / "hw/vta.f").read_text().splitlines():
        if path.startswith("rtl/") and path.removeprefix("rtl/") not in {mutant[0] for mutant in MUTANTS}:
            problems.append(f"{path}: no bug is planted in it")
    for path, old, *_ in MUTANTS:
        count = (ROOT / "hw/rtl" / path).read_text().count(old)
        if count != 1:
            problems.append(f"{path}: '{old}' occurs {count} times, must occur once")
    if problems:
        sys.exit("\n".join(problems))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fuzz", type=pathlib.Path, metavar="RTL_FUZZ")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("files", nargs="*", metavar="FILE.sv")
    options = parser.parse_args()
    check_table()
    chosen = [mutant for mutant in MUTANTS if not options.files or mutant[0] in options.files]
    counts = {"found": 0, "MISSED": 0, "BROKEN": 0}
    folders = queue.Queue()  # always the same ones, so that the compiler cache finds what no bug touches
    locks = [lock_folder() for _ in range(options.jobs)]
    for lock in locks:
        folders.put(pathlib.Path(lock.name).with_suffix(""))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = pool.map(lambda mutant: try_mutant(options.fuzz.resolve(), folders, mutant), chosen)
        for (path, old, *_), (outcome, said, seconds) in zip(chosen, outcomes):
            counts[outcome] += 1
            print(f"{outcome:6} {path:22} {seconds:4.0f} s  {' '.join(old.split())[:48]:48}  {said}", flush=True)
    print(f"{len(chosen)} bugs in {len({mutant[0] for mutant in chosen})} modules: "
          f"{counts['found']} found, {counts['MISSED']} missed, {counts['BROKEN']} not built")
    return counts["found"] != len(chosen)


sys.exit(main())
