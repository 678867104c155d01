"""Questions to layers and networks: what they cost, how convolutional they are, and proofs of the answers."""

from regard.analysis.convolution.certificate import Certificate, NetworkCertificate
from regard.analysis.convolution.conversion import (
    attention_as_printed,
    attention_from_conv,
    conv_from_attention,
    thin_attention_from_conv,
    thin_conv,
)
from regard.analysis.convolution.heads import (
    Change,
    Duplicates,
    Ellipse,
    HeadState,
    KernelFit,
    QueryMap,
    duplicates,
    ellipses,
    examine,
    merge,
    nearest_kernel,
    prune,
    query_map,
)
from regard.analysis.convolution.networks import attention_from_network, network_from_attention
from regard.analysis.cost import Formulas, ModelCost, cost, formulas
from regard.analysis.reach.argmax_graphs import ArgmaxReach, argmax_bound, argmax_reach, random_graph, widest_graph
from regard.analysis.reach.formulas import Formula
from regard.analysis.reach.formulas import formula as reach_formula
from regard.analysis.reach.path_lengths import Paths, convolution_reach, paths
from regard.analysis.reach.patterns import PatternPicture, picture
from regard.analysis.reach.receptive_field import Chosen, Reach, reach
from regard.analysis.sensitivity.depth import Flow, depth_flow, depth_flows, flow
from regard.analysis.sensitivity.jacobians import (
    Saturation,
    jacobian_norm,
    precise_softmax_jacobian,
    saturation,
    softmax_jacobian,
    weights_jacobian,
)
from regard.analysis.sensitivity.perturbation import Perturbation, perturb_key, perturb_query, reweight

__all__ = [
    "ArgmaxReach",
    "Certificate",
    "Change",
    "Chosen",
    "Duplicates",
    "Ellipse",
    "Flow",
    "Formula",
    "Formulas",
    "HeadState",
    "KernelFit",
    "ModelCost",
    "NetworkCertificate",
    "Paths",
    "PatternPicture",
    "Perturbation",
    "QueryMap",
    "Reach",
    "Saturation",
    "argmax_bound",
    "argmax_reach",
    "attention_as_printed",
    "attention_from_conv",
    "attention_from_network",
    "conv_from_attention",
    "convolution_reach",
    "cost",
    "depth_flow",
    "depth_flows",
    "duplicates",
    "ellipses",
    "examine",
    "flow",
    "formulas",
    "jacobian_norm",
    "merge",
    "nearest_kernel",
    "network_from_attention",
    "paths",
    "perturb_key",
    "perturb_query",
    "picture",
    "precise_softmax_jacobian",
    "prune",
    "query_map",
    "random_graph",
    "reach",
    "reach_formula",
    "reweight",
    "saturation",
    "softmax_jacobian",
    "thin_attention_from_conv",
    "thin_conv",
    "weights_jacobian",
    "widest_graph",
]
