"""How work is carried out: processes, clusters, threads, progress, time."""
