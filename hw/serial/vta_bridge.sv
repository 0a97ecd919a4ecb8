/// Does what requests ask for: registers by AXI4-Lite, memory word by word, and answers each. A request
/// whose operation and sequence number are those of the one before is answered again; what it writes is not
/// written again.
/// Source: isa/spec/serial.h.
module vta_bridge #(
  parameter int MemoryWords = 32768,
  parameter logic [31:0] MemoryBase = 32'd0,  // a multiple of the next power of two above the memory
  parameter int ClockHz = 25000000
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  output logic                                    session_o,  // a host has identified it
  // The request: vta_frame_rx.
  input  logic                                    good_i,
  output logic                                    taken_o,
  input  logic [7:0]                              operation_i,
  input  logic [7:0]                              sequence_i,
  input  logic [15:0]                             length_i,
  input  logic [31:0]                             address_i,
  input  logic [15:0]                             words_i,
  output logic [$clog2(vta_serial_pkg::DataBytes)-1:0] data_at_o,
  input  logic [7:0]                              data_i,
  // The answer: vta_frame_tx.
  output logic                                    valid_o,
  input  logic                                    ready_i,
  output logic [7:0]                              data_o,
  output logic                                    last_o,
  // Registers.
  output logic                                    aw_valid_o,
  input  logic                                    aw_ready_i,
  output logic [vta_pkg::RegisterAddressBits-1:0] offset_o,  // of AW and AR
  output logic                                    w_valid_o,
  input  logic                                    w_ready_i,
  output logic [31:0]                             w_data_o,
  input  logic                                    b_valid_i,
  input  logic [1:0]                              b_resp_i,
  output logic                                    ar_valid_o,
  input  logic                                    ar_ready_i,
  input  logic                                    r_valid_i,
  input  logic [31:0]                             r_data_i,
  input  logic [1:0]                              r_resp_i,
  // Memory.
  output logic                                    memory_write_o,
  output logic                                    memory_read_o,
  output logic [$clog2(MemoryWords)-1:0]          memory_row_o,
  output logic [63:0]                             memory_data_o,
  input  logic [63:0]                             memory_data_i
);
  localparam int RowBits = $clog2(MemoryWords);
  localparam int OffsetBits = vta_pkg::RegisterAddressBits;
  localparam int AtBits = $clog2(vta_serial_pkg::DataBytes);
  localparam int LogMemory = $clog2(vta_serial_pkg::MemoryWordBytes);
  localparam int LogRegister = $clog2(vta_serial_pkg::RegisterWordBytes);
  typedef enum logic [3:0] {Idle, Judge, Gather, Write, Head, Fetch, Fetched, Data, State} state_e;

  state_e state_q;
  logic session_q, repeated_q, refused_q;
  logic [7:0] done_operation_q, done_sequence_q;  // of the request before
  logic [7:0] status_q, status;
  logic [31:0] address_q;        // of the word
  logic [15:0] words_q;          // left
  logic [AtBits-1:0] at_q;       // byte of the request's data
  logic [2:0] byte_q;            // of the word, or of the answer's head
  logic [63:0] word_q;
  logic late_q, aw_open_q, w_open_q, ar_open_q;

  // What the operation is, and whether the request holds together.
  logic is_identify, is_memory, is_clear, sends, brings, exists;
  logic [31:0] data_bytes, first, span;
  logic fits, in_range, aligned;
  always_comb begin
    {is_identify, is_memory, is_clear, sends, brings} = '0;
    exists = 1'b1;
    unique case (operation_i)
      vta_serial_pkg::OP_IDENTIFY: {is_identify, brings} = '1;
      vta_serial_pkg::OP_READ_REGISTERS: brings = 1'b1;
      vta_serial_pkg::OP_WRITE_REGISTERS: sends = 1'b1;
      vta_serial_pkg::OP_READ_MEMORY: {is_memory, brings} = '1;
      vta_serial_pkg::OP_WRITE_MEMORY: {is_memory, sends} = '1;
      vta_serial_pkg::OP_CLEAR_MEMORY: {is_memory, is_clear} = '1;
      default: exists = 1'b0;
    endcase
  end
  assign data_bytes = is_memory ? {16'd0, words_i} << LogMemory : {16'd0, words_i} << LogRegister;
  assign fits = is_identify ? length_i == '0 :
                words_i != '0 && (is_clear || data_bytes <= 32'(vta_serial_pkg::DataBytes)) &&
                32'(length_i) == 32'(vta_serial_pkg::PrefixBytes) + (sends ? data_bytes : 32'd0);
  assign first = is_memory ? address_i - MemoryBase : address_i;
  assign span = is_memory ? 32'(8 * MemoryWords) : 32'(1 << OffsetBits);
  assign aligned = is_memory ? address_i[LogMemory-1:0] == '0 : address_i[LogRegister-1:0] == '0;
  assign in_range = first < span && data_bytes <= span - first;
  always_comb begin
    status = vta_serial_pkg::STATUS_DONE;
    if (!exists) status = vta_serial_pkg::STATUS_UNKNOWN;
    else if (!fits) status = vta_serial_pkg::STATUS_LENGTH;
    else if (is_identify) status = vta_serial_pkg::STATUS_DONE;
    else if (!session_q) status = vta_serial_pkg::STATUS_NO_SESSION;
    else if (!aligned || !in_range) status = vta_serial_pkg::STATUS_ADDRESS;
  end

  // The answer.
  logic has_data, last_byte;
  logic [15:0] answer_length;
  logic [31:0] identity;
  assign has_data = brings && status_q == vta_serial_pkg::STATUS_DONE;
  assign answer_length = 16'd1 + (!has_data ? 16'd0 : is_identify ? 16'(4 * vta_serial_pkg::IdentityWords) :
                                  data_bytes[15:0]);
  assign last_byte = byte_q == (is_memory ? 3'(vta_serial_pkg::MemoryWordBytes - 1) :
                                3'(vta_serial_pkg::RegisterWordBytes - 1));
  always_comb begin
    unique case (words_q[2:0])
      3'd5: identity = vta_serial_pkg::Magic;
      3'd4: identity = vta_serial_pkg::Version;
      3'd3: identity = MemoryBase;
      3'd2: identity = 32'(8 * MemoryWords);
      default: identity = 32'(ClockHz);
    endcase
  end
  always_comb begin
    valid_o = 1'b0;
    data_o = word_q[7:0];
    unique case (state_q)
      Head: begin
        valid_o = 1'b1;
        unique case (byte_q[1:0])
          2'd0: data_o = operation_i | vta_serial_pkg::AnswerBit;
          2'd1: data_o = sequence_i;
          2'd2: data_o = answer_length[7:0];
          default: data_o = answer_length[15:8];
        endcase
      end
      Data: valid_o = 1'b1;
      State: begin
        valid_o = 1'b1;
        data_o = has_data && refused_q ? vta_serial_pkg::STATUS_REFUSED : status_q;
      end
      default: ;
    endcase
  end
  assign last_o = state_q == State;
  assign taken_o = state_q == State && ready_i;

  assign session_o = session_q;
  assign data_at_o = at_q;
  assign offset_o = address_q[OffsetBits-1:0];
  assign w_data_o = word_q[63:32];
  assign aw_valid_o = aw_open_q;
  assign w_valid_o = w_open_q;
  assign ar_valid_o = ar_open_q;
  assign memory_write_o = state_q == Write && is_memory;
  assign memory_read_o = state_q == Fetch && is_memory;
  assign memory_row_o = address_q[LogMemory +: RowBits];
  assign memory_data_o = word_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      session_q <= 1'b0;
      {aw_open_q, w_open_q, ar_open_q} <= '0;
    end else begin
      if (aw_ready_i) aw_open_q <= 1'b0;
      if (w_ready_i) w_open_q <= 1'b0;
      if (ar_ready_i) ar_open_q <= 1'b0;
      unique case (state_q)
        Idle: if (good_i) state_q <= Judge;
        Judge: begin
          state_q <= Head;
          if (status == vta_serial_pkg::STATUS_DONE) begin
            if (is_identify) session_q <= 1'b1;
            if (!repeated_q && sends) state_q <= Gather;
            if (!repeated_q && is_clear) state_q <= Write;
          end
        end
        Gather: if (late_q && last_byte) begin
          state_q <= Write;
          {aw_open_q, w_open_q} <= {2{!is_memory}};
        end
        Write: begin
          if (is_memory) begin
            if (words_q == 16'd1) state_q <= Head;
            else if (!is_clear) state_q <= Gather;
          end else if (b_valid_i) begin
            state_q <= words_q == 16'd1 || b_resp_i != 2'b00 ? Head : Gather;
          end
        end
        Head: if (ready_i && byte_q[1:0] == '1) state_q <= has_data ? Fetch : State;
        Fetch: begin
          state_q <= Fetched;
          ar_open_q <= !is_memory && !is_identify;
        end
        Fetched: if (is_memory || is_identify || r_valid_i) state_q <= Data;
        Data: if (ready_i && last_byte) state_q <= words_q == 16'd1 ? State : Fetch;
        State: if (ready_i) state_q <= Idle;
        default: state_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        repeated_q <= session_q && operation_i == done_operation_q &&
                      sequence_i == done_sequence_q;
        byte_q <= '0;
        at_q <= '0;
        late_q <= 1'b0;
        word_q <= '0;
        address_q <= address_i;
        refused_q <= 1'b0;
      end
      Judge: begin
        words_q <= is_identify ? 16'(vta_serial_pkg::IdentityWords) : words_i;
        if (!repeated_q || brings || status != vta_serial_pkg::STATUS_DONE) status_q <= status;
        done_operation_q <= operation_i;
        done_sequence_q <= sequence_i;
      end
      Gather: begin  // a byte of the buffer is there a cycle after it is asked for
        late_q <= 1'b1;
        at_q <= at_q + 1'b1;
        if (late_q) begin
          word_q <= {data_i, word_q[63:8]};
          byte_q <= byte_q + 1'b1;
          if (last_byte) begin
            late_q <= 1'b0;
            at_q <= at_q;
            byte_q <= '0;
          end
        end
      end
      Write: if (is_memory || b_valid_i) begin
        words_q <= words_q - 1'b1;
        address_q <= address_q + (is_memory ? 32'(vta_serial_pkg::MemoryWordBytes) :
                                  32'(vta_serial_pkg::RegisterWordBytes));
        if (!is_memory && b_resp_i != 2'b00) status_q <= vta_serial_pkg::STATUS_REFUSED;
      end
      Head: if (ready_i) byte_q <= byte_q[1:0] == '1 ? '0 : byte_q + 1'b1;
      Fetched: begin
        word_q <= is_memory ? memory_data_i : {32'd0, is_identify ? identity : r_data_i};
        if (!is_memory && !is_identify && r_valid_i && r_resp_i != 2'b00) refused_q <= 1'b1;
      end
      Data: if (ready_i) begin
        word_q <= {8'd0, word_q[63:8]};
        byte_q <= last_byte ? '0 : byte_q + 1'b1;
        if (last_byte) begin
          words_q <= words_q - 1'b1;
          address_q <= address_q + (is_memory ? 32'(vta_serial_pkg::MemoryWordBytes) :
                                    32'(vta_serial_pkg::RegisterWordBytes));
        end
      end
      default: ;
    endcase
  end
endmodule
