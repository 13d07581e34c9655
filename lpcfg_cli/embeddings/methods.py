"""The table of methods that learn embeddings.  A new one is a file that defines an `EmbeddingMethod`, and an entry."""

from __future__ import annotations

from lpcfg_cli.config import Table
from lpcfg_cli.embeddings.lr_mvl import LR_MVL
from lpcfg_cli.embeddings.method import EmbeddingMethod
from lpcfg_cli.embeddings.one_step import ONE_STEP
from lpcfg_cli.embeddings.ppmi import PPMI_SVD
from lpcfg_cli.embeddings.two_step import TWO_STEP

EMBEDDING_METHODS: Table[EmbeddingMethod] = Table("embedding method", ONE_STEP, TWO_STEP, LR_MVL, PPMI_SVD)
