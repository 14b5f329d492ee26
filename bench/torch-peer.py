"""Answers timing requests for PyTorch on one thread: reads "workload repetitions", prints seconds per repetition."""
import sys
import time

import torch

torch.set_num_threads(1)
torch.manual_seed(0)


def mlp():
    net = torch.nn.Sequential(torch.nn.Linear(41, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1))
    optimiser = torch.optim.SGD(net.parameters(), lr=0.01)
    features, labels = torch.randn(32, 41), torch.randn(32, 1)

    def step():
        optimiser.zero_grad()
        torch.nn.functional.mse_loss(net(features), labels).backward()
        optimiser.step()

    return step


workloads = {"mlp": mlp()}
print(torch.__version__, flush=True)
for line in sys.stdin:
    name, repetitions = line.split()
    step, count = workloads[name], int(repetitions)
    start = time.perf_counter()
    for _ in range(count):
        step()
    print((time.perf_counter() - start) / count, flush=True)
