"""Models that weigh entries or samples by their residuals."""
