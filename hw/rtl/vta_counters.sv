/// The performance counters of one launch.
/// Units: as isa/spec/registers.h (HardwareCounter); stored elements are counted in beats inside.
/// Timing: what happens in a cycle is counted in the next one; value_o holds what select_i chose a cycle
/// after read_i.
module vta_counters (
  input  logic        clk_i,
  input  logic        clear_i,
  input  logic        enable_i,
  // What happens in this cycle. By module: load, compute, store.
  input  logic [2:0]  busy_i,
  input  logic [2:0]  wait_token_i,
  input  logic [2:0]  wait_memory_i,
  input  logic [2:0]  retire_i,
  input  logic [8:0]  opcode_i,       // of what retires
  input  logic        gemm_uop_i,
  input  logic        mac_uop_i,
  input  logic        alu_uop_i,
  input  logic [1:0]  element_i,      // from memory, by load and compute
  input  logic [5:0]  type_i,         // of that element
  input  logic        uop_i,          // micro-ops from memory
  input  logic [4:0]  uop_count_i,
  input  logic        acked_i,        // beats to memory
  input  logic [8:0]  acked_beats_i,
  input  logic [3:0]  push_i,         // a token, by isa::Queue
  input  logic [2:0]  fetch_i,        // is busy, waits for space, for memory
  // Reading.
  input  logic        read_i,
  input  logic [4:0]  select_i,
  output logic [63:0] value_o
);
  localparam int Width = 48;
  localparam int LogOutBeats = vta_pkg::LogBytesOut - vta_pkg::LogBeatBytes;
  localparam int Group = 8, Groups = vta_pkg::Counters / Group;  // what is read is found in parts
  localparam int Stored = vta_pkg::CounterElements + 32'(vta_pkg::MEM_OUT);

  logic [Width-1:0] value_q;
  logic stored_q;

  // What happened in the last cycle.
  logic enable_q, gemm_uop_q, mac_uop_q, alu_uop_q, uop_q, acked_q;
  logic [2:0] busy_q, wait_token_q, wait_memory_q, retire_q, fetch_q;
  logic [8:0] opcode_q, acked_beats_q;
  logic [1:0] element_q;
  logic [5:0] type_q;
  logic [4:0] uop_count_q;
  logic [3:0] push_q;
  always_ff @(posedge clk_i) begin
    enable_q <= enable_i && !clear_i;
    busy_q <= busy_i;
    wait_token_q <= wait_token_i;
    wait_memory_q <= wait_memory_i;
    retire_q <= retire_i;
    opcode_q <= opcode_i;
    gemm_uop_q <= gemm_uop_i;
    mac_uop_q <= mac_uop_i;
    alu_uop_q <= alu_uop_i;
    element_q <= element_i;
    type_q <= type_i;
    uop_q <= uop_i;
    uop_count_q <= uop_count_i;
    acked_q <= acked_i;
    acked_beats_q <= acked_beats_i;
    push_q <= push_i;
    fetch_q <= fetch_i;
  end

  for (genvar i = 0; i < vta_pkg::Counters; i++) begin : g_counter
    localparam int Opcode = i - vta_pkg::CounterInstructions;
    localparam int Memory = i - vta_pkg::CounterElements;
    logic [Width-1:0] count_q, value;
    localparam bit Loaded = i >= vta_pkg::CounterElements && i < vta_pkg::CounterTokens &&
                            Memory != 32'(vta_pkg::MEM_UOP) && Memory != 32'(vta_pkg::MEM_OUT);
    logic some, step;  // one of several, and this one
    assign some = !Loaded || element_q != '0;
    if (i < vta_pkg::CounterBusy) begin : g_cycles
      assign step = 1'b1;
    end else if (i < vta_pkg::CounterWaitToken) begin : g_busy
      assign step = busy_q[i - vta_pkg::CounterBusy];
    end else if (i < vta_pkg::CounterWaitMemory) begin : g_wait_token
      assign step = wait_token_q[i - vta_pkg::CounterWaitToken];
    end else if (i < vta_pkg::CounterInstructions) begin : g_wait_memory
      assign step = wait_memory_q[i - vta_pkg::CounterWaitMemory];
    end else if (i < vta_pkg::CounterGemmUops) begin : g_instructions
      assign step = retire_q != '0;
    end else if (i < vta_pkg::CounterElements) begin : g_uops
      assign step = i == vta_pkg::CounterGemmUops ? gemm_uop_q :
                    i == vta_pkg::CounterMacUops ? mac_uop_q : alu_uop_q;
    end else if (i < vta_pkg::CounterTokens) begin : g_elements
      assign step = Memory == 32'(vta_pkg::MEM_UOP) ? uop_q :
                    Memory == 32'(vta_pkg::MEM_OUT) ? acked_q :
                    (element_q[0] && type_q[2:0] == 3'(Memory)) ||
                    (element_q[1] && type_q[5:3] == 3'(Memory));
    end else if (i < vta_pkg::CounterFetchBusy) begin : g_tokens
      assign step = push_q[i - vta_pkg::CounterTokens];
    end else begin : g_fetch
      assign step = fetch_q[i - vta_pkg::CounterFetchBusy];
    end

    always_ff @(posedge clk_i) begin
      if (enable_q && some) begin
        if (step) begin
          if (Opcode >= 0 && i < vta_pkg::CounterGemmUops)
            count_q <= count_q + Width'(retire_q[0] && opcode_q[2:0] == 3'(Opcode)) +
                       Width'(retire_q[1] && opcode_q[5:3] == 3'(Opcode)) +
                       Width'(retire_q[2] && opcode_q[8:6] == 3'(Opcode));
          else if (Memory == 32'(vta_pkg::MEM_UOP)) count_q <= count_q + Width'(uop_count_q);
          else if (Memory == 32'(vta_pkg::MEM_OUT)) count_q <= count_q + Width'(acked_beats_q);
          else count_q <= count_q + 1'b1;
        end
      end
      if (clear_i) count_q <= '0;
    end

    // The one that is read, of those of its group up to this one.
    if (i % Group == 0) begin : g_first
      assign value = !read_i ? 'x : {Width{select_i == 5'(i)}} & count_q;
    end else begin : g_next
      assign value = !read_i ? 'x : g_counter[i-1].value |
                     ({Width{select_i == 5'(i)}} & count_q);
    end
  end

  for (genvar g = 0; g < Groups; g++) begin : g_group
    logic [Width-1:0] value;
    if (g == 0) begin : g_first
      assign value = g_counter[Group-1].value;
    end else begin : g_next
      assign value = g_group[g-1].value | g_counter[(g+1)*Group-1].value;
    end
  end
  always_ff @(posedge clk_i) begin
    if (read_i) begin
      value_q <= g_group[Groups-1].value;
      stored_q <= select_i == 5'(Stored);
    end
  end
  assign value_o = 64'(value_q) >> (stored_q ? LogOutBeats : 0);
endmodule
