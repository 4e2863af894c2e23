"""What has to be right for Proved to be right. README.md says how to read it."""
