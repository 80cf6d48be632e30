"""The pure core: values in, a decision out."""
