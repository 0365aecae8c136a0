"""What was said on a wire: read as it passes or from a file, with notes on whatever its document does not allow."""
