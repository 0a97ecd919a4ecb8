"""Plants one bug after the other in the RTL and says whether lockstep fuzzing finds it.

usage: mutants.py ROOT RTL_FUZZ [FILE.sv]
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

CONFIG = "tests/rtl/configs/extended_8x8.json"
PROGRAMS = "3000"

# File below hw/rtl, text that occurs once, what it becomes.
MUTANTS = [
    ("common/vta_ram.sv", "if (read_i) read_data_o", "read_data_o"),
    ("common/vta_fifo.sv", "if (refill) read_q <= read_q + 1'b1;", "if (refill && !push) read_q <= read_q + 1'b1;"),
    ("common/vta_queue.sv", "assign data_o = mem[read_q];", "assign data_o = mem[read_q & (IndexBits)'(1)];"),
    ("vta_tokens.sv", "count_q < 16'(vta_pkg::TokenCapacity)", "count_q <= 16'(vta_pkg::TokenCapacity)"),
    ("vta_decode.sv", "if (!vta_pkg::AluOpExists[alu_opcode] ||", "if ("),
    ("vta_bursts.sv", "row_q <= row_q + AddressBits'(stride_q);", "row_q <= row_q + AddressBits'(stride_q[11:0]);"),
    ("vta_bursts.sv", "assign last = left_q == 29'(beats);", "assign last = left_q <= 29'(beats) + 29'd1;"),
    ("vta_offset.sv", "in_q <= in_sum;", "in_q <= {1'b0, in_sum[Bits-1:0]};"),
    ("vta_mac_lane.sv", "18'($signed(inp_i[(4*g+3)*8 +: 8])", "18'($unsigned(inp_i[(4*g+3)*8 +: 8])"),
    ("vta_mac.sv", "wgt_i[k*RowBits +: RowBits]", "wgt_i[(k^1)*RowBits +: RowBits]"),
    ("vta_alu.sv", "far ? 5'd31 : b_i[4:0]", "b_i[4:0]"),
    ("vta_alu_long.sv", "{33{below_q && product[63]}}", "{33{1'b0}}"),
    ("vta_tile.sv", "assign outside = row_q >= depth_q;", "assign outside = row_q > depth_q;"),
    ("vta_uop_memory.sv", "offset_q <= row_offset_q + stride_q;\n        row_offset_q", "offset_q <= row_offset_q;\n        row_offset_q"),
    ("vta_loop.sv", "outside1_q || dst_outside", "dst_outside"),
    ("vta_loop.sv", "if (u_last) i_q <= i_last ? iter_in_q", "if (u_last) i_q <= i_last ? 14'd1"),
    ("vta_execute.sv", "assign row_a = write && write_row == c_dst_q ? write_data :", "assign row_a ="),
    ("vta_execute.sv", "back_q && back_row_q == c_src_q ? back_data_q :", ""),
    ("vta_execute.sv", "i < Long - 3; i++", "i < Long - 4; i++"),
    ("vta_execute.sv", "go_block = block_count_q != 2'd0 || empty;", "go_block = 1'b1;"),
    ("vta_load.sv", "insn_q[vta_pkg::LoadPadSelectLsb] ? pad_q : 8'd0", "pad_q"),
    ("vta_compute.sv", "fault_q <= pending[163:160];", "fault_q <= vta_pkg::FAULT_ILLEGAL_OPCODE;"),
    ("vta_compute.sv", "prev_done_q <= prev_done_q || push_prev_o;", "prev_done_q <= 1'b0;"),
    ("vta_frontend.sv", "tokens_next_i > ahead_next_q", "tokens_next_i != 16'd0"),
    ("vta_store.sv", ".hold_i(overlap_q && !idle_i)", ".hold_i(1'b0)"),
    ("vta_fetch.sv", "3'b001 << target", "3'b001 << (target & 2'd1)"),
    ("vta_read_buffer.sv", "32'(beats_i) + 32'd1 <= 32'(Beats)", "32'd0 <= 32'(Beats) * 2"),
    ("vta_read.sv", "assign free = !ar_valid_q || ar_ready_i;", "assign free = 1'b1;"),
    ("vta_write.sv", "beat_q <= w_last_o ? 8'd0 : beat_q + 8'd1", "beat_q <= beat_q + 8'd1"),
    ("vta_control.sv", "still_i && bus_idle_i ?", "still_i ?"),
    ("vta_regs.sv", "bases_q[i][31:0] <= s_w_data_i", "bases_q[i][31:0] <= {s_w_data_i[31:12], 12'd0}"),
    ("vta_counters.sv", "if (clear_i) counts_q", "if (clear_i && i > 20) counts_q"),
    ("vta_core.sv", ".barrier_i(load_drained && store_drained", ".barrier_i(load_drained"),
]


def plant(root, work, path, old, new):
    for folder in ("hw", "sim/rtl/model"):
        shutil.copytree(root / folder, work / folder)
    file = work / "hw/rtl" / path
    text = file.read_text()
    if text.count(old) != 1:
        sys.exit(f"{path}: '{old}' occurs {text.count(old)} times, must occur once")
    file.write_text(text.replace(old, new))


def main(root, fuzz, only=None):
    missed = 0
    for path, old, new in MUTANTS:
        if only and only != path:
            continue
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            plant(root, work, path, old, new)
            environment = dict(os.environ, VTA_HOME=folder, VTA_CACHE_DIR=folder + "/cache")
            done = subprocess.run([fuzz, "--programs", PROGRAMS, root / CONFIG], env=environment, capture_output=True, text=True)
        lines = (done.stdout + done.stderr).strip().splitlines() or [""]
        missed += done.returncode == 0
        print("MISSED" if done.returncode == 0 else "found ", path, "|", old.strip()[:50], "|", " ".join(lines[:2])[:160],
              flush=True)
    return missed != 0


sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), *sys.argv[2:]))
