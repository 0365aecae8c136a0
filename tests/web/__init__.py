"""The door for browsers, over HTTP and its WebSocket."""
