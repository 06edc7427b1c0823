"""Many machines through Ray: ``pip install "yomi[ray]"``, then ``yomi-ray experiment run NAME --address HOST:PORT``.

:mod:`yomi.ray.cluster` knows Ray; :mod:`yomi.ray.experiment` and :mod:`yomi.ray.train` say what is done there. See docs/cluster.md.
"""
