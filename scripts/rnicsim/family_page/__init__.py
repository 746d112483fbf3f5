# SPDX-License-Identifier: Apache-2.0
"""Pages on the results of one folder of scenarios: scripts/systems_page, scripts/verbs_page,
scripts/persistence_page."""
