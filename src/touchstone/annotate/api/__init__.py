"""The JSON API: thin routes that call one function each."""
