"""What pages are made of: the pin strip, tables, evidence, and the boxes for words of others."""
