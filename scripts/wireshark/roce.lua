-- RoCEv2 packets that Wireshark's own dissector does not know: congestion notifications, and rnicsim's opcodes in the
-- manufacturer's range. All others are left to it. How to install it: README.md beside it.

-- tables: begin (written by scripts/reference from tlm/roce: do not edit)
local UDP_PORT = 4791
local ICRC_BYTES = 4
local PARTS = { -- offsets in bits
  BTH = { bytes = 12, fields = {
    { name = "Opcode", offset = 0, bits = 8, meaning = "what the packet is, and which headers follow" },
    { name = "SE", offset = 8, bits = 1, meaning = "solicited event: the receive completion raises it" },
    { name = "MigReq", offset = 9, bits = 1, meaning = "path migration: sent 1 (CNP: 0), ignored when received" },
    { name = "PadCount", offset = 10, bits = 2, meaning = "bytes behind the payload that make it a multiple of 4" },
    { name = "TVer", offset = 12, bits = 4, meaning = "version of the transport header, 0" },
    { name = "PKey", offset = 16, bits = 16, meaning = "partition" },
    { name = "FECN", offset = 32, bits = 1, meaning = "congestion met on the way" },
    { name = "BECN", offset = 33, bits = 1, meaning = "congestion met on the way back: 1 in a CNP" },
    { name = "Reserved6", offset = 34, bits = 6, meaning = "0" },
    { name = "DestQP", offset = 40, bits = 24, meaning = "destination queue pair" },
    { name = "AckReq", offset = 64, bits = 1, meaning = "the requester wants an acknowledgement" },
    { name = "Apart", offset = 65, bits = 1, meaning = "ours, of selective WRITEs: nothing before it that may be missing touches its bytes; else 0" },
    { name = "Reserved6B", offset = 66, bits = 6, meaning = "0" },
    { name = "PSN", offset = 72, bits = 24, meaning = "packet sequence number" },
  } },
  RETH = { bytes = 16, fields = {
    { name = "VA", offset = 0, bits = 64, meaning = "virtual address at the responder" },
    { name = "RKey", offset = 64, bits = 32, meaning = "key of the memory region" },
    { name = "DMALen", offset = 96, bits = 32, meaning = "bytes of the message from here on: of the whole one, as the RETH is in its first packet" },
  } },
  AETH = { bytes = 4, fields = {
    { name = "Syndrome", offset = 0, bits = 8, meaning = "kind of answer (upper 3 bits), and credits, RNR time or NAK code (lower 5)" },
    { name = "MSN", offset = 8, bits = 24, meaning = "message sequence number: messages completed by the responder" },
  } },
  FETH = { bytes = 4, fields = {
    { name = "Reserved24", offset = 0, bits = 24, meaning = "0" },
    { name = "Reserved2", offset = 24, bits = 2, meaning = "0" },
    { name = "Selectivity", offset = 26, bits = 2, meaning = "0: the range of the RETH, 1: the whole memory region" },
    { name = "Placement", offset = 28, bits = 4, meaning = "bit 0: make visible to all, bit 1: make persistent" },
  } },
  Arrived = { bytes = 4, fields = {
    { name = "Reserved8", offset = 0, bits = 8, meaning = "0" },
    { name = "ArrivedPSN", offset = 8, bits = 24, meaning = "the PSN that came in place of the expected one" },
  } },
  CNPRest = { bytes = 16, fields = {
    { name = "ReservedA", offset = 0, bits = 64, meaning = "0" },
    { name = "ReservedB", offset = 64, bits = 64, meaning = "0" },
  } },
}
local OPCODES = { -- parts: behind the BTH
  [0x1C] = { name = "FLUSH", parts = { "FETH", "RETH" } },
  [0x1D] = { name = "ATOMIC_WRITE", parts = { "RETH" } },
  [0x81] = { name = "CNP", parts = { "CNPRest" } },
  [0xC0] = { name = "WRITE_PERSIST_ONLY", parts = { "RETH" } },
  [0xC1] = { name = "PERSIST_ACK", parts = { "AETH" } },
  [0xC2] = { name = "WRITE_PERSIST_FIRST", parts = { "RETH" } },
  [0xC3] = { name = "WRITE_PERSIST_MIDDLE", parts = {  } },
  [0xC4] = { name = "WRITE_PERSIST_LAST", parts = {  } },
  [0xC5] = { name = "SELECTIVE_NAK", parts = { "AETH", "Arrived" } },
  [0xC6] = { name = "SELECTIVE_WRITE_FIRST", parts = { "RETH" } },
  [0xC7] = { name = "SELECTIVE_WRITE_MIDDLE", parts = { "RETH" } },
  [0xC8] = { name = "SELECTIVE_WRITE_LAST", parts = { "RETH" } },
  [0xC9] = { name = "SELECTIVE_WRITE_ONLY", parts = { "RETH" } },
}
-- tables: end

