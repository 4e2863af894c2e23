"""Steps one to five of the road, one file a step."""
