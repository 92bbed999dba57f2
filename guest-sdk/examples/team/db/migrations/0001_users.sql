-- The migrations that `.guard/guard.toml` protects.
CREATE TABLE users (id INTEGER PRIMARY KEY);
