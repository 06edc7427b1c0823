#!/usr/bin/env python3
"""Compares exported and imported networks with ONNX Runtime, in numbers and in speed.

Needs numpy, onnx and onnxruntime. Build the program first and name it:
    cargo build --release -p yomi-net --example net_onnx
    scripts/net_onnx_check.py target/release/examples/net_onnx
"""
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

PROGRAM = sys.argv[1]
TOLERANCE = 2e-4


def runtime(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def numbers(folder, name):
    return np.fromfile(folder / name, dtype=np.float32)


def compare(title, model, folder, planes, board, ours):
    """One run of ONNX Runtime on the same planes: the worst difference of each output, and both speeds."""
    session = runtime(model)
    dense = numbers(folder, "planes").reshape(-1, planes, board, board)
    count = len(dense)
    names = [value.name for value in session.get_inputs()]
    inputs = {"planes": dense} if names == ["planes"] else {"input1": dense[:, :62], "input2": dense[:, 62:]}
    answers = dict(zip([value.name for value in session.get_outputs()], session.run(None, inputs)))
    worst = {}
    for output, theirs in answers.items():
        name = output.removeprefix("output_")
        mine = numbers(folder, name).reshape(count, -1)
        if name == "value" and theirs.shape[1] == 1:
            mine = mine[:, :1]
        worst[name] = float(np.max(np.abs(mine - theirs)) / max(1.0, np.max(np.abs(theirs))))
    best = min(timed(session, inputs) for _ in range(5))
    ok = all(difference < TOLERANCE for difference in worst.values())
    shown = ", ".join(f"{name} {difference:.1e}" for name, difference in worst.items())
    print(f"{'ok ' if ok else 'BAD'} {title}: {shown}; {count / ours:.0f} positions/s, ONNX Runtime {count / best:.0f}", flush=True)
    return ok


def timed(session, inputs):
    start = time.thread_time()
    session.run(None, inputs)
    return time.thread_time() - start


def run(*words):
    return float(subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True, text=True).stdout)


def dlshogi(path, channels, blocks, swish, folded):
    """A random network of dlshogi's shape, as its exporter writes it: three convolutions at the start, batch norm as nodes or folded."""
    rng = np.random.default_rng(7)
    nodes, constants = [], []

    def constant(array):
        name = f"c{len(constants)}"
        constants.append(numpy_helper.from_array(np.asarray(array, dtype=np.float32), name))
        return name

    def node(operator, inputs, output=None, **attributes):
        output = output or f"n{len(nodes)}"
        nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def conv(x, inputs, outputs, side):
        weight = rng.normal(0, (1.0 / (inputs * side * side)) ** 0.5, (outputs, inputs, side, side))
        names = [x, constant(weight)] + ([constant(rng.normal(0, 0.1, outputs))] if folded else [])
        return node("Conv", names, kernel_shape=[side, side], pads=[side // 2] * 4, strides=[1, 1], dilations=[1, 1], group=1)

    def norm(x, width):
        if folded:
            return x
        parts = [rng.uniform(0.5, 1.5, width), rng.normal(0, 0.1, width), rng.normal(0, 0.1, width), rng.uniform(0.5, 2, width)]
        return node("BatchNormalization", [x, *map(constant, parts)], epsilon=2e-5)

    def activate(x):
        return node("Mul", [x, node("Sigmoid", [x])]) if swish else node("Relu", [x])

    first = node("Add", [conv("input1", 62, channels, 3), conv("input1", 62, channels, 1)])
    x = activate(norm(node("Add", [first, conv("input2", 57, channels, 1)]), channels))
    for _ in range(blocks):
        t = activate(norm(conv(x, channels, channels, 3), channels))
        x = activate(node("Add", [norm(conv(t, channels, channels, 3), channels), x]))
    policy = node("Flatten", [conv(x, channels, 27, 1)], axis=1)
    node("Add", [policy, constant(rng.normal(0, 0.1, 2187))], "output_policy")
    value = node("Flatten", [activate(norm(conv(x, channels, 27, 1), 27))], axis=1)
    hidden = node("Gemm", [value, constant(rng.normal(0, 0.02, (256, 2187))), constant(rng.normal(0, 0.1, 256))], transB=1)
    logit = node("Gemm", [activate(hidden), constant(rng.normal(0, 0.06, (1, 256))), constant(rng.normal(0, 0.1, 1))], transB=1)
    node("Sigmoid", [logit], "output_value")
    info = lambda name, *shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch_size", *shape])
    graph = helper.make_graph(nodes, "dlshogi", [info("input1", 62, 9, 9), info("input2", 57, 9, 9)],
                              [info("output_policy", 2187), info("output_value", 1)], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def main():
    good = True
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        exported = [("shogi-104", 9, 104, 4, 64, "relu", 32), ("shogi-104", 9, 104, 5, 192, "relu", 32),
                    ("dlshogi-119", 9, 119, 2, 32, "swish", 8), ("minishogi-40", 5, 40, 3, 32, "relu", 32),
                    ("go-15", 9, 15, 3, 32, "relu", 32), ("go-15", 13, 15, 2, 24, "relu", 8),
                    ("go-15", 19, 15, 3, 32, "relu", 8), ("blokus-duo-49", 14, 49, 3, 32, "relu", 8),
                    ("shogi-104", 9, 104, 4, 64, "relu", 1), ("shogi-104", 9, 104, 5, 192, "relu", 1),
                    ("go-15", 19, 15, 3, 32, "relu", 1), ("dlshogi-119", 9, 119, 2, 32, "swish", 1)]
        for layout, board, planes, blocks, channels, activation, count in exported:
            ours = run("export", layout, board, blocks, channels, activation, count, folder)
            onnx.checker.check_model(onnx.load(str(folder / "model.onnx")), full_check=True)
            good &= compare(f"export {layout} {board}x{board} {blocks}x{channels} {activation} batch {count}",
                            folder / "model.onnx", folder, planes, board, ours)
        for swish in (False, True):
            for folded in (False, True):
                dlshogi(folder / "dlshogi.onnx", 48, 3, swish, folded)
                ours = run("import", folder / "dlshogi.onnx", 16, folder)
                title = f"import dlshogi 3x48 {'swish' if swish else 'relu'} {'folded' if folded else 'with batch norm'}"
                good &= compare(title, folder / "dlshogi.onnx", folder, 119, 9, ours)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
