// Generated from isa/spec/serial.h, do not edit: vta isa --serial -c default
/* verilator lint_off UNUSEDPARAM */
package vta_serial_pkg;
  localparam logic [31:0] Magic = 32'h53415456;
  localparam logic [31:0] Version = 32'h00000001;
  localparam logic [7:0] Delimiter = 8'hc0;
  localparam logic [7:0] Escape = 8'hdb;
  localparam logic [7:0] EscapedDelimiter = 8'hdc;
  localparam logic [7:0] EscapedEscape = 8'hdd;
  localparam int HeaderBytes = 4;
  localparam int PrefixBytes = 6;
  localparam int DataBytes = 256;
  localparam int CrcBytes = 4;
  localparam logic [31:0] CrcPolynomial = 32'hedb88320;
  localparam logic [31:0] CrcStart = 32'hffffffff;
  localparam logic [31:0] CrcResidue = 32'hdebb20e3;
  localparam int MemoryWordBytes = 8;
  localparam int RegisterWordBytes = 4;
  localparam int IdentityWords = 5;
  localparam logic [7:0] AnswerBit = 8'h80;
  localparam logic [7:0] OP_IDENTIFY = 8'h01;
  localparam logic [7:0] OP_READ_REGISTERS = 8'h02;
  localparam logic [7:0] OP_WRITE_REGISTERS = 8'h03;
  localparam logic [7:0] OP_READ_MEMORY = 8'h04;
  localparam logic [7:0] OP_WRITE_MEMORY = 8'h05;
  localparam logic [7:0] OP_CLEAR_MEMORY = 8'h06;
  localparam logic [7:0] STATUS_DONE = 8'h00;
  localparam logic [7:0] STATUS_NO_SESSION = 8'h01;
  localparam logic [7:0] STATUS_UNKNOWN = 8'h02;
  localparam logic [7:0] STATUS_LENGTH = 8'h03;
  localparam logic [7:0] STATUS_ADDRESS = 8'h04;
  localparam logic [7:0] STATUS_REFUSED = 8'h05;
endpackage
/* verilator lint_on UNUSEDPARAM */
