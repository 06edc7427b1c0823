"""Steps of training as one recorded piece of work.

A step is some thousand small kernels, and at small batches a GPU waits for Python to start them. A CUDA graph starts all of them at once. The work is the same:
what changes from step to step (the batch, the learning rate) lies in memory that stays where it is.
"""

import torch

# Steps that are taken as usual before one is recorded, so that libraries have made their choices and the optimiser its memory.
WARM_UP = 3


class RecordedStep:
    """A function from a batch to losses that takes a step, recorded for the shapes of the batches it has seen."""

    def __init__(self, step):
        self.step = step
        self.taken = 0
        self.records = {}

    def __call__(self, batch, kind):
        """Takes a step. `kind` says what else the work depends on."""
        batch = {name: tensor for name, tensor in batch.items() if tensor is not None}
        key = (kind, tuple((name, tuple(tensor.shape)) for name, tensor in batch.items()))
        if key not in self.records:
            if self.taken < WARM_UP:
                self.taken += 1
                return self.aside(batch)
            self.records[key] = self.record(batch)
        graph, inputs, losses = self.records[key]
        for name, tensor in batch.items():
            inputs[name].copy_(tensor)
        graph.replay()
        return losses

    def aside(self, batch):
        """A step on a stream of its own, as one that will be recorded needs it."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            losses = self.step(batch)
        torch.cuda.current_stream().wait_stream(stream)
        return losses

    def record(self, batch):
        inputs = {name: tensor.clone() for name, tensor in batch.items()}
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            losses = self.step(inputs)
        return graph, inputs, losses
