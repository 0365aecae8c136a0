"""One follower a wire: what its document says about each message in each phase, asked of the wire's own tables."""
