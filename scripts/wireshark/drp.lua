-- DRP, the dynamic RDMA protocol, and the PCIe requests in rnicsim's captures, for Wireshark. How to install it, what to
-- filter for: README.md beside it.

-- header: begin (written by scripts/reference from tlm/drp/drp_header.h: do not edit)
local ETHER_TYPE = 0x01FF
local HEADER_BYTES = 32
local FIELDS = {
  { name = "CTRL", offset = 0, size = 1, meaning = "flags" },
  { name = "EXT", offset = 1, size = 1, meaning = "extension opcode, 0 in this version" },
  { name = "TID", offset = 2, size = 2, meaning = "id of the transfer" },
  { name = "LEN", offset = 4, size = 4, meaning = "REQ, REQ_ACK: bytes of the transfer; DATA: payload bytes of this frame; 0 = acknowledgement" },
  { name = "SN", offset = 8, size = 4, meaning = "DATA: index of the frame in the transfer; REQ: segment size in bytes" },
  { name = "ACKN", offset = 12, size = 4, meaning = "next SN expected (cumulative)" },
  { name = "SBA", offset = 16, size = 8, meaning = "base address of the region at the initiator" },
  { name = "DBA", offset = 24, size = 8, meaning = "base address of the region at the responder" },
}
local FLAGS = { -- bits of CTRL
  { name = "REQ", mask = 0x80, is_type = true },
  { name = "REQ_ACK", mask = 0x40, is_type = true },
  { name = "DATA", mask = 0x20, is_type = true },
  { name = "REL", mask = 0x10, is_type = true },
  { name = "REL_ACK", mask = 0x08, is_type = true },
  { name = "RW", mask = 0x04, is_type = false },
  { name = "MODE", mask = 0x02, is_type = false },
  { name = "VALID", mask = 0x01, is_type = false },
}
-- header: end

local HEADER_OFFSET = 14 -- behind the addresses and the type

local drp = Proto("drp", "Dynamic RDMA protocol")
local tlp = Proto("tlp", "PCIe TLP")

-- What a capture says about a frame besides its bytes. Absent from old pcap files.
local interface_name = Field.new("frame.interface_name")
local frame_comment = Field.new("frame.comment")

local function text_of(field)
  local info = field()
  return info and tostring(info) or ""
end

------------------------------------------------------------------------------------------------------------- fields

local BY_SIZE = {
  [1] = { make = ProtoField.uint8, base = base.HEX },
  [2] = { make = ProtoField.uint16, base = base.DEC },
  [4] = { make = ProtoField.uint32, base = base.DEC },
  [8] = { make = ProtoField.uint64, base = base.HEX },
}

