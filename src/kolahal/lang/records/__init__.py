"""Records: functions of one record, aggregates of a list of them, and how far neighbours move these."""
