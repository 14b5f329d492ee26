"""The linear algebra of `overhear bench` in numpy, on one thread."""
import gc
from importlib.util import find_spec

import numpy as np

from answer import loaded_blas, made_up, product_rate, serve


def svd(rows, cols):
    def make():
        A = made_up(rows * cols, 1).reshape(rows, cols)

        def numbers():
            values = np.linalg.svd(A, full_matrices=False)[1]
            return [np.sqrt(np.sum(values**2)), values[0], values[-1]]

        return (lambda: np.linalg.svd(A, full_matrices=False)), numbers

    return make


def least_squares(rows, cols):
    def make():
        A, b = made_up(rows * cols, 1).reshape(rows, cols), made_up(rows, 2)

        def numbers():
            x = np.linalg.lstsq(A, b, rcond=None)[0]
            return [np.sqrt(np.sum(x**2)), np.sum(x)]

        return (lambda: np.linalg.lstsq(A, b, rcond=None)), numbers

    return make


def by_qr(rows, cols):
    """LAPACK `gels` (QR), which scipy hands on."""

    def make():
        from scipy.linalg.lapack import dgels

        A, b = made_up(rows * cols, 1).reshape(rows, cols), made_up(rows, 2)
        A = np.asfortranarray(A)

        def numbers():
            x = dgels(A, b)[1][:cols]
            return [np.sqrt(np.sum(x**2)), np.sum(x)]

        return (lambda: dgels(A, b)), numbers

    return make


workloads = {
    "svd-12": svd(12, 12),
    "svd-300x50": svd(300, 50),
    "lstsq-300x42": {"gelsd": least_squares(300, 42), **({"gels": by_qr(300, 42)} if find_spec("scipy") else {})},
    "svd-1000": svd(1000, 1000),
}
gc.disable()
S = made_up(256 * 256, 3).reshape(256, 256)
np.linalg.norm(S @ S)
facts = {"version": np.__version__, "blas": loaded_blas(), "productGflops": product_rate(lambda: S @ S)}
serve(facts, workloads)
