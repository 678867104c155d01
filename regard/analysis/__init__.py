"""Questions to layers and networks: what they cost, how convolutional they are, and proofs of the answers."""

from regard.analysis.certificate import Certificate, NetworkCertificate
from regard.analysis.convolution import (
    attention_as_printed,
    attention_from_conv,
    conv_from_attention,
    thin_attention_from_conv,
    thinned,
)
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
from regard.analysis.patterns import PatternPicture, picture
from regard.analysis.pruning import Change, merge, prune

__all__ = [
    "Certificate",
    "Change",
    "Duplicates",
    "Ellipse",
    "HeadState",
    "KernelFit",
    "NetworkCertificate",
    "PatternPicture",
    "QueryMap",
    "attention_as_printed",
    "attention_from_conv",
    "attention_from_network",
    "conv_from_attention",
    "duplicates",
    "ellipses",
    "examine",
    "merge",
    "nearest_kernel",
    "network_from_attention",
    "picture",
    "prune",
    "query_map",
    "thin_attention_from_conv",
    "thinned",
]
