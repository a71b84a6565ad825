"""Ways to run an arena: containers, systemd, proxies, and the same parts without a container engine."""
