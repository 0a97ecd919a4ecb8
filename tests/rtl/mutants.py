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
BANKS = "banks_8x8.json"
PROGRAMS = "12000"

# File below hw/rtl, text that occurs once, what it becomes; the config, where CONFIG has not that module or meets it
# seldom: tiny_4x4 has queues of one token, one read port and one outstanding burst.
MUTANTS = [
    ("common/vta_reset.sv", "ended_q <= rising_q;", "ended_q <= 1'b0;"),
    ("common/vta_copy.sv", "data_q <= data_i;", "data_q <= data_i & ~Width'(1);"),
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
    ("vta_loop.sv", "prepare_i && !active_q", "prepare_i"),
    ("vta_execute.sv", "row_a = dst_new_q ? write_data :", "row_a ="),
    ("vta_execute.sv", "a_q <= s4_q.overwrite ? '0 : row_a;", "a_q <= row_a;"),
    ("vta_execute.sv", "result_row == s4_q.dst && !s4_q.overwrite;", "result_row == s4_q.dst;"),
    ("vta_execute.sv", "src_back_q ? back_data_q :", ""),
    ("vta_execute.sv", "dst_forward_q[Copies == 1 ? 0 : l] ? write_data[l*32 +: 32] : a_q", "a_q"),
    ("vta_execute.sv", "src_forward_q[Copies == 1 ? 0 : l] ? write_data[l*32 +: 32] : b_q", "b_q"),
    ("vta_execute.sv", "for (int i = 0; i < Long; i++) begin", "for (int i = 0; i < Long - 1; i++) begin"),
    ("vta_execute.sv", "i > 0 && meets_q[i > 0 ? i : 1]", "1'b0"),
    ("vta_execute.sv", "go_block = block_count_q != 2'd0 || !busy_long;", "go_block = 1'b1;"),
    ("vta_load.sv", "select_q ? pad_q : 8'd0", "pad_q"),
    ("vta_compute.sv", "fault_q <= next_fault_code;", "fault_q <= vta_pkg::FAULT_ILLEGAL_OPCODE;"),
    ("vta_compute.sv", "prev_done_q <= prev_done_q || push_prev;", "prev_done_q <= 1'b0;"),
    ("vta_compute.sv", "(space_next_i && !older_next)", "1'b1", "batch2_8x32.json"),
    ("vta_execute.sv", "valid_i && last_i && !outside_i && !long_q", "valid_i && !outside_i && !long_q"),
    ("vta_execute.sv", "!long_q && !wait_i && !(OnePort", "!long_q && !(OnePort", BANKS),
    ("vta_frontend.sv", "(free_next_q[0] && !use_next)", "free_next_q[0]"),
    ("vta_store.sv", ".idle_i, .ready_o(unused_ready)", ".idle_i(1'b1), .ready_o(unused_ready)"),
    ("vta_fetch.sv", "3'b001 << target", "3'b001 << (target & 2'd1)"),
    ("vta_fetch.sv", "(run_q && head_valid_q && head_error_q) begin", "(run_q && head_valid_q && head_error_q && index_q[0]) begin"),
    ("vta_read_buffer.sv", "(grant_i ? 2 * Burst : Burst)", "Burst"),
    ("vta_read.sv", "assign free = !ar_valid_q || ar_ready_i;", "assign free = 1'b1;"),
    ("vta_write.sv", "beat_q <= last ? 8'd0 : beat_q + 8'd1", "beat_q <= beat_q + 8'd1"),
    ("vta_control.sv", "!launch_q && still_i;", "!launch_q;"),
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
    ("vta_compute.sv", "certain && next_loops && next_free && (", "certain && next_loops && (", BANKS),
    ("vta_compute.sv", "certain_q <= certain && !start && !worked;", "certain_q <= certain && !worked;"),
    ("vta_compute.sv", "insn_q[vta_pkg::GemmPushPrevLsb] && !prev_done_q) ?", "insn_q[vta_pkg::GemmPushPrevLsb]) ?", "tiny_4x4.json"),
    ("vta_bursts.sv", "row_q <= row_q + step_q;", "row_q <= {row_q[47:40], 40'(row_q + step_q)};"),
    ("vta_core.sv", ".barrier_i(load_drained && store_drained", ".barrier_i(load_drained"),
    # Two accumulator banks. The rule of the bank:
    ("vta_compute.sv", "locked_q <= {!known || bank, !known || !bank};", "locked_q <= '0;", BANKS),
    ("vta_compute.sv", "{!known || bank, !known || !bank}", "{!known || !bank, !known || bank}", BANKS),
    ("vta_compute.sv", "{!known || bank, !known || !bank}", "{bank, !bank}", BANKS),
    ("vta_compute.sv", "lock_bank_q <= bank;", "lock_bank_q <= !bank;", BANKS),
    ("vta_compute.sv", "if (overtakes && unit_q && !worked) locked_q", "if (overtakes && unit_q && !worked && !done[1]) locked_q", BANKS),
    ("vta_compute.sv", "{2{Two && older_runs[1]}}", "{2{1'b0}}", BANKS),
    ("vta_compute.sv", "older_runs[1]}} & {lock_bank_q, !lock_bank_q}", "older_runs[1]}} & {!lock_bank_q, lock_bank_q}", BANKS),
    ("vta_tile.sv", "step = busy_q && !outside_q && !hold_i &&", "step = busy_q && !outside_q &&", BANKS),
    ("vta_tile.sv", "assign beat_ready_o = busy_q && !outside_q && !hold_i && !pad;", "assign beat_ready_o = busy_q && !outside_q && !pad;", BANKS),
    ("vta_unit.sv", "locked_i[dst[vta_pkg::AccIndexBits-1]]", "locked_i[0]", BANKS),
    ("vta_execute.sv", "hazard || wait_i", "hazard", BANKS),
    # The hand-over to a GEMM of the same bank:
    ("vta_execute.sv", "main_q[2] && s3_q.last && !s3_q.long_op", "main_q[1] && s2_q.last && !s2_q.long_op", BANKS),
    ("vta_execute.sv", "long_main[Long-2] && long_last[Long-2]", "long_main[Long-3] && long_last[Long-3]", BANKS),
    ("vta_execute.sv", "main_q[2] && s3_q.last && !s3_q.long_op", "main_q[2] && s3_q.last", BANKS),
    # What is held:
    ("vta_compute.sv", "assign complete = (worked && !older) ||", "assign complete = worked ||", BANKS),
    ("vta_compute.sv", "assign ends = worked && !older && has_space;", "assign ends = worked && has_space;", BANKS),
    ("vta_compute.sv", "(space_prev_i && !older_prev)", "space_prev_i", "queues_2.json"),
    ("vta_compute.sv", "(space_next_i && !older_next)", "space_next_i", "queues_2.json"),
    ("vta_compute.sv", "!older_full;\n", "1'b1;\n", BANKS),
    ("vta_older.sv", "valid_q[0] && ended[0]", "valid_q[0] && ended != '0", BANKS),
    ("vta_compute.sv", "|| (older_retires && older_push_prev)", "", BANKS),
    ("vta_older.sv", "ended_q[i] <= ended_i;", "ended_q[i] <= 1'b0;", BANKS),
    ("vta_older.sv", "ended_q[i] <= ended[retires_o && i + 1 < Depth ? i + 1 : i];", "", BANKS),
    ("vta_older.sv", "unit_q[i] <= unit_i;", "unit_q[i] <= !unit_i;", BANKS),
    ("vta_older.sv", "next_q[i] <= next_q[i + 1 < Depth ? i + 1 : i];", "", BANKS),
    ("vta_compute.sv", "(!next_loops || next_free)", "1'b1", BANKS),
    ("vta_compute.sv", "next_free && (!older_runs[unit_q] || done[unit_q])", "next_free", BANKS),
    ("vta_compute.sv", "done[unit_q] && !older_runs[unit_q]", "done[unit_q]", BANKS),
    ("vta_compute.sv", "(wait_q && !older && !finish", "(wait_q && !finish", BANKS),
    # What may start beside an ALU instruction, and the range of its rows:
    ("vta_compute.sv", "unit_q && known && !older", "unit_q && !older", BANKS),
    ("vta_compute.sv", "!older && !next_unit && !next_fault", "!older && !next_fault", BANKS),
    ("vta_compute.sv", "!next_fault && !next_finish;", "!next_fault;", BANKS),
    ("vta_compute.sv", "!next_fault && !next_finish && (", "!next_fault && (", BANKS),
    ("vta_unit.sv", "known && kept", "known", BANKS),
    ("vta_unit.sv", ".src_i(src[vta_pkg::AccIndexBits-1:0])", ".src_i(dst)", BANKS),
    ("vta_reach.sv", "insn_i[vta_pkg::AluDstFactorOutLsb +: RowBits]", "0", BANKS),
    ("vta_reach.sv", "insn_i[vta_pkg::AluDstFactorInLsb +: RowBits]", "0", BANKS),
    ("vta_reach.sv", "insn_i[vta_pkg::AluSrcFactorOutLsb +: RowBits]", "0", BANKS),
    ("vta_reach.sv", "insn_i[vta_pkg::AluSrcFactorInLsb +: RowBits]", "0", BANKS),
    ("vta_reach.sv", "(requant ? (RowBits+1)'(2) : '0)", "(RowBits+1)'(0)", BANKS),
    ("vta_reach.sv", "!over_q && ", "", BANKS),
    ("vta_reach.sv", "!dst_end_q[RowBits] && !src_end_q[RowBits]", "!dst_end_q[RowBits]", BANKS),
    ("vta_reach.sv", "!dst_end_q[RowBits] && !src_end_q[RowBits]", "!src_end_q[RowBits]", BANKS),
    ("vta_reach.sv", "(src_i[RowBits-1] || !uses_src)", "1'b1", BANKS),
    ("vta_reach.sv", "dst_end_q[RowBits-1] || src_end_q[RowBits-1]", "dst_end_q[RowBits-1]", BANKS),
    ("vta_reach.sv", "last_i && !outside_i", "last_i", BANKS),
    ("vta_reach.sv", "if (dst_i > dst_most_q) dst_most_q <= dst_i;", "dst_most_q <= dst_i;", BANKS),
    ("vta_reach.sv", "ended_q <= !begin_q && passed_q", "ended_q <= passed_q", BANKS),
    # Faults in their order:
    ("vta_compute.sv", "!next_unit && !next_fault && !next_finish", "!next_unit && !next_finish", BANKS),
    ("vta_compute.sv", "worked && older && !next_fault", "worked && older", BANKS),
    ("vta_compute.sv", "if ((failed || fail_q) && !older)", "if (failed || fail_q)", BANKS),
    ("vta_compute.sv", "fail_q <= (failed || fail_q) && older;", "fail_q <= 1'b0;", BANKS),
    ("vta_compute.sv", "index_o = older ? older_index :", "index_o =", BANKS),
    ("vta_older.sv", "valid_q <= '0;\n      runs_q", "runs_q", BANKS),
    ("vta_older.sv", "      runs_q <= '0;\n", "", BANKS),
    ("vta_compute.sv", "locked_q <= '0;\n    end else", "end else", BANKS),
    # The kernel that is kept, the mode that is:
    ("vta_loop.sv", "(UopBits+1)'(Kept)", "(UopBits+1)'(Kept + 1)", BANKS),
    ("vta_loop.sv", "first1_q || !fits_q ? uop_i : kernel[place1_q]", "uop_i", BANKS),
    ("vta_loop.sv", "if (valid1_q && first1_q) kernel", "if (valid1_q && first_q) kernel", BANKS),
    ("vta_loop.sv", "reads = first_q || !fits_q", "reads = 1'b1", BANKS),
    ("vta_long.sv", ".double_i(double_q)", ".double_i", BANKS),
    # Which bank is written and read:
    ("common/vta_banks.sv", "writes[1] ? write_row_i", "writes[0] ? write_row_i", BANKS),
    ("common/vta_banks.sv", "writes[1] ? write_lanes_i[Lanes +: Lanes] :", "", BANKS),
    ("common/vta_banks.sv", "writes[1] ? write_data_i", "write_i[1] ? write_data_i", BANKS),
    ("common/vta_banks.sv", "reads[Readers-1] ? Readers - 1 : 0", "read_i[Readers-1] ? Readers - 1 : 0", BANKS),
    ("vta_execute.sv", "Banks == 2 && s4_q.dst[RowBits-1]", "Banks == 2 && s3_q.dst[RowBits-1]", BANKS),
    ("vta_execute.sv", "OnePort ? acc_dst_i[(src_high ?", "OnePort ? acc_dst_i[(dst_high ?", "rows_8.json"),
    ("vta_execute.sv", "main_q[2] && !s3_q.fault", "main_q[2]", BANKS),
    ("vta_core.sv", "if (read_out) bank_q <=", "bank_q <=", BANKS),
    ("vta_load_acc.sv", "acc8_q <= is_acc8;", "acc8_q <= 1'b0;"),
    ("vta_load_acc.sv", "select_q ? pad_i : 8'd0", "pad_i"),
    ("vta_long.sv", "valid_i ? requant_i : requant_stages_q", "requant_i"),
    ("vta_long.sv", "<= {requant_i, vta_pkg::Lut != 0 && looks_i};", "<= {requant_i, requant_i};"),
    ("vta_lut.sv", "mem[code_i[7:2]]", "mem[{1'b0, code_i[6:2]}]"),
    ("vta_alu_long.sv", "under_q ? low_limit_q :", ""),
    ("vta_load_acc.sv", "lut_q ? locked_i != '0 : locked_i", "locked_i", BANKS),
    ("vta_load_acc.sv", "beat_data_i[32'(place)*32 +: 32]", "beat_data_i[31:0]"),
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


if __name__ == "__main__":
    sys.exit(main())
