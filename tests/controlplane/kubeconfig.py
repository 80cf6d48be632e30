"""The kubeconfig of one control plane."""

from __future__ import annotations

import base64
from typing import Any


def kubeconfig(url: str, ca: bytes, token: str) -> dict[str, Any]:
    """Return a kubeconfig that carries everything inside (JSON is YAML)."""
    name = "controlplane"
    cluster = {"server": url, "certificate-authority-data": base64.b64encode(ca).decode()}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": {"token": token}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name, "namespace": "default"}}],
        "current-context": name,
    }
