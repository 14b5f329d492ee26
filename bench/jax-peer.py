"""The training work of `overhear bench` in JAX, compiled as a whole (jit), many steps in one call, on one core."""
import gc
import os

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp

from answer import made_up, product_rate, serve


def array(count, salt, shape, scale=1.0):
    return jnp.asarray((scale * made_up(count, salt)).astype(np.float32).reshape(shape))


def start(shapes, scale):
    """First parameters: theta is their concatenation in PyTorch's order."""
    sizes = [int(np.prod(shape)) for shape in shapes]
    theta = (scale * made_up(sum(sizes), 1)).astype(np.float32)
    parts = np.split(theta, np.cumsum(sizes)[:-1])
    return [jnp.asarray(part.reshape(shape)) for part, shape in zip(parts, shapes)]


def change(now, before):
    moved = np.concatenate([(np.asarray(a, np.float64) - np.asarray(b, np.float64)).ravel() for a, b in zip(now, before)])
    return [np.sqrt(np.sum(moved**2)), np.sum(moved)]


def repeated(step, first):
    """A pair for `serve`: so many steps in one call, and what three steps change. The number of steps is no constant."""
    run = jax.jit(lambda state, count: lax.fori_loop(0, count, lambda _, s: step(s), state))

    def many(count):
        jax.block_until_ready(run(first, count))

    return many, lambda count: run(first, count)


def training(shapes, forward, data, loss, scale=0.1, adam=False):
    """Three steps are compared, one is timed."""

    def make():
        before = start(shapes, scale)
        X, y = data()
        slope = jax.grad(lambda theta: loss(forward(theta, X), y))

        def sgd(theta):
            return [p - 0.01 * g for p, g in zip(theta, slope(theta))]

        def by_adam(state):
            theta, m, v, t = state
            t = t + 1
            grads = slope(theta)
            m = [0.9 * a + 0.1 * g for a, g in zip(m, grads)]
            v = [0.999 * a + 0.001 * g * g for a, g in zip(v, grads)]
            one, two = 1 - 0.9**t, 1 - 0.999**t
            theta = [p - 0.001 * (a / one) / (jnp.sqrt(b / two) + 1e-8) for p, a, b in zip(theta, m, v)]
            return theta, m, v, t

        zeros = [jnp.zeros_like(p) for p in before]
        many, after = repeated(by_adam if adam else sgd, (before, zeros, zeros, jnp.float32(0)) if adam else before)
        return many, lambda: change(after(3)[0] if adam else after(3), before)

    return make


def mse(out, y):
    return jnp.mean((out - y) ** 2)


def cross_entropy(out, y):
    return -jnp.mean(jax.nn.log_softmax(out)[jnp.arange(y.shape[0]), y])


def binary(out, y):
    return jnp.mean(jnp.maximum(out, 0) - out * y + jnp.log1p(jnp.exp(-jnp.abs(out))))


def dense(rows, inputs, outputs):
    return lambda: (array(rows * inputs, 2, (rows, inputs)), array(rows * outputs, 3, (rows, outputs)))


def one_hot_like():
    """12 of the 41 columns of each row are not zero, as `sparseRows` in src/node/bench/bench-data.ts."""
    X = np.zeros((32, 41), np.float32)
    values = made_up(32 * 12, 2).reshape(32, 12)
    for i in range(32):
        for j in range(12):
            X[i, (7 * j + i) % 41] = values[i, j]
    return jnp.asarray(X), array(32, 3, (32, 1))


def images(rows, channels, side):
    size = rows * channels * side * side
    return lambda: (array(size, 2, (rows, channels, side, side)), jnp.arange(rows) % 10)


def two_classes():
    return array(32 * 21840, 2, (32, 21840)), (jnp.arange(32) % 2).astype(jnp.float32).reshape(32, 1)


def affine(theta, X):
    W, b = theta
    return X @ W.T + b


def network(theta, X):
    W1, b1, W2, b2 = theta
    return jax.nn.relu(X @ W1.T + b1) @ W2.T + b2


def shapes_of(inputs, hidden, outputs):
    return [(hidden, inputs), (hidden,), (outputs, hidden), (outputs,)]


def convolved(X, W, b):
    return lax.conv_general_dilated(X, W, (1, 1), "VALID", dimension_numbers=("NCHW", "OIHW", "NCHW")) + b[:, None, None]


