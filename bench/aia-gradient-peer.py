"""The gradient-matching attack of bench/aia-gradient.mjs in PyTorch: eager, double backward, one thread."""
import torch
from torch import nn
from torch.nn import functional as F

from answer import loaded_blas, made_up, product_rate, serve

torch.set_num_threads(1)
RECORDS, HIDDEN, MESSAGES = 1000, 128, 5


def attack(inputs, dtype):
    def make():
        def tensor(count, salt, shape, scale=1.0):
            return torch.from_numpy(scale * made_up(count, salt)).to(dtype).reshape(shape)

        known, labels = tensor(RECORDS * inputs, 2, (RECORDS, inputs)), tensor(RECORDS, 3, (RECORDS, 1))
        size = HIDDEN * (inputs + 2) + 1
        nets, targets = [], []
        for k in range(MESSAGES):
            net = nn.Sequential(nn.Linear(inputs, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1)).to(dtype)
            nn.utils.vector_to_parameters(tensor(size, 10 + k, (size,), 0.3), net.parameters())
            nets.append(net)
            targets.append(tensor(size, 20 + k, (size,)))
        logits = torch.zeros(RECORDS, 1, dtype=dtype, requires_grad=True)
        optim = torch.optim.SGD([logits], lr=100.0)

        def cosines(column):
            records = torch.cat([known[:, :-1], column], dim=1)
            total = 0.0
            for net, target in zip(nets, targets):
                loss = F.mse_loss(net(records), labels)
                grads = torch.autograd.grad(loss, list(net.parameters()), create_graph=True)
                total = total + F.cosine_similarity(torch.cat([g.flatten() for g in grads]), target, dim=0)
            return total

        def iteration():
            noise = -torch.log(-torch.log(torch.rand(RECORDS, 1, dtype=dtype)))
            soft = torch.sigmoid(logits + noise)
            hard = (soft > 0.5).to(dtype)
            share = hard - soft.detach() + soft
            optim.zero_grad(set_to_none=True)
            (-cosines(-0.5 + 2.5 * share)).backward()
            optim.step()

        def numbers():
            column = known[:, -1:].clone().requires_grad_(True)
            total = cosines(column)
            (slope,) = torch.autograd.grad(total, [column])
            return [total.detach(), slope.norm(), slope.sum()]

        return iteration, numbers

    return make


names = {"8 inputs": 8, "41 inputs": 41}
workloads = {f"{name}, {p}": attack(k, t) for name, k in names.items() for p, t in (("f32", torch.float32), ("f64", torch.float64))}
a = torch.ones(256, 256)
facts = {"version": torch.__version__, "blas": loaded_blas(), "productGflops": product_rate(lambda: a @ a)}
serve(facts, workloads)
