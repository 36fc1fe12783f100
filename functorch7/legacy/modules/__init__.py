"""The objects: modules and criterions, those of which are written by hand that do more than their descriptions say."""
