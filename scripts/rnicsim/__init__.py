"""What the scripts do: scripts/NAME starts main() of a module here."""