local header_fields, flag_fields, spec = {}, {}, {} -- by name, as in FIELDS and FLAGS
local f = { -- the others; eth.* are those of Wireshark's own dissector, which does not see these frames
  destination = ProtoField.ether("eth.dst", "Destination"),
  source = ProtoField.ether("eth.src", "Source"),
  address = ProtoField.ether("eth.addr", "Address"),
  ether_type = ProtoField.uint16("eth.type", "Type", base.HEX),
  kind = ProtoField.string("drp.type", "Type"),
  operation = ProtoField.string("drp.operation", "Operation"),
  transfer = ProtoField.string("drp.transfer", "Transfer", base.ASCII, "MAC address of the initiator / number; the number is the TID, which wraps, while this does not"),
  request = ProtoField.framenum("drp.request", "The transfer's request", base.NONE, frametype.REQUEST),
  response_to = ProtoField.framenum("drp.response_to", "Answers", base.NONE, frametype.REQUEST),
  response_in = ProtoField.framenum("drp.response_in", "Answered by", base.NONE, frametype.RESPONSE),
  payload = ProtoField.bytes("drp.payload", "Payload"),
}
local all_fields = {}
for _, field in pairs(f) do all_fields[#all_fields + 1] = field end
for _, field in ipairs(FIELDS) do
  local form = BY_SIZE[field.size]
  header_fields[field.name] = form.make("drp." .. field.name:lower(), field.name, form.base, nil, nil, field.meaning)
  spec[field.name] = field
  all_fields[#all_fields + 1] = header_fields[field.name]
end
for _, flag in ipairs(FLAGS) do
  flag_fields[flag.name] = ProtoField.bool("drp.ctrl." .. flag.name:lower(), flag.name, 8, nil, flag.mask)
  all_fields[#all_fields + 1] = flag_fields[flag.name]
end
drp.fields = all_fields

local note = {
  malformed = ProtoExpert.new("drp.malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR),
  retransmission = ProtoExpert.new("drp.retransmission", "Retransmission", expert.group.SEQUENCE, expert.severity.NOTE),
  duplicate_ack = ProtoExpert.new("drp.duplicate_ack", "Duplicate ack", expert.group.SEQUENCE, expert.severity.NOTE),
  repeated_request = ProtoExpert.new("drp.repeated_request", "Repeated request", expert.group.SEQUENCE, expert.severity.NOTE),
  simulated_request_ack = ProtoExpert.new("drp.simulated_request_ack", "Simulated request-ack", expert.group.SEQUENCE, expert.severity.NOTE),
  mode_switch = ProtoExpert.new("drp.mode_switch", "Mode switch", expert.group.SEQUENCE, expert.severity.NOTE),
}
drp.experts = { note.malformed, note.retransmission, note.duplicate_ack, note.repeated_request, note.simulated_request_ack, note.mode_switch }

----------------------------------------------------------------------------------------------------------- decoding

local function value_of(tvb, name)
  return tvb(HEADER_OFFSET + spec[name].offset, spec[name].size):uint()
end

-- The header's values, and why the frame is malformed: the rules, and their order, of tlm/drp/drp_header.cpp. Neither, if the
-- capture has kept too little of the frame.
local function decode(tvb)
  local client_bytes = tvb:reported_len() - HEADER_OFFSET -- padding counts, as it does for the receiver
  if client_bytes < HEADER_BYTES then return nil, "truncated: " .. client_bytes .. " bytes, a header has " .. HEADER_BYTES end
  if tvb:len() < HEADER_OFFSET + HEADER_BYTES then return nil, nil end
  local ctrl = value_of(tvb, "CTRL")
  local h, types = { flag = {} }, 0
  for _, flag in ipairs(FLAGS) do
    local set = math.floor(ctrl / flag.mask) % 2 == 1
    h.flag[flag.name] = set
    if set and flag.is_type then
      types = types + 1
      h.kind = flag.name
    end
  end
  h.tid, h.len, h.sn, h.ackn = value_of(tvb, "TID"), value_of(tvb, "LEN"), value_of(tvb, "SN"), value_of(tvb, "ACKN")
  if types ~= 1 then return h, "type_bits: " .. types .. " of the type bits are set" end
  if h.kind == "DATA" and h.len == 0 then h.kind = "ACK" end
  h.operation = h.flag.RW and "read" or "write"
  if value_of(tvb, "EXT") ~= 0 then return h, "extension: EXT is not 0" end
  if h.kind == "DATA" and h.len > client_bytes - HEADER_BYTES then
    return h, "length: LEN says " .. h.len .. " bytes, the frame has " .. client_bytes - HEADER_BYTES
  end
  if h.kind == "REQ" and (h.len == 0 or h.sn == 0) then return h, "length: a request for nothing" end
  return h, nil
end

local function info_of(h)
  local text = ("%s %s tid=%d"):format(h.operation, h.kind, h.tid)
  if h.kind == "REQ" then text = ("%s len=%d segment=%d"):format(text, h.len, h.sn) end
  if h.kind == "REQ_ACK" then text = ("%s len=%d %s"):format(text, h.len, h.flag.VALID and "valid" or "invalid") end
  if h.kind == "DATA" then text = ("%s sn=%d len=%d"):format(text, h.sn, h.len) end
  if h.kind == "ACK" then text = ("%s ackn=%d"):format(text, h.ackn) end
  return text .. (h.flag.MODE and " indirect" or "")
end

---------------------------------------------------------------------------------------------------------- transfers

local newest = {}    -- number of the newest transfer, by initiator
local transfers = {} -- by point of view and transfer: what has been seen of it
local results = {}   -- by frame number: what the first pass has found out

function drp.init()
  newest, transfers, results = {}, {}, {}
end

-- TIDs are handed out in order and wrap: the one seen is the one nearest to the newest so far (model/rnic/drp/tid_sequence.h).
local function number_of(initiator, tid)
  local last = newest[initiator] or 0
  local behind = (last - tid) % 65536
  if behind < 32768 and behind <= last then return last - behind end
  newest[initiator] = last + (tid - last) % 65536
  return newest[initiator]
end

-- A capture of rnicsim holds each frame where it is sent and where it is received: an end sees what it sends and what
-- reaches it. Frames of other captures are seen by the interface.
local function point_of_view()
  local name = text_of(interface_name)
  return name:match("^(%w+)%.sent$") or name:match("^(%w+)%.received$") or name
end

local function answer(result, number, to)
  if to == nil then return end
  result.response_to = to
  results[to].response_in = results[to].response_in or number
end

local function follow(h, number, source, destination)
  local from_initiator = h.kind == "REQ" or h.kind == "REL"
  if h.kind == "DATA" then from_initiator = h.operation == "write" end
  if h.kind == "ACK" then from_initiator = h.operation == "read" end
  local initiator = from_initiator and source or destination
  local result = { transfer = ("%s/%d"):format(initiator, number_of(initiator, h.tid)), notes = {} }
  results[number] = result
  local function add(expert, tag, text) result.notes[#result.notes + 1] = { expert = expert, tag = tag, text = text } end

  local key = point_of_view() .. " " .. result.transfer
  -- Nobody acknowledges ACKN 0 of a write but for a frame that came too early; a read's initiator is "ready" with it.
  transfers[key] = transfers[key] or { first = {}, latest = {}, ackn = h.operation == "write" and 0 or nil }
  local t = transfers[key]
  result.request = t.request
  if h.kind == "REQ" then
    if t.request then add(note.repeated_request, "repeated", "Repeated request, the first is frame " .. t.request) end
    t.request, t.latest_request = t.request or number, number
  elseif h.kind == "REQ_ACK" then
    t.valid = t.valid or h.flag.VALID
    answer(result, number, t.latest_request)
  elseif h.kind == "DATA" then
    local first = t.first[h.sn]
    if first then add(note.retransmission, "retransmission", "Retransmission of SN " .. h.sn .. ", the first is frame " .. first) end
    t.first[h.sn], t.latest[h.sn] = first or number, number
    local mode = h.flag.MODE and "indirect" or "direct"
    if t.mode and t.mode ~= mode then add(note.mode_switch, "mode switch", "Mode switch: " .. t.mode .. " -> " .. mode) end
    t.mode = mode
    if h.flag.MODE and not t.valid and not t.simulated then
      t.simulated = true
      add(note.simulated_request_ack, "simulated REQ_ACK", h.operation == "write"
        and "Simulated request-ack: the initiator sends data before any valid REQ_ACK"
        or "Simulated request-ack: this data stands for the missing REQ_ACK")
    end
  elseif h.kind == "ACK" then
    if t.ackn == h.ackn then add(note.duplicate_ack, "duplicate", "Duplicate ack: ACKN " .. h.ackn .. " again") end
    t.ackn = h.ackn
    answer(result, number, t.latest[h.ackn - 1])
  elseif h.kind == "REL" then
    t.release = number
  elseif h.kind == "REL_ACK" then
    answer(result, number, t.release)
  end
end

------------------------------------------------------------------------------------------------------------ frames

local function add_header(tree, tvb, h)
  for _, field in ipairs(FIELDS) do
    local range = tvb(HEADER_OFFSET + field.offset, field.size)
    local item = tree:add(header_fields[field.name], range)
    if field.name == "CTRL" then
      for _, flag in ipairs(FLAGS) do item:add(flag_fields[flag.name], range) end
    elseif field.name == "SN" and h.kind == "REQ" then
      item:append_text(" (bytes of a segment)")
    end
  end
end

local function add_findings(tree, result)
  tree:add(f.transfer, result.transfer):set_generated()
  for _, link in ipairs({ "request", "response_to", "response_in" }) do
    if result[link] then tree:add(f[link], result[link]):set_generated() end
  end
  for _, found in ipairs(result.notes) do tree:add_proto_expert_info(found.expert, found.text) end
end

local function dissect(tvb, pinfo, tree)
  if tvb:len() < HEADER_OFFSET or tvb(12, 2):uint() ~= ETHER_TYPE then return false end
  local destination, source = tvb(0, 6):bytes():tohex(true, ":"), tvb(6, 6):bytes():tohex(true, ":")
  local ethernet = tree:add(tvb(0, HEADER_OFFSET), "Ethernet II, Src: " .. source .. ", Dst: " .. destination)
  ethernet:add(f.destination, tvb(0, 6))
  ethernet:add(f.address, tvb(0, 6)):set_hidden()
  ethernet:add(f.source, tvb(6, 6))
  ethernet:add(f.address, tvb(6, 6)):set_hidden()
  ethernet:add(f.ether_type, tvb(12, 2))

  pinfo.cols.protocol = "DRP"
  local lost = text_of(frame_comment):match("^lost ") and " [lost]" or ""
  local h, malformed = decode(tvb)
  local top = tree:add(drp, tvb(HEADER_OFFSET))
  if h then add_header(top, tvb, h) end
  if malformed then
    top:add_proto_expert_info(note.malformed, "Malformed, " .. malformed)
    pinfo.cols.info = "malformed, " .. malformed .. lost
    return true
  end
  if not h then
    pinfo.cols.info = "header not captured" .. lost
    return true
  end
  local info = info_of(h)
  top:append_text(", " .. info)
  top:add(f.kind, h.kind):set_generated()
  top:add(f.operation, h.operation):set_generated()
  if not pinfo.visited or results[pinfo.number] == nil then follow(h, pinfo.number, source, destination) end
  local result = results[pinfo.number]
  add_findings(top, result)
  for _, found in ipairs(result.notes) do info = info .. " [" .. found.tag .. "]" end
  pinfo.cols.info = info .. lost
  if h.kind == "DATA" then
    local offset = HEADER_OFFSET + HEADER_BYTES
    local captured = math.min(h.len, tvb:len() - offset)
    if captured > 0 then top:add(f.payload, tvb(offset, captured)) end
  end
  return true
end

-- Below 0x0600 Ethernet takes the type for an IEEE 802.3 length, but asks its heuristic dissectors first.
drp:register_heuristic("eth", dissect)

-------------------------------------------------------------------------------------------------------------- TLPs

-- By Fmt and Type.
local KINDS = { [0x00] = "MRd", [0x20] = "MRd", [0x40] = "MWr", [0x60] = "MWr", [0x0A] = "Cpl", [0x4A] = "CplD" }
local STATUS = { [0] = "successful", [1] = "unsupported request" }
local g = {
  kind = ProtoField.string("tlp.kind", "Kind"),
  fmt_type = ProtoField.uint8("tlp.fmt_type", "Fmt and Type", base.HEX),
  length = ProtoField.uint16("tlp.length", "Length", base.DEC, nil, 0x03FF, "DWs; 0 stands for 1024"),
  requester = ProtoField.uint16("tlp.requester", "Requester ID", base.HEX),
  tag = ProtoField.uint8("tlp.tag", "Tag", base.DEC),
  last_be = ProtoField.uint8("tlp.last_be", "Last DW byte enables", base.HEX, nil, 0xF0),
  first_be = ProtoField.uint8("tlp.first_be", "First DW byte enables", base.HEX, nil, 0x0F),
  address = ProtoField.uint64("tlp.address", "Address", base.HEX),
  bytes = ProtoField.uint32("tlp.bytes", "Bytes", base.DEC, nil, nil, "those that the byte enables leave"),
  data = ProtoField.bytes("tlp.data", "Data"),
  completer = ProtoField.uint16("tlp.completer", "Completer ID", base.HEX),
  status = ProtoField.uint8("tlp.status", "Status", base.DEC, STATUS, 0xE0),
  byte_count = ProtoField.uint16("tlp.byte_count", "Byte count", base.DEC, nil, 0x0FFF),
  lower_address = ProtoField.uint8("tlp.lower_address", "Lower address", base.HEX, nil, 0x7F),
}
tlp.fields = {}
for _, field in pairs(g) do table.insert(tlp.fields, field) end

-- Bytes that are left out before the first enabled one, and behind the last.
local function left_out(enables)
  local before, behind = 0, 0
  while before < 4 and math.floor(enables / 2 ^ before) % 2 == 0 do before = before + 1 end
  while behind < 4 and math.floor(enables / 2 ^ (3 - behind)) % 2 == 0 do behind = behind + 1 end
  return before, behind
end

-- Its line.
local function completion(tvb, top, kind)
  local count = tvb(6, 2):bitfield(4, 12)
  top:add(g.completer, tvb(4, 2))
  top:add(g.status, tvb(6, 1))
  top:add(g.byte_count, tvb(6, 2))
  top:add(g.requester, tvb(8, 2))
  top:add(g.tag, tvb(10, 1))
  top:add(g.lower_address, tvb(11, 1))
  if kind == "Cpl" then
    local status = tvb(6, 1):bitfield(0, 3)
    return "Cpl, " .. (STATUS[status] or "status " .. status) .. ", tag " .. tvb(10, 1):uint()
  end
  top:add(g.bytes, count):set_generated()
  local first = 12 + tvb(11, 1):bitfield(6, 2)
  if tvb:len() >= first + count then top:add(g.data, tvb(first, count)) end
  return "CplD " .. count .. " B, tag " .. tvb(10, 1):uint()
end

-- USER0 is anybody's.
local function ends_of(name)
  local owner = name:match("^([%w_]+)%.pcie$")
  if owner then return "RNIC " .. owner, "host " .. owner end
  local bridge, from, to = name:match("^([%w_]+)%.([%w_]+)>([%w_]+)$")
  if bridge then return "host " .. from, "host " .. to end
end

function tlp.dissector(tvb, pinfo, tree)
  local from, to = ends_of(text_of(interface_name))
  if not from or tvb:len() < 12 then return 0 end
  local fmt_type = tvb(0, 1):uint()
  local kind, wide = KINDS[fmt_type], fmt_type % 0x40 == 0x20
  if not kind or (wide and tvb:len() < 16) then return 0 end
  local dws = tvb(2, 2):bitfield(6, 10)
  if dws == 0 then dws = 1024 end
  pinfo.cols.protocol = "PCIe"
  pinfo.cols.src = from
  pinfo.cols.dst = to
  if fmt_type % 0x40 == 0x0A then
    local top = tree:add(tlp, tvb(0, 12))
    top:add(g.kind, kind):set_generated()
    top:add(g.fmt_type, tvb(0, 1))
    top:add(g.length, tvb(2, 2))
    local info = completion(tvb, top, kind)
    top:append_text(", " .. info)
    pinfo.cols.info = info
    return tvb:len()
  end
  local first_be, last_be = tvb(7, 1):bitfield(4, 4), tvb(7, 1):bitfield(0, 4)
  local before = left_out(first_be)
  local _, behind = left_out(dws == 1 and first_be or last_be)
  local address = tvb(8, wide and 8 or 4)
  local start = address:uint64() + before
  local bytes = 4 * dws - before - behind

  local top = tree:add(tlp, tvb(0, wide and 16 or 12))
  top:add(g.kind, kind):set_generated()
  top:add(g.fmt_type, tvb(0, 1))
  top:add(g.length, tvb(2, 2))
  top:add(g.requester, tvb(4, 2))
  top:add(g.tag, tvb(6, 1))
  top:add(g.last_be, tvb(7, 1))
  top:add(g.first_be, tvb(7, 1))
  top:add(g.address, address, start)
  top:add(g.bytes, bytes):set_generated()
  local first = (wide and 16 or 12) + before
  if kind == "MWr" and tvb:len() >= first + bytes then top:add(g.data, tvb(first, bytes)) end
  local info = kind .. " " .. bytes .. " B at 0x" .. start:tohex():gsub("^0+(%x)", "%1")
  if text_of(frame_comment) == "interrupt" then info = info .. ", interrupt" end
  top:append_text(", " .. info)
  pinfo.cols.info = info
  return tvb:len()
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, tlp)
