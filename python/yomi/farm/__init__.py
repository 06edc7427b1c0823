"""Work that is done elsewhere, once: a worker that may fail (:mod:`yomi.farm.process`), and who hands out the jobs
(:mod:`yomi.farm.dispatch`). What the workers run on is a :class:`~yomi.farm.dispatch.Backend`: threads of this process
(:mod:`yomi.farm.local`) or a Ray cluster (:mod:`yomi.ray`)."""