local roce = Proto("roce", "RoCEv2, what InfiniBand's dissector does not know")

------------------------------------------------------------------------------------------------------------- fields

local WHOLE = { [8] = ProtoField.uint8, [16] = ProtoField.uint16, [24] = ProtoField.uint24, [32] = ProtoField.uint32,
                [64] = ProtoField.uint64 }
local NUMBERS = { PSN = true, ArrivedPSN = true, MSN = true } -- shown as decimals

local names = {}
for value, opcode in pairs(OPCODES) do names[value] = opcode.name end

local fields, all = {}, {} -- by part, then by name
for part, spec in pairs(PARTS) do
  fields[part] = {}
  for _, field in ipairs(spec.fields) do
    local filter = ("roce.%s.%s"):format(part:lower(), field.name:lower())
    local made
    if field.offset % 8 ~= 0 or field.bits % 8 ~= 0 then
      local mask = (2 ^ field.bits - 1) * 2 ^ (8 - field.offset % 8 - field.bits)
      made = ProtoField.uint8(filter, field.name, base.DEC, nil, mask, field.meaning)
    else
      local shown = NUMBERS[field.name] and base.DEC or base.HEX
      made = WHOLE[field.bits](filter, field.name, shown, field.name == "Opcode" and names or nil, nil, field.meaning)
    end
    fields[part][field.name] = made
    all[#all + 1] = made
  end
end
local payload = ProtoField.bytes("roce.payload", "Behind the BTH")
local icrc = ProtoField.uint32("roce.icrc", "ICRC", base.HEX, nil, nil, "not checked")
all[#all + 1], all[#all + 2] = payload, icrc
roce.fields = all

----------------------------------------------------------------------------------------------------------- packets

-- A part's fields, from `at` on; returns what is behind it, and the values of its whole-byte fields of up to four bytes.
local function add_part(tree, tvb, name, at)
  local part = PARTS[name]
  local top = tree:add(tvb(at, part.bytes), name)
  local values = {}
  for _, field in ipairs(part.fields) do
    local range = tvb(at + math.floor(field.offset / 8), math.ceil(field.bits / 8))
    top:add(fields[name][field.name], range)
    if field.bits <= 32 then values[field.name] = range:uint() end
  end
  return at + part.bytes, values
end

local function bytes_of(opcode)
  local bytes = PARTS.BTH.bytes + ICRC_BYTES
  for _, part in ipairs(opcode.parts) do bytes = bytes + PARTS[part].bytes end
  return bytes
end

local port = DissectorTable.get("udp.port")
local wiresharks = port:get_dissector(UDP_PORT)

function roce.dissector(tvb, pinfo, tree)
  local opcode = tvb:len() > 0 and OPCODES[tvb(0, 1):uint()]
  if not opcode or tvb:len() < bytes_of(opcode) then return wiresharks and wiresharks:call(tvb, pinfo, tree) or 0 end
  local top = tree:add(roce, tvb())
  local at, bth = add_part(top, tvb, "BTH", 0)
  local info = ("%s qp=0x%06x"):format(opcode.name, bth.DestQP)
  if opcode.name ~= "CNP" then info = info .. " psn=" .. bth.PSN end
  for _, part in ipairs(opcode.parts) do
    local values
    at, values = add_part(top, tvb, part, at)
    if values.MSN then info = info .. " msn=" .. values.MSN end
    if values.ArrivedPSN then info = info .. " arrived=" .. values.ArrivedPSN end
  end
  local left = tvb:len() - at - ICRC_BYTES
  if left > 0 then top:add(payload, tvb(at, left)) end
  top:add(icrc, tvb(tvb:len() - ICRC_BYTES, ICRC_BYTES))
  top:append_text(", " .. info)
  pinfo.cols.protocol = "RoCEv2"
  pinfo.cols.info = info
  return tvb:len()
end

port:set(UDP_PORT, roce)
