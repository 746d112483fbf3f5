# SPDX-License-Identifier: Apache-2.0
"""What the scripts do: scripts/NAME starts main() of a module here.

faults/ has lists of changes: where each stands by function and tokens, building with one, which
tests notice. verilog/ reads, checks, proves and measures the Verilog. comparison/, report_page/,
family_page/ and templates/ make pages and pictures. slurm/ is for Slurm.
"""
