/// The ECP5's block RAM in the modes that Yosys makes of the design: written through port A and read
/// through port B, or a table read through port A; no output registers, no resets. It refuses all
/// others. A read of what is written in the same cycle gives wrong data, as the part promises none.
/// Memory: 1024 slots of 18 bits, two bytes of 9. A row of 36 bits is two slots, a row of 4 bits half a
/// byte without its last bit, one of 1 bit one of its first eight; INITVAL holds 16 slots of 20 bits each. Of a read of 36 bits, DOA is the lower slot; narrower ones are on DOB.
/// Source: the mapping of Yosys, share/lattice/brams_map_16kd.v.
module DP16KD #(
  parameter DATA_WIDTH_A = 18,
  parameter DATA_WIDTH_B = 18,
  parameter REGMODE_A = "NOREG",
  parameter REGMODE_B = "NOREG",
  parameter RESETMODE = "SYNC",
  parameter ASYNC_RESET_RELEASE = "SYNC",
  parameter CSDECODE_A = "0b000",
  parameter CSDECODE_B = "0b000",
  parameter WRITEMODE_A = "NORMAL",
  parameter WRITEMODE_B = "NORMAL",
  parameter CLKAMUX = "CLKA",
  parameter CLKBMUX = "CLKB",
  parameter GSR = "ENABLED",
  parameter [319:0]
    INITVAL_00 = 320'd0, INITVAL_01 = 320'd0, INITVAL_02 = 320'd0, INITVAL_03 = 320'd0, INITVAL_04 = 320'd0,
    INITVAL_05 = 320'd0, INITVAL_06 = 320'd0, INITVAL_07 = 320'd0, INITVAL_08 = 320'd0, INITVAL_09 = 320'd0,
    INITVAL_0A = 320'd0, INITVAL_0B = 320'd0, INITVAL_0C = 320'd0, INITVAL_0D = 320'd0, INITVAL_0E = 320'd0,
    INITVAL_0F = 320'd0, INITVAL_10 = 320'd0, INITVAL_11 = 320'd0, INITVAL_12 = 320'd0, INITVAL_13 = 320'd0,
    INITVAL_14 = 320'd0, INITVAL_15 = 320'd0, INITVAL_16 = 320'd0, INITVAL_17 = 320'd0, INITVAL_18 = 320'd0,
    INITVAL_19 = 320'd0, INITVAL_1A = 320'd0, INITVAL_1B = 320'd0, INITVAL_1C = 320'd0, INITVAL_1D = 320'd0,
    INITVAL_1E = 320'd0, INITVAL_1F = 320'd0, INITVAL_20 = 320'd0, INITVAL_21 = 320'd0, INITVAL_22 = 320'd0,
    INITVAL_23 = 320'd0, INITVAL_24 = 320'd0, INITVAL_25 = 320'd0, INITVAL_26 = 320'd0, INITVAL_27 = 320'd0,
    INITVAL_28 = 320'd0, INITVAL_29 = 320'd0, INITVAL_2A = 320'd0, INITVAL_2B = 320'd0, INITVAL_2C = 320'd0,
    INITVAL_2D = 320'd0, INITVAL_2E = 320'd0, INITVAL_2F = 320'd0, INITVAL_30 = 320'd0, INITVAL_31 = 320'd0,
    INITVAL_32 = 320'd0, INITVAL_33 = 320'd0, INITVAL_34 = 320'd0, INITVAL_35 = 320'd0, INITVAL_36 = 320'd0,
    INITVAL_37 = 320'd0, INITVAL_38 = 320'd0, INITVAL_39 = 320'd0, INITVAL_3A = 320'd0, INITVAL_3B = 320'd0,
    INITVAL_3C = 320'd0, INITVAL_3D = 320'd0, INITVAL_3E = 320'd0, INITVAL_3F = 320'd0
) (
  input
    DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4,
    DIA3, DIA2, DIA1, DIA0, DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8,
    DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0, ADA13, ADA12, ADA11, ADA10, ADA9, ADA8,
    ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0, ADB13, ADB12, ADB11, ADB10, ADB9, ADB8,
    ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0, CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1,
    CSA0, CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
  output
    DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4,
    DOA3, DOA2, DOA1, DOA0, DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8,
    DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);
  localparam [64*320-1:0] Init = {
    INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39,
    INITVAL_38, INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32,
    INITVAL_31, INITVAL_30, INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B,
    INITVAL_2A, INITVAL_29, INITVAL_28, INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24,
    INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20, INITVAL_1F, INITVAL_1E, INITVAL_1D,
    INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18, INITVAL_17, INITVAL_16,
    INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10, INITVAL_0F,
    INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
    INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01,
    INITVAL_00};
  wire [17:0] dia = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7,
                    DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  wire [17:0] dib = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7,
                    DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};
  wire [13:0] ada = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2,
                    ADA1, ADA0};
  wire [13:0] adb = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2,
                    ADB1, ADB0};
  reg [17:0] doa = 0, dob = 0;
  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5,
          DOA4, DOA3, DOA2, DOA1, DOA0} = doa;
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5,
          DOB4, DOB3, DOB2, DOB1, DOB0} = dob;

  function automatic is_known(input int width);
    return width == 1 || width == 4 || width == 9 || width == 18 || width == 36;
  endfunction
  initial begin
    if (!is_known(DATA_WIDTH_A) || !is_known(DATA_WIDTH_B) || REGMODE_A != "NOREG" ||
        REGMODE_B != "NOREG" || CSDECODE_A != "0b000" || CSDECODE_B != "0b000" ||
        CLKAMUX != "CLKA" || CLKBMUX != "CLKB" ||
        (WRITEMODE_A != "NORMAL" && WRITEMODE_A != "READBEFOREWRITE"))
      $fatal(1, "%m: this mode of DP16KD has no model");
  end

  reg [17:0] mem [0:1023];
  initial for (int i = 0; i < 1024; i++) mem[i] = Init[i / 16 * 320 + i % 16 * 20 +: 18];

  // What port A writes in this cycle: bits of two slots.
  wire writes = CEA && WEA;
  wire [9:0] write_slot = DATA_WIDTH_A == 36 ? {ada[13:5], 1'b0} : ada[13:4];
  reg [35:0] write_data, write_mask;
  always @* begin
    write_data = {dib, dia};
    write_mask = 36'd0;
    if (DATA_WIDTH_A == 36) begin
      for (int i = 0; i < 4; i++) write_mask[i * 9 +: 9] = {9{ada[i]}};
    end else if (DATA_WIDTH_A == 18) begin
      for (int i = 0; i < 2; i++) write_mask[i * 9 +: 9] = {9{ada[i]}};
    end else begin
      write_data = 36'(dia) << shift(DATA_WIDTH_A, ada[3:0]);
      write_mask = 36'(ones(DATA_WIDTH_A)) << shift(DATA_WIDTH_A, ada[3:0]);
    end
    if (!writes) write_mask = 36'd0;
  end
  always @(posedge CLKA) begin
    if ({CSA2, CSA1, CSA0, RSTA} != 0) $fatal(1, "%m: port A of DP16KD is deselected or reset");
    for (int i = 0; i < 36; i++)
      if (write_mask[i]) mem[write_slot + 10'(i / 18)][i % 18] <= write_data[i];
  end

  // Where in its slot a narrow row begins.
  function automatic [5:0] shift(input int width, input [3:0] at);
    return (at[3] ? 6'd9 : 6'd0) + (width == 4 ? {3'd0, at[2], 2'd0} : width == 1 ? 6'(at[2:0]) : 6'd0);
  endfunction
  function automatic [17:0] ones(input int width);
    return 18'((19'd1 << width) - 19'd1);
  endfunction
  function automatic [17:0] part(input [17:0] whole, input int width, input [3:0] at);
    return width == 18 ? whole : (whole >> shift(width, at)) & ones(width);
  endfunction
  function automatic [17:0] slot(input [9:0] at);
    return mem[at] ^ (at == write_slot ? write_mask[17:0] :
                      at == write_slot + 10'd1 ? write_mask[35:18] : 18'd0);
  endfunction
  always @(posedge CLKB) begin
    if ({CSB2, CSB1, CSB0, RSTB, WEB} != 0) $fatal(1, "%m: port B of DP16KD does more than read");
    if (CEB && DATA_WIDTH_B == 36) begin
      doa <= slot({adb[13:5], 1'b0});
      dob <= slot({adb[13:5], 1'b1});
    end else if (CEB) begin
      dob <= part(slot(adb[13:4]), DATA_WIDTH_B, adb[3:0]);
    end
  end
  always @(posedge CLKA)
    if (CEA && (!WEA || WRITEMODE_A == "READBEFOREWRITE") && DATA_WIDTH_A != 36 && DATA_WIDTH_B != 36)
      doa <= part(mem[ada[13:4]], DATA_WIDTH_A, ada[3:0]);
endmodule
