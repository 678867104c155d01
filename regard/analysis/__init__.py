"""Questions to layers and networks: what they cost, how convolutional they are, and proofs of the answers."""

from regard.analysis.argmax_graphs import ArgmaxReach, argmax_bound, argmax_reach, random_graph, widest_graph
from regard.analysis.certificate import Certificate, NetworkCertificate
from regard.analysis.convolution import (
    attention_as_printed,
    attention_from_conv,
    conv_from_attention,
    thin_attention_from_conv,
    thinned,
)
from regard.analysis.costs import Formulas, ModelCost, cost, formulas
from regard.analysis.heads import (
    Duplicates,
    Ellipse,
    HeadState,
    KernelFit,
    QueryMap,
    duplicates,
    ellipses,
    examine,
    nearest_kernel,
    query_map,
)
from regard.analysis.networks import attention_from_network, network_from_attention
from regard.analysis.path_lengths import Paths, convolution_reach, paths
from regard.analysis.patterns import PatternPicture, picture
from regard.analysis.pruning import Change, merge, prune
from regard.analysis.receptive_field import Chosen, Reach, reach
from regard.analysis.receptive_formulas import Formula
from regard.analysis.receptive_formulas import formula as reach_formula

__all__ = [
    "ArgmaxReach",
    "Certificate",
    "Change",
    "Chosen",
    "Duplicates",
    "Ellipse",
    "Formula",
    "Formulas",
    "HeadState",
    "KernelFit",
    "ModelCost",
    "NetworkCertificate",
    "Paths",
    "PatternPicture",
    "QueryMap",
    "Reach",
    "argmax_bound",
    "argmax_reach",
    "attention_as_printed",
    "attention_from_conv",
    "attention_from_network",
    "conv_from_attention",
    "convolution_reach",
    "cost",
    "duplicates",
    "ellipses",
    "examine",
    "formulas",
    "merge",
    "nearest_kernel",
    "network_from_attention",
    "paths",
    "picture",
    "prune",
    "query_map",
    "random_graph",
    "reach",
    "reach_formula",
    "thin_attention_from_conv",
    "thinned",
    "widest_graph",
]
