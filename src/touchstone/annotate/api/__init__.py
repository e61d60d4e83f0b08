"""The JSON API: thin routes that call the functions of the application."""
