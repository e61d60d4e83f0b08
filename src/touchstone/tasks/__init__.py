"""The four tasks. None knows another."""
