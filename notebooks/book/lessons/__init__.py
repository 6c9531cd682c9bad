"""The same work under several of the book's papers: the one place that calls them together."""
