// SPDX-License-Identifier: Apache-2.0
// The policies of system.rnic.drp by their names. Configurations need no more, so that a change of an interface
// recompiles only what asks it.
#pragma once

#include <string_view>
#include <vector>

namespace rnicsim {

class Acknowledgement;
/// system.rnic.drp.acknowledgement. Throws std::invalid_argument.
const Acknowledgement& acknowledgement(std::string_view name);
std::vector<std::string_view> acknowledgement_names();

class BufferAdmission;
/// system.rnic.drp.buffer_admission. Throws std::invalid_argument.
const BufferAdmission& buffer_admission(std::string_view name);
std::vector<std::string_view> buffer_admission_names();

class DataTimerRule;
/// system.rnic.drp.data_timer_rule. Throws std::invalid_argument.
const DataTimerRule& data_timer_rule(std::string_view name);
std::vector<std::string_view> data_timer_rule_names();

class ModeChoice;
/// system.rnic.drp.mode_choice. Throws std::invalid_argument.
const ModeChoice& mode_choice(std::string_view name);
std::vector<std::string_view> mode_choice_names();

class ResumeRule;
/// system.rnic.drp.resume_rule. Throws std::invalid_argument.
const ResumeRule& resume_rule(std::string_view name);
std::vector<std::string_view> resume_rule_names();

class Retransmission;
/// system.rnic.drp.retransmission. Throws std::invalid_argument.
const Retransmission& retransmission(std::string_view name);
std::vector<std::string_view> retransmission_names();

class WindowRule;
/// system.rnic.drp.window_rule. Throws std::invalid_argument.
const WindowRule& window_rule(std::string_view name);
std::vector<std::string_view> window_rule_names();

}  // namespace rnicsim
