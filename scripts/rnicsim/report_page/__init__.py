# SPDX-License-Identifier: Apache-2.0
"""The pages and pictures that scripts/report and scripts/plot make of result folders."""
