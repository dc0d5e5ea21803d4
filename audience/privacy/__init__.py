"""What others must not read: the pepper, files with secrets, and addresses in stored texts."""
