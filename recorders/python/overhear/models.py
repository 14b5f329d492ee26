"""Which model it is, from what the user gives: a description, a torch module, or the shapes alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_ACTIVATIONS = {"ReLU": "relu", "Tanh": "tanh", "Sigmoid": "sigmoid"}
_ONE_LAYER = ("linear", "logistic", "softmax")


def describe(model: Any, loss: str) -> dict[str, Any]:
    """The manifest's `model`; sizes that are left out are filled from the first arrays. `opaque` where it is not known."""
    if model is None:
        return {"kind": "opaque"}
    if isinstance(model, str):
        return {"kind": model}
    if isinstance(model, Mapping):
        return dict(model)
    return _of_module(model, loss)


def _of_module(module: Any, loss: str) -> dict[str, Any]:
    """Fully connected layers with one kind of activation between them; whatever else is opaque."""
    leaves = [one for one in module.modules() if not list(one.children())]
    kinds = [type(one).__name__ for one in leaves]
    layers = [one for one, kind in zip(leaves, kinds, strict=True) if kind == "Linear"]
    said = [kind for kind in kinds if kind not in ("Dropout", "Flatten", "Identity")]
    between = {kind for kind in said if kind != "Linear"}
    chained = all(a.out_features == b.in_features for a, b in zip(layers, layers[1:], strict=False))
    biases = {one.bias is not None for one in layers}
    if not layers or not chained or len(biases) != 1 or not between <= set(_ACTIVATIONS):
        return {"kind": "opaque"}
    bias = {} if biases == {True} else {"bias": False}
    inputs, outputs = layers[0].in_features, layers[-1].out_features
    if len(layers) == 1:
        return {"kind": _one_layer(loss), "inputs": inputs, "outputs": outputs, **bias} if not between else {"kind": "opaque"}
    # One activation after every layer but the last: two layers with nothing between them are another model.
    if said != [kind for at in range(len(layers)) for kind in ("Linear", *between)][: 2 * len(layers) - 1] or len(between) != 1:
        return {"kind": "opaque"}
    hidden = [one.out_features for one in layers[:-1]]
    activation = _ACTIVATIONS[between.pop()]
    return {"kind": "mlp", "inputs": inputs, "hidden": hidden, "outputs": outputs, "activation": activation, **bias}


def _one_layer(loss: str) -> str:
    return {"cross-entropy": "softmax", "binary-cross-entropy": "logistic"}.get(loss, "linear")


def filled(model: dict[str, Any], shapes: list[tuple[int, ...]]) -> dict[str, Any]:
    """Sizes from the shapes of weights and biases, [out, in] and [out], where the description leaves them out."""
    kind = model.get("kind")
    if kind not in (*_ONE_LAYER, "mlp") or ("inputs" in model and "outputs" in model):
        return model
    weights = [shape for shape in shapes if len(shape) == 2]
    if not weights:
        raise ValueError(f"the model is said to be {kind!r}, but no parameter is a matrix [out, in]")
    sizes = {"inputs": weights[0][1], "outputs": weights[-1][0]}
    if kind == "mlp":
        sizes["hidden"] = [shape[0] for shape in weights[:-1]]
    bias = {} if any(len(shape) == 1 for shape in shapes) else {"bias": False}
    return {**sizes, **bias, **model}
