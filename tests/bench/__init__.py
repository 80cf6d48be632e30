"""How much CPU a review costs: servers under the same load over TLS, one table out. See the README beside."""
