"""The smallest true user of locframework: serves it, with a demo project inside."""
