"""Sample files as arrays: a JSON header of 512 bytes, then records of one length (docs/samples.md)."""

import json
import os

import numpy as np

HEADER_BYTES = 512


class SampleError(Exception):
    """A file that cannot be learned from: what, and where."""


def read_header(path):
    with open(path, "rb") as file:
        text = file.read(HEADER_BYTES)
    if len(text) < HEADER_BYTES:
        raise SampleError(f"{path}: truncated: {len(text)} bytes are too few for a header of {HEADER_BYTES}")
    try:
        header = json.loads(text)
    except ValueError as error:
        raise SampleError(f"{path}: this is no sample file: {error}") from error
    if header.get("format") != "yomi-samples" or header.get("version") != 1:
        raise SampleError(f"{path}: this is no sample file of version 1")
    return header


def record_type(header):
    """The record as a structured type of NumPy."""
    fields = [
        ("crc", "<u4"), ("ply", "<u2"), ("index", "<u2"), ("game", "<u8"), ("count", "<u2"), ("scored", "u1"),
        ("result", "u1"), ("value", "<f4"), ("score", "<f4"), ("surprise", "<f4"), ("step", "<u4"), ("moves", "<u2"),
        ("spare", "<u2"),
    ]
    if header["ownership"]:
        fields.append(("owned", "u1", (2, header["ownership"] // 2)))
    fields += [("position", "u1", (header["packed"],)), ("policy", "<u2", (header["slots"], 2))]
    used = np.dtype(fields).itemsize
    if used < header["record"]:
        fields.append(("padding", "u1", (header["record"] - used,)))
    return np.dtype(fields)


def read(path, header, count=None):
    """The records of a file in order of games; the header must be `header`. With `count`, the file must have as many at least, and these are
    the first games that were appended."""
    found = read_header(path)
    if found != header:
        raise SampleError(f"{path}: these are samples of {found['game']}, not of {header['game']}")
    kind = record_type(header)
    size = os.path.getsize(path) - HEADER_BYTES
    if size % kind.itemsize:
        raise SampleError(f"{path}: truncated: {size % kind.itemsize} bytes follow the last record")
    records = np.memmap(path, dtype=kind, mode="r", offset=HEADER_BYTES) if size else np.zeros(0, kind)
    if count is not None:
        if len(records) < count:
            raise SampleError(f"{path}: {len(records)} records, expected {count}")
        records = records[:count]
    order = np.lexsort((records["index"], records["game"]))
    records = np.asarray(records[order])
    twice = (records["game"][1:] == records["game"][:-1]) & (records["index"][1:] == records["index"][:-1])
    if twice.any():
        raise SampleError(f"{path}: game {records['game'][1:][twice][0]} is there twice")
    return records
