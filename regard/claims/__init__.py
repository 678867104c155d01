"""Every statement of five course documents on attention as something to run, and other people's answers checked."""

from regard.claims.catalogue import DOCUMENTS, catalogue, select
from regard.claims.chart import Bars, Chart, Lines, Matrices
from regard.claims.claim import Claim, Finding, Judgement, Verdict, View, judge
from regard.claims.texts import Texts, Version

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
    "View",
    "catalogue",
    "judge",
    "select",
]
