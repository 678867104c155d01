"""ETH Zürich, NLP assignment 6: self-attention and convolution."""

CLAIMS = ()
