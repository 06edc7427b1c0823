#!/usr/bin/env python3
"""Microseconds per batch of the tower and heads by cuDNN through PyTorch, to be put beside those of `device_check`.

Fused convolution, bias, skip and ReLU; channels last, fp16, one CUDA graph per batch, the best algorithm by cuDNN's own trials. The planes
are on the device already, so nothing is counted for making or copying them. Usage: net_cudnn_times.py [BLOCKSxCHANNELS] [BATCH ...]
"""

import sys

import torch

BATCHES = [1, 2, 4, 8, 16, 17, 24, 32, 33, 48, 49, 64, 85, 96, 97, 128, 132, 133, 160, 198, 256, 264, 265, 300, 396, 397, 448, 512,
           528, 640, 792, 793, 1024, 2048, 3960, 4096]


def main():
    shape = sys.argv[1] if len(sys.argv) > 1 else "5x192"
    blocks, channels = map(int, shape.split("x"))
    batches = [int(word) for word in sys.argv[2:]] or BATCHES
    torch.backends.cudnn.benchmark = True
    half = dict(device="cuda", dtype=torch.half)
    torch.manual_seed(1)

    def weight(outputs, inputs, size=3):
        w = torch.randn(outputs, inputs, size, size, **half) * (1.4 / (inputs * size * size) ** 0.5)
        return w.to(memory_format=torch.channels_last), torch.randn(outputs, **half) * 0.1

    stem = weight(channels, 104)
    tower = [(weight(channels, channels), weight(channels, channels)) for _ in range(blocks)]
    heads = weight(54, channels, 1)
    hidden, last = torch.nn.Linear(27 * 81, 256, **half), torch.nn.Linear(256, 3, **half)
    one, pad = [1, 1], [1, 1]

    def forward(planes):
        x = torch.cudnn_convolution_relu(planes, *stem, one, pad, one, 1)
        for (w1, b1), (w2, b2) in tower:
            t = torch.cudnn_convolution_relu(x, w1, b1, one, pad, one, 1)
            x = torch.cudnn_convolution_add_relu(t, w2, x, 1.0, b2, one, pad, one, 1)
        both = torch.cudnn_convolution_relu(x, *heads, one, [0, 0], one, 1)
        return both, last(torch.relu(hidden(both[:, 27:].reshape(len(planes), -1))))

    print(f"torch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}, {torch.cuda.get_device_name()}, {shape}")
    with torch.inference_mode():
        for batch in batches:
            planes = (torch.rand(batch, 104, 9, 9, device="cuda") < 0.1).half().to(memory_format=torch.channels_last)
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                for _ in range(3):
                    forward(planes)
            stream.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                forward(planes)
            each = max(3, min(40, 20000 // batch))
            times = []
            for _ in range(6):
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                begin.record()
                for _ in range(each):
                    graph.replay()
                end.record()
                end.synchronize()
                times.append(begin.elapsed_time(end) * 1000 / each)
            print(f"cudnn {shape} batch {batch} us {sorted(times[1:])[2]:.1f}", flush=True)


if __name__ == "__main__":
    main()
