"""Modules and criterions. Classes are written by hand only if their objects do more than their descriptions say."""
