"""Launches the programs of ``code/jobs``, and makes records of what they measure.

``catalogue`` reads what programs there are, ``launch`` runs one and listens to it, ``watch`` looks
at the GPU meanwhile, ``provenance`` says where it ran, ``records`` puts these together.
``script``, ``state``, ``collect`` and ``refresh`` do the same by jobs of a cluster.
"""
