"""What scripts/plot and the report draw of any sweep."""