def pooled(X):
    return lax.reduce_window(X, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")


def lenet(theta, X):
    (W1, b1, W2, b2), rest = theta[:4], theta[4:]
    H = jax.nn.relu(pooled(convolved(X, W1, b1)))
    H = jax.nn.relu(pooled(convolved(H, W2, b2)))
    H = H.reshape(X.shape[0], -1)
    for k in range(0, len(rest) - 2, 2):
        H = jax.nn.relu(H @ rest[k].T + rest[k + 1])
    return H @ rest[-2].T + rest[-1]


def lenet_shapes(channels, first, second, *widths):
    convolutions = [(first, channels, 5, 5), (first,), (second, first, 5, 5), (second,)]
    pairs = zip(widths[:-1], widths[1:])
    return convolutions + [shape for inputs, outputs in pairs for shape in ((outputs, inputs), (outputs,))]


def dp_sgd():
    """Norms of per-example gradients without the gradients ("ghost norms"): |d|^2 (|x|^2 + 1) for every layer."""
    before = start(shapes_of(41, 128, 1), 0.1)
    X, y = dense(32, 41, 1)()

    def step(theta):
        W1, b1, W2, b2 = theta
        H = jax.nn.relu(X @ W1.T + b1)
        dOut = 2 * (H @ W2.T + b2 - y)
        dH = (dOut @ W2) * (H > 0)
        of = lambda d, x: jnp.sum(d * d, 1) * (jnp.sum(x * x, 1) + 1)
        share = jnp.minimum(1 / jnp.sqrt(of(dH, X) + of(dOut, H)), 1) / 32
        sH, sOut = dH * share[:, None], dOut * share[:, None]
        return [W1 - 0.01 * sH.T @ X, b1 - 0.01 * sH.sum(0), W2 - 0.01 * sOut.T @ H, b2 - 0.01 * sOut.sum(0)]

    many, after = repeated(step, before)
    return many, lambda: change(after(3), before)


def second_order():
    theta = start(shapes_of(8, 128, 1), 0.3)
    X, y = dense(1000, 8, 1)()
    target = array(sum(p.size for p in theta), 4, (-1,))
    slope = jax.grad(lambda p, x: mse(network(p, x), y))

    def cosine(x):
        g = jnp.concatenate([part.ravel() for part in slope(theta, x)])
        return g @ target / (jnp.linalg.norm(g) * jnp.linalg.norm(target))

    found = jax.grad(cosine)
    # What would be the same each time would be computed once.
    many, _ = repeated(lambda x: x + 1e-12 * found(x), X)
    result = lambda: np.asarray(jax.jit(found)(X), np.float64)
    return many, lambda: [np.sqrt(np.sum(result() ** 2)), np.sum(result())]


def federated_run():
    """Five of the hundred rounds: 10 clients at once (vmap), each 40 steps (scan), then the mean. Orders are drawn before."""
    before = start(shapes_of(41, 128, 1), 0.1)
    X = jnp.stack([array(1280 * 41, 10 + k, (1280, 41)) for k in range(10)])
    y = jnp.stack([1 + array(1280, 30 + k, (1280, 1)) for k in range(10)])
    draws = np.random.default_rng(1)
    orders = np.stack([[draws.permutation(1280).reshape(40, 32) for _ in range(10)] for _ in range(5)])
    slope = jax.grad(lambda theta, x, z: mse(network(theta, x), z))

    def client(theta, x, z, order):
        def step(now, rows):
            return [p - 0.01 * g for p, g in zip(now, slope(now, x[rows], z[rows]))], None

        return lax.scan(step, theta, order)[0]

    def one_round(theta, order):
        return [p.mean(0) for p in jax.vmap(client, (None, 0, 0, 0))(theta, X, y, order)], None

    rounds = jax.jit(lambda theta, given: lax.scan(one_round, theta, given)[0])
    given = jnp.asarray(orders)

    def many(count):
        for _ in range(count):
            jax.block_until_ready(rounds(before, given))

    return many, lambda: change(rounds(before, given[:2]), before)


def many(make):
    """The maker of a pair whose first does so many repetitions at once."""
    make.many = True
    return make


small = shapes_of(41, 128, 1)
workloads = {
    "mlp": training(small, network, dense(32, 41, 1), mse),
    "mlp-sparse": training(small, network, one_hot_like, mse),
    "linear": training([(1, 20), (1,)], affine, dense(32, 20, 1), mse),
    "lenet-mnist": training(lenet_shapes(1, 10, 20, 320, 50, 10), lenet, images(10, 1, 28), cross_entropy),
    "lenet-cifar": training(lenet_shapes(3, 6, 16, 400, 120, 84, 10), lenet, images(25, 3, 32), cross_entropy),
    "mapping": training(shapes_of(41, 1000, 41), network, dense(64, 41, 41), mse, adam=True),
    "logistic": training([(1, 21840), (1,)], affine, two_classes, binary, scale=0.01),
    "dp-sgd": dp_sgd,
    "second-order": second_order,
    "federated-run": federated_run,
}
gc.disable()
S = array(256 * 256, 3, (256, 256))
multiply = jax.jit(lambda a: a @ a)
multiply(S).block_until_ready()
facts = {"version": jax.__version__, "blas": "XLA", "productGflops": product_rate(lambda: multiply(S).block_until_ready())}
serve(facts, {name: {"jit": many(make)} for name, make in workloads.items()})
