"""The training work of `overhear bench` in PyTorch on one thread, eager and compiled, from the same parameters and records."""
import gc

import torch
from torch import nn
from torch.nn import functional as F

from answer import loaded_blas, made_up, product_rate, serve

torch.set_num_threads(1)


def tensor(count, salt, shape, scale=1.0):
    return torch.from_numpy(scale * made_up(count, salt)).to(torch.float32).reshape(shape)


def start(net, scale):
    """First parameters: theta is their concatenation in PyTorch's order."""
    count = sum(p.numel() for p in net.parameters())
    nn.utils.vector_to_parameters(tensor(count, 1, (count,), scale), net.parameters())


def change(net, before):
    now = nn.utils.parameters_to_vector(net.parameters()).detach().double()
    moved = now - before.double()
    return [moved.norm(), moved.sum()]


def training(make_net, make_data, loss, scale=0.1, optimiser=None):
    """Three steps are compared, one is timed; with torch.compile the loss and its gradient are compiled together."""
    ways = {"eager": steps(make_net, make_data, loss, scale, optimiser, lambda compute: compute)}
    if hasattr(torch, "compile"):
        ways["compiled"] = steps(make_net, make_data, loss, scale, optimiser, torch.compile)
    return ways


def steps(make_net, make_data, loss, scale, optimiser, compiled):
    def make():
        net = make_net()
        start(net, scale)
        before = nn.utils.parameters_to_vector(net.parameters()).detach().clone()
        optim = optimiser(net) if optimiser else torch.optim.SGD(net.parameters(), lr=0.01)
        features, labels = make_data()
        compute = compiled(lambda x, y: loss(net(x), y))

        def step():
            optim.zero_grad(set_to_none=True)
            compute(features, labels).backward()
            optim.step()

        def numbers():
            for _ in range(3):
                step()
            return change(net, before)

        return step, numbers

    return make


def dense(rows, inputs, outputs):
    return lambda: (tensor(rows * inputs, 2, (rows, inputs)), tensor(rows * outputs, 3, (rows, outputs)))


def one_hot_like():
    """12 of the 41 columns of each row are not zero, as `sparseRows` in src/node/bench/bench-data.ts."""
    features = torch.zeros(32, 41)
    values = tensor(32 * 12, 2, (32, 12))
    for i in range(32):
        for j in range(12):
            features[i, (7 * j + i) % 41] = values[i, j]
    return features, tensor(32, 3, (32, 1))


def images(rows, channels, side):
    size = rows * channels * side * side
    return lambda: (tensor(size, 2, (rows, channels, side, side)), torch.arange(rows) % 10)


def two_classes():
    return tensor(32 * 21840, 2, (32, 21840)), (torch.arange(32) % 2).to(torch.float32).reshape(32, 1)


def mlp(inputs=41, hidden=128, outputs=1):
    return nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, outputs))


def lenet_mnist():
    first = [nn.Conv2d(1, 10, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(10, 20, 5), nn.MaxPool2d(2), nn.ReLU()]
    return nn.Sequential(*first, nn.Flatten(), nn.Linear(320, 50), nn.ReLU(), nn.Linear(50, 10))


def lenet_cifar():
    first = [nn.Conv2d(3, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2)]
    rest = [nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)]
    return nn.Sequential(*first, nn.Flatten(), *rest)


def dp_sgd():
    """Per-example gradients of both layers as outer products, clipped to norm 1, averaged, one step."""
    net = mlp()
    start(net, 0.1)
    before = nn.utils.parameters_to_vector(net.parameters()).detach().clone()
    W1, b1, W2, b2 = (p.data for p in net.parameters())
    X, y = dense(32, 41, 1)()

    @torch.no_grad()
    def step():
        H = torch.relu(torch.addmm(b1, X, W1.t()))
        dOut = 2 * (torch.addmm(b2, H, W2.t()) - y)
        dH = (dOut @ W2) * (H > 0)
        G1, G2 = torch.einsum("nh,nd->nhd", dH, X), torch.einsum("no,nh->noh", dOut, H)
        squares = (G1**2).sum((1, 2)) + (dH**2).sum(1) + (G2**2).sum((1, 2)) + (dOut**2).sum(1)
        share = (1 / squares.sqrt()).clamp(max=1) / 32
        W1.add_(torch.einsum("n,nhd->hd", share, G1), alpha=-0.01)
        b1.add_(share @ dH, alpha=-0.01)
        W2.add_(torch.einsum("n,noh->oh", share, G2), alpha=-0.01)
        b2.add_(share @ dOut, alpha=-0.01)

    def numbers():
        for _ in range(3):
            step()
        return change(net, before)

    return step, numbers


def second_order():
    net = mlp(8, 128, 1)
    start(net, 0.3)
    features, labels = dense(1000, 8, 1)()
    features.requires_grad_(True)
    parameters = list(net.parameters())
    target = tensor(sum(p.numel() for p in parameters), 4, (-1,))

    def run():
        loss = F.mse_loss(net(features), labels)
        grad = torch.cat([g.reshape(-1) for g in torch.autograd.grad(loss, parameters, create_graph=True)])
        cosine = grad.dot(target) / (grad.norm() * target.norm())
        return torch.autograd.grad(cosine, features)[0]

    def numbers():
        result = run().double()
        return [result.norm(), result.sum()]

    return run, numbers


