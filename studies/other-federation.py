"""A federation of somebody else's: trains the clients of a simulated world anew, with its own arithmetic and batches.

    python3 studies/other-federation.py FROM TO --seed 1 --with numpy|torch

FROM is the folder of a simulation (transcript, truth); TO gets a transcript of the same world, with the names that PyTorch
gives to parameters and without the settings that other people do not write down (optimizer, clipping, compression).
Fully connected networks on squared errors, plain SGD, batches in a new order every epoch, single precision.
"""
import argparse
import csv
import json
import os
import struct

import numpy as np


def read_flat(path, name):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        body = file.read()
    begin, end = header[name]["data_offsets"]
    return np.frombuffer(body[begin:end], np.float64 if header[name]["dtype"] == "F64" else np.float32).astype(np.float64)


def write_tensors(path, tensors):
    header, at = {}, 0
    for name, value in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [at, at + 4 * value.size]}
        at += 4 * value.size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for value in tensors.values():
            file.write(value.astype("<f4").tobytes())


def records_of(path, label, inputs):
    with open(path) as file:
        rows = list(csv.DictReader(file))
    columns = [name for name in rows[0]][:inputs]
    features = np.array([[float(row[name]) for name in columns] for row in rows], np.float32)
    return features, np.array([float(row[label]) for row in rows], np.float32)


def numpy_turn(layers, features, labels, order, batch, rate, tanh):
    layers = [(w.copy(), b.copy()) for w, b in layers]
    for rows in order:
        for start in range(0, len(rows), batch):
            some = rows[start : start + batch]
            x, y = features[some], labels[some]
            inputs, value = [], x
            for at, (w, b) in enumerate(layers):
                inputs.append(value)
                value = value @ w.T + b
                if at + 1 < len(layers):
                    value = np.tanh(value) if tanh else np.maximum(value, 0)
            slope = (2 / len(some)) * (value - y[:, None])
            for at in reversed(range(len(layers))):
                w, b = layers[at]
                below = slope @ w
                layers[at] = (w - rate * slope.T @ inputs[at], b - rate * slope.sum(0))
                if at > 0:
                    slope = below * ((1 - inputs[at] ** 2) if tanh else (inputs[at] > 0))
    return layers


def torch_turn(layers, features, labels, order, batch, rate, tanh):
    import torch

    parts = []
    for at, (w, b) in enumerate(layers):
        linear = torch.nn.Linear(w.shape[1], w.shape[0])
        linear.weight.data, linear.bias.data = torch.from_numpy(w.copy()), torch.from_numpy(b.copy())
        parts += [linear] + ([torch.nn.Tanh() if tanh else torch.nn.ReLU()] if at + 1 < len(layers) else [])
    model = torch.nn.Sequential(*parts)
    descent = torch.optim.SGD(model.parameters(), lr=rate)
    x, y = torch.from_numpy(features), torch.from_numpy(labels)
    for rows in order:
        for start in range(0, len(rows), batch):
            some = torch.from_numpy(rows[start : start + batch])
            descent.zero_grad()
            torch.nn.functional.mse_loss(model(x[some])[:, 0], y[some]).backward()
            descent.step()
    return [(one.weight.detach().numpy(), one.bias.detach().numpy()) for one in parts if hasattr(one, "weight")]


def orders_of(by, seed):
    """Orders of records, each library's own: an order is asked for by how many records there are."""
    if by == "numpy":
        return np.random.default_rng(seed).permutation
    import torch

    draws = torch.Generator().manual_seed(seed)
    return lambda count: torch.randperm(count, generator=draws).numpy()


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("source")
    asked.add_argument("target")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--with", dest="by", choices=["numpy", "torch"], default="numpy")
    options = asked.parse_args()
    turn = numpy_turn if options.by == "numpy" else torch_turn
    with open(os.path.join(options.source, "transcript", "transcript.json")) as file:
        manifest = json.load(file)
    with open(os.path.join(options.source, "truth", "truth.json")) as file:
        truth = json.load(file)
    model, protocol = manifest["model"], manifest["protocol"]
    sizes = [model["inputs"], *model["hidden"], model["outputs"]]
    theta = read_flat(os.path.join(options.source, "transcript", "rounds", "000000.safetensors"), "global/*")
    layers, at = [], 0
    for below, above in zip(sizes, sizes[1:]):
        w = theta[at : at + below * above].reshape(above, below).astype(np.float32)
        b = theta[at + below * above : at + (below + 1) * above].astype(np.float32)
        layers.append((w, b))
        at += (below + 1) * above
    clients = {
        name: records_of(os.path.join(options.source, "truth", table["file"]), table["label"], model["inputs"])
        for name, table in truth["clients"].items()
    }
    permuted = orders_of(options.by, options.seed)
    os.makedirs(os.path.join(options.target, "rounds"), exist_ok=True)
    with open(os.path.join(options.source, "transcript", "rounds.jsonl")) as file:
        rounds = sum(1 for line in file if line.strip())
    listed = []
    for number in range(rounds):
        tensors = {f"global/fc{k}.{name}": part for k, layer in enumerate(layers) for name, part in zip(("weight", "bias"), layer)}
        returned = {}
        for name, (x, y) in clients.items():
            order = [permuted(len(y)) for _ in range(protocol["localEpochs"])]
            rate, batch = np.float32(protocol["learningRate"]), protocol["batchSize"]
            returned[name] = turn(layers, x, y, order, batch, float(rate), model.get("activation") == "tanh")
            for k, layer in enumerate(returned[name]):
                tensors[f"client/{name}/fc{k}.weight"], tensors[f"client/{name}/fc{k}.bias"] = layer
        path = f"rounds/{number:06d}.safetensors"
        write_tensors(os.path.join(options.target, path), tensors)
        listed.append({"round": number, "file": path, "participants": list(clients)})
        weights = {name: len(y) for name, (_, y) in clients.items()}
        total = sum(weights.values())
        layers = [
            tuple(sum(weights[name] / total * returned[name][k][part] for name in clients).astype(np.float32) for part in (0, 1))
            for k in range(len(layers))
        ]
    kept = {key: protocol[key] for key in ("share", "learningRate", "localEpochs", "batchSize")}
    told = {
        "format": "overhear-transcript/1",
        "source": {"tool": f"{options.by} federation"},
        "recordedFor": "server",
        "model": model,
        "loss": manifest["loss"],
        "protocol": kept,
        "clients": manifest["clients"],
        "rounds": listed,
    }
    with open(os.path.join(options.target, "transcript.json"), "w") as file:
        json.dump(told, file)


main()
