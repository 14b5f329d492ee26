"""Gradient matching on lenet-dlg in PyTorch, eager, on one thread: the work of bench/dlg.mjs from the same numbers."""
import time

import torch
from torch.nn import functional as F

from answer import loaded_blas, made_up, product_rate, serve

torch.set_num_threads(1)

SHAPES = [(12, 1, 5, 5), (12,), (12, 12, 5, 5), (12,), (12, 12, 5, 5), (12,), (10, 588), (10,)]
STRIDES = (2, 2, 1)


def parameters(dtype):
    flat = torch.from_numpy(0.5 * made_up(13426, 1)).to(dtype)
    parts, at = [], 0
    for shape in SHAPES:
        size = torch.Size(shape).numel()
        parts.append(flat[at : at + size].reshape(shape).clone().requires_grad_(True))
        at += size
    return parts


def loss(theta, image, shares):
    a = image
    for layer, stride in enumerate(STRIDES):
        a = torch.sigmoid(F.conv2d(a, theta[2 * layer], theta[2 * layer + 1], stride=stride, padding=2))
    z = F.linear(a.flatten(1), theta[6], theta[7])
    return (torch.logsumexp(z, 1) - (shares * z).sum(1)).mean()


class Problem:
    def __init__(self, dtype):
        self.theta = parameters(dtype)
        image = torch.from_numpy(0.5 + 0.5 * made_up(784, 2)).to(dtype).reshape(1, 1, 28, 28)
        label = F.one_hot(torch.tensor([3]), 10).to(dtype)
        self.target = [g.detach() for g in torch.autograd.grad(loss(self.theta, image, label), self.theta)]
        self.size = sum((g * g).sum() for g in self.target)
        self.restart(dtype)

    def restart(self, dtype):
        start = torch.from_numpy(made_up(794, 3)).to(dtype)
        self.image = start[:784].reshape(1, 1, 28, 28).clone().requires_grad_(True)
        self.label = start[784:].reshape(1, 10).clone().requires_grad_(True)

    def distance(self):
        dummy = loss(self.theta, self.image, F.softmax(self.label, 1))
        grads = torch.autograd.grad(dummy, self.theta, create_graph=True)
        return sum(((g - t) ** 2).sum() for g, t in zip(grads, self.target)) / self.size

    def evaluate(self):
        distance = self.distance()
        return distance, torch.autograd.grad(distance, [self.image, self.label])


def evaluation(dtype):
    def make():
        problem = Problem(dtype)

        def numbers():
            distance, (image, label) = problem.evaluate()
            return [distance, image.norm(), label.norm()]

        return problem.evaluate, numbers

    return make


def attack(dtype):
    """300 iterations of L-BFGS with a strong Wolfe search."""

    def make():
        problem = Problem(dtype)

        def run():
            problem.restart(dtype)
            optim = torch.optim.LBFGS(
                [problem.image, problem.label],
                lr=1,
                max_iter=300,
                max_eval=10**6,
                tolerance_grad=0,
                tolerance_change=0,
                history_size=100,
                line_search_fn="strong_wolfe",
            )

            def closure():
                optim.zero_grad()
                distance = problem.distance()
                problem.image.grad, problem.label.grad = torch.autograd.grad(distance, [problem.image, problem.label])
                return distance.detach()

            optim.step(closure)
            return problem.distance()

        return run, lambda: [run()]

    return make


def processor_time(make, count):
    """As numbers: seconds of processor time of one repetition, for machines that others keep busy."""

    def timed():
        run = make()[0]
        run()

        def numbers():
            begin = time.process_time()
            for _ in range(count):
                run()
            return [(time.process_time() - begin) / count]

        return run, numbers

    return timed


WORK = {}
for name, dtype in (("", torch.float64), ("-f32", torch.float32)):
    for title, make, count in (("evaluate", evaluation(dtype), 50), ("attack", attack(dtype), 1)):
        WORK[title + name] = make
        WORK[f"{title}{name} processor"] = processor_time(make, count)

side = torch.rand(256, 256)
serve({"version": torch.__version__, "blas": loaded_blas(), "productGflops": product_rate(lambda: side @ side)}, WORK)
