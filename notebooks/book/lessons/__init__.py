"""What several of the book's papers make of the same work: the one place that calls them together."""
