# SPDX-License-Identifier: Apache-2.0
"""What the scripts do: scripts/NAME starts main() of a module here."""
