"""Every known limit, one file each."""
