"""A program → one that is as private, in a form that proofs know more about. What has to be right: ../README.md says what each step keeps."""
