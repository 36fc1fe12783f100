"""Whether compiled programs compute what their operations compute one by one, under the flags that users have."""
