"""Webhooks: events of projects, sent to registered URLs."""
