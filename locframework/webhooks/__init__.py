"""Webhooks: what happened here, told to addresses that asked for it."""
