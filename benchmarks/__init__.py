"""Side by side with the peers, in one run; the tables that the README cites come from here."""

import os

# Virtual machines that advertise AMX and trap it kill torch's own bfloat16 product; oneDNN reads this at import.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")
