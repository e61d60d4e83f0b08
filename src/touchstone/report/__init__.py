"""Results for people to read: figures and the one page to send."""
