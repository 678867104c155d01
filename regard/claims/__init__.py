"""Every statement of five course documents on attention as something to run, and other people's answers checked."""

from regard.claims.catalogue import DOCUMENTS, catalogue, select
from regard.claims.chart import Bars, Chart, Lines, Matrices
from regard.claims.claim import Claim, Finding, Judgement, Texts, Verdict, Version, judge

__all__ = [
    "DOCUMENTS",
    "Bars",
    "Chart",
    "Claim",
    "Finding",
    "Judgement",
    "Lines",
    "Matrices",
    "Texts",
    "Verdict",
    "Version",
    "catalogue",
    "judge",
    "select",
]
