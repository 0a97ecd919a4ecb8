# What the board's top is made of, beside hw/vta.f and the package of the config; its top is the last.
hw/generated/vta_serial_pkg.sv
hw/serial/vta_crc32.sv
hw/serial/vta_uart_rx.sv
hw/serial/vta_uart_tx.sv
hw/serial/vta_frame_rx.sv
hw/serial/vta_frame_tx.sv
hw/serial/vta_bridge.sv
hw/serial/vta_chip_memory.sv
bitstreams/boards/ecp5_85f/vta_ecp5_85f.sv
