// Placeholder: the live figure comes here.