def federated_run():
    """Five of the hundred rounds: 10 clients, each 40 steps from the model it is sent, then the weighted mean."""
    torch.manual_seed(1)
    net = mlp()
    start(net, 0.1)
    before = nn.utils.parameters_to_vector(net.parameters()).detach().clone()
    clients = [(tensor(1280 * 41, 10 + k, (1280, 41)), 1 + tensor(1280, 30 + k, (1280, 1))) for k in range(10)]
    share = 1 / len(clients)
    state = {"theta": {name: value.clone() for name, value in net.state_dict().items()}}
    optim = torch.optim.SGD(net.parameters(), lr=0.01)

    def one_round():
        mean = {name: torch.zeros_like(value) for name, value in state["theta"].items()}
        for features, labels in clients:
            net.load_state_dict(state["theta"])
            order = torch.randperm(1280)
            for begin in range(0, 1280, 32):
                rows = order[begin : begin + 32]
                optim.zero_grad(set_to_none=True)
                F.mse_loss(net(features[rows]), labels[rows]).backward()
                optim.step()
            for name, value in net.state_dict().items():
                mean[name].add_(value, alpha=share)
        state["theta"] = mean

    def five_rounds():
        for _ in range(5):
            one_round()

    def numbers():
        for _ in range(2):
            one_round()
        net.load_state_dict(state["theta"])
        return change(net, before)

    return five_rounds, numbers


def federated_at_once():
    """The same with all clients side by side: batched products (bmm), gradients by hand."""
    torch.manual_seed(1)
    net = mlp()
    start(net, 0.1)
    before = [p.detach().clone() for p in net.parameters()]
    X = torch.stack([tensor(1280 * 41, 10 + k, (1280, 41)) for k in range(10)])
    y = torch.stack([1 + tensor(1280, 30 + k, (1280, 1)) for k in range(10)])
    state = {"theta": [p.clone() for p in before]}
    clients = torch.arange(10).reshape(10, 1)

    @torch.no_grad()
    def one_round():
        W1, b1, W2, b2 = (p.unsqueeze(0).repeat(10, *[1] * p.dim()) for p in state["theta"])
        b1, b2 = b1.unsqueeze(1), b2.unsqueeze(1)
        order = torch.stack([torch.randperm(1280) for _ in range(10)])
        for begin in range(0, 1280, 32):
            rows = order[:, begin : begin + 32]
            x, z = X[clients, rows], y[clients, rows]
            H = torch.baddbmm(b1, x, W1.transpose(1, 2)).relu_()
            dOut = (torch.baddbmm(b2, H, W2.transpose(1, 2)) - z) * (2 / 32)
            dH = torch.bmm(dOut, W2) * (H > 0)
            W2.baddbmm_(dOut.transpose(1, 2), H, alpha=-0.01)
            b2.sub_(dOut.sum(1, keepdim=True), alpha=0.01)
            W1.baddbmm_(dH.transpose(1, 2), x, alpha=-0.01)
            b1.sub_(dH.sum(1, keepdim=True), alpha=0.01)
        state["theta"] = [W1.mean(0), b1.mean(0).squeeze(0), W2.mean(0), b2.mean(0).squeeze(0)]

    def five_rounds():
        for _ in range(5):
            one_round()

    def numbers():
        for _ in range(2):
            one_round()
        moved = torch.cat([(a.double() - b.double()).reshape(-1) for a, b in zip(state["theta"], before)])
        return [moved.norm(), moved.sum()]

    return five_rounds, numbers


workloads = {
    "mlp": training(mlp, dense(32, 41, 1), F.mse_loss),
    "mlp-sparse": training(mlp, one_hot_like, F.mse_loss),
    "linear": training(lambda: nn.Linear(20, 1), dense(32, 20, 1), F.mse_loss),
    "lenet-mnist": training(lenet_mnist, images(10, 1, 28), F.cross_entropy),
    "lenet-cifar": training(lenet_cifar, images(25, 3, 32), F.cross_entropy),
    "mapping": training(
        lambda: mlp(41, 1000, 41),
        dense(64, 41, 41),
        F.mse_loss,
        optimiser=lambda net: torch.optim.Adam(net.parameters(), lr=0.001),
    ),
    "logistic": training(
        lambda: nn.Linear(21840, 1), two_classes, F.binary_cross_entropy_with_logits, scale=0.01
    ),
    "dp-sgd": dp_sgd,
    "second-order": second_order,
    "federated-run": {"one by one": federated_run, "all at once": federated_at_once},
}
gc.disable()
S = tensor(256 * 256, 3, (256, 256))
facts = {"version": torch.__version__, "blas": "MKL" if torch.backends.mkl.is_available() else loaded_blas(), "productGflops": product_rate(lambda: S @ S)}
serve(facts, workloads)
