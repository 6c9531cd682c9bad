"""Settings that make this machine compute as a plain processor would, printed as NAME=value for `env`.

numpy and OpenBLAS choose code by the processor's vector units, numba compiles for them, and the C library has
variants of `exp` and `log` for them. With these settings all of them take the oldest that they have.
"""

import numpy as np


def settings():
    """The environment of a plain processor."""
    optional = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    return {
        "NPY_DISABLE_CPU_FEATURES": " ".join(optional),
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        "OPENBLAS_CORETYPE": "Nehalem",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-FMA,-FMA4",
    }


if __name__ == "__main__":
    print("\n".join(f"{name}={value}" for name, value in settings().items()))
