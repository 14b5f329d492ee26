"""One round's detector in PyTorch, on one thread: LeNet updates as bench/detector.mjs makes them, and logistic regressions.

argv: the rows of the update that is compared, as JSON, in the order in which they are visited.
"""
import json
import sys

import torch
from torch import nn
from torch.nn import functional as F

from answer import loaded_blas, made_up, product_rate, serve

torch.set_num_threads(1)
torch.manual_seed(1)
PICTURES, SIZE, BATCH, RATE, TRAINED = 2000, 25, 10, 0.01, 600
SHAPES = [(10, 1, 5, 5), (10,), (20, 10, 5, 5), (20,), (50, 320), (50,), (10, 50), (10,)]
X = torch.from_numpy(made_up(PICTURES * 784, 1)).float().reshape(PICTURES, 1, 28, 28)
y = torch.arange(PICTURES) % 10
START = torch.from_numpy(0.1 * made_up(21840, 2)).float()


def logits(theta, x):
    w1, b1, w2, b2, w3, b3, w4, b4 = theta
    a = F.relu(F.max_pool2d(F.conv2d(x, w1, b1), 2))
    a = F.relu(F.max_pool2d(F.conv2d(a, w2, b2), 2))
    return F.linear(F.relu(F.linear(a.flatten(1), w3, b3)), w4, b4)


def update(rows):
    """theta_c - theta after one epoch over the rows; steps are taken by hand, which is faster than torch.optim."""
    flat = START.clone()
    parts = flat.split([torch.Size(shape).numel() for shape in SHAPES])
    theta = [part.view(shape).requires_grad_(True) for part, shape in zip(parts, SHAPES)]
    for at in range(0, len(rows), BATCH):
        batch = rows[at : at + BATCH]
        grads = torch.autograd.grad(F.cross_entropy(logits(theta, X[batch]), y[batch]), theta)
        with torch.no_grad():
            for parameter, grad in zip(theta, grads):
                parameter.sub_(grad, alpha=RATE)
    return flat - START


def updates():
    asked = torch.tensor(json.loads(sys.argv[1]))

    def numbers():
        found = update(asked).double()
        return [found.norm(), found.sum(), found @ torch.from_numpy(made_up(21840, 3))]

    return lambda: update(torch.randperm(PICTURES)[:SIZE]), numbers


def detector(fit):
    """From 1,200 updates to a feature: standardise the half that trains, fit, and take the others' moments."""

    def make():
        marks = (torch.arange(2 * TRAINED) % 2).float()
        rows = torch.stack([(1 - 2 * mark) * update(torch.randperm(PICTURES)[:SIZE]) for mark in marks])

        def run():
            spread, mean = torch.std_mean(rows[:TRAINED], 0)
            spread = spread.clamp(min=0.1 * spread.mean())
            line = fit((rows[:TRAINED] - mean) / spread, marks[:TRAINED])
            with torch.no_grad():
                alpha = line.weight[0] / spread
                features = rows[TRAINED:] @ alpha + (line.bias - mean @ alpha)
                return [torch.std_mean(features[marks[TRAINED:] == mark]) for mark in (0, 1)]

        return run, lambda: []

    return make


def by_sgd(Z, marks):
    """As published: steps of 0.01 on batches of 16, 50 epochs; choosing among them costs nothing here."""
    line = nn.Linear(Z.shape[1], 1)
    optim = torch.optim.SGD(line.parameters(), lr=0.01)
    for _ in range(50):
        for rows in torch.randperm(len(Z)).split(16):
            optim.zero_grad(set_to_none=True)
            F.binary_cross_entropy_with_logits(line(Z[rows])[:, 0], marks[rows]).backward()
            optim.step()
    return line


def by_lbfgs(Z, marks):
    """Our objective: five penalties from large to small, each from the solution of the one before."""
    size = (Z**2).sum(1).mean()
    line = nn.Linear(Z.shape[1], 1)
    nn.init.zeros_(line.weight)
    for penalty in (10, 1, 0.1, 0.01, 0.001):
        optim = torch.optim.LBFGS(line.parameters(), max_iter=100, line_search_fn="strong_wolfe")

        def loss():
            optim.zero_grad(set_to_none=True)
            total = F.binary_cross_entropy_with_logits(line(Z)[:, 0], marks, reduction="sum")
            total = total + 0.5 * penalty * size * (line.weight**2).sum()
            total.backward()
            return total

        optim.step(loss)
    return line


a = torch.ones(256, 256)
facts = {"version": torch.__version__, "blas": loaded_blas(), "productGflops": product_rate(lambda: a @ a)}
serve(facts, {"updates": updates, "sgd": detector(by_sgd), "lbfgs": detector(by_lbfgs)})
