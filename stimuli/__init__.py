"""Stimuli: cases, generators and tensor makers for attention kernels."""
