"""Reads the weights of a model from the files that they are kept in, each array when it is asked
for: safetensors (also in several files), NumPy's ``.npz``, or the initialisers of ONNX.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.terminal.inputs import InputError, read_bytes

__all__ = ["Weights", "open_weights"]

KINDS = "*.safetensors, *.npz or *.onnx"
#: What files with other endings are, and what to do with them.
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")


#: What NumPy raises for a broken file.
BROKEN = (OSError, ValueError, TypeError, EOFError, zipfile.BadZipFile)


@dataclass(frozen=True)
class Weights:
    """The arrays of a model by their names."""

    path: Path
    #: What reads each array.
    readers: Mapping[str, Callable[[], Any]]
    #: What stands in config.json beside them.
    config: Mapping[str, Any]

    def __getitem__(self, name: str) -> NDArray[np.float32]:
        """An array in single precision, checked to hold floats that are finite."""
        try:
            found = np.asarray(self.readers[name]())
        except (*BROKEN, zlib.error) as error:
            raise InputError(f"{name} of {self.path} cannot be read ({error}); save it again") from error
        if (
            found.dtype.kind != "f" and "float" not in found.dtype.name
        ):  # whole numbers may be codes of others
            raise InputError(f"{name} of {self.path} holds {found.dtype} and no floats; save it as floats")
        with np.errstate(over="ignore"):
            array = found.astype(np.float32)
        if not np.isfinite(array).all():
            raise InputError(f"{name} of {self.path} has entries that are not finite; repair the file")
        return array

    def __contains__(self, name: str) -> bool:
        return name in self.readers


def open_weights(given: Path) -> Weights:
    """The weights in a file, or in all files of one kind in a folder."""
    readers: dict[str, Callable[[], Any]] = {}
    try:
        files = _files(given)
    except OSError as error:
        raise InputError(
            f"cannot look at {str(given)!r:.200}: {error.strerror}; name another file"
        ) from error
    for path in files:
        try:
            readers |= _OPEN[path.suffix.lower()](path)
        except InputError:
            raise
        except (*BROKEN, _error_of(path)) as error:
            raise InputError(
                f"{path} cannot be read as weights ({error}); save it again as {KINDS}"
            ) from error
    if not readers:
        raise InputError(f"{given} holds no arrays; name a model with weights, as {KINDS}")
    return Weights(given, readers, _config(given if given.is_dir() else given.parent))


def _files(given: Path) -> list[Path]:
    """The files to be read, all of one kind."""
    if given.is_dir():
        for kind in _OPEN:
            if found := sorted(given.glob(f"*{kind}")):
                return found
        others = sorted(p.name for p in given.iterdir() if p.suffix in PICKLES)
        hint = f" ({others[0]} is a pickle, which may run programs: save it as safetensors)" if others else ""
        raise InputError(f"the folder {given} holds no weights as {KINDS}{hint}; name another one")
    if not given.is_file():
        raise InputError(f"there is no file or folder {str(given)!r:.200}; name a folder, or a file {KINDS}")
    if given.suffix.lower() not in _OPEN:
        pickle = " (a pickle, which may run programs, is not read)" if given.suffix in PICKLES else ""
        raise InputError(f"{given} holds no weights as {KINDS}{pickle}; name another file")
    return [given]


def _config(folder: Path) -> Mapping[str, Any]:
    path = folder / "config.json"
    if not path.is_file():
        return {}
    try:
        found = json.loads(read_bytes(path))
    except ValueError as error:
        raise InputError(f"{path} is no JSON ({error}); repair it, or remove it") from error
    if not isinstance(found, dict):
        raise InputError(f"{path} holds no names with values; repair it, or remove it")
    return found


def _package(name: str, path: Path) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise InputError(
            f"to read {path.name} takes the package {name}, which is not there ({error}); "
            f"pip install 'largeprompt[models]'"
        ) from error


def _error_of(path: Path) -> type[Exception]:
    """What the package that reads a file raises for a broken one."""
    if path.suffix.lower() == ".safetensors":
        error: type[Exception] = _package("safetensors", path).SafetensorError
        return error
    if path.suffix.lower() == ".onnx":
        error = _package("google.protobuf.message", path).DecodeError
        return error
    return ValueError


def _safetensors(path: Path) -> dict[str, Callable[[], Any]]:
    _package("ml_dtypes", path)  # gives NumPy the numbers of bfloat16
    file = _package("safetensors", path).safe_open(str(path), "np")
    names = file.keys()
    return {name: partial(file.get_tensor, name) for name in names}


def _npz(path: Path) -> dict[str, Callable[[], Any]]:
    if not zipfile.is_zipfile(path):
        raise ValueError("it is no archive that numpy.savez wrote")
    archive = np.load(path, allow_pickle=False)
    return {name: partial(archive.__getitem__, name) for name in archive.files}


def _onnx(path: Path) -> dict[str, Callable[[], Any]]:
    """The initialisers. PyTorch's exporter transposes matrices and calls them onnx::MatMul_7; the
    name of the node that multiplies by one says which it is.
    """
    onnx = _package("onnx", path)
    graph = onnx.load(str(path)).graph
    array = onnx.numpy_helper.to_array
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    readers: dict[str, Callable[[], Any]] = {name: partial(array, x) for name, x in tensors.items()}
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1].startswith("onnx::") and node.input[1] in tensors:
            name = node.name.strip("/").removesuffix("/MatMul").replace("/", ".") + ".weight"
            readers[name] = partial(lambda tensor: array(tensor).T, tensors[node.input[1]])
    return readers


_OPEN: dict[str, Callable[[Path], dict[str, Callable[[], Any]]]] = {
    ".safetensors": _safetensors,
    ".npz": _npz,
    ".onnx": _onnx,
}
