# SPDX-License-Identifier: Apache-2.0
"""What scripts/plot and the report draw of any sweep."""
