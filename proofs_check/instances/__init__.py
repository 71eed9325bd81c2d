"""Instances, laws and steps that the claims of several papers share."""
