"""What a browser sees over HTTP: the pages, and an API for programs. Games are played over the WebSocket."""
