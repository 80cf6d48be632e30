"""A write as the webhook would get it: a request around an object from a file, or an AdmissionReview from one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from msgspec import Raw

from admission.engine.attributes import STATUS
from admission.engine.values import NULL, Object, Value, is_null, quoted, text_of
from admission.errors import DocumentError
from admission.offline.gojson import encode
from admission.offline.resource import Resource

UID: Final = "00000000-0000-4000-8000-000000000000"
"""Requests that never were one get this uid; nothing is decided by it."""

MANAGED_FIELDS: Final = "managedFields"
_ORDER: Final = (
    *("uid", "kind", "resource", "subResource", "requestKind", "requestResource", "requestSubResource"),
    *("name", "namespace", "operation", "userInfo", "object", "oldObject", "dryRun", "options"),
)
"""Members of a request in the order of k8s.io/api/admission/v1, as the API server writes them."""


@dataclass(frozen=True, slots=True)
class Write:
    """The request of an AdmissionReview, as a tree. ``source`` says where it came from, for messages."""

    request: Object
    source: str = ""

    @classmethod
    def of(
        cls,
        submitted: Object,
        resource: Resource,
        *,
        stored: Object | None = None,
        operation: str = "UPDATE",
        source: str = "",
    ) -> Write:
        """The request for writing a bare object to ``resource``; its version defaults to the object's."""
        group, version = group_version(submitted)
        kind = _texts(group=group or resource.group, version=version or resource.version, kind=_text(submitted, "kind"))
        names = {key: text for key in ("name", "namespace") if (text := _named(key, submitted, stored))}
        request: Object = {
            "uid": quoted(UID),
            "kind": kind,
            "resource": _texts(group=resource.group, version=resource.version or version, resource=resource.resource),
            **({"subResource": quoted(resource.subresource)} if resource.subresource else {}),
            **{key: quoted(text) for key, text in names.items()},
            "operation": quoted(operation),
            "userInfo": {},
            "object": submitted,
            "oldObject": stored if stored is not None else NULL,
            "dryRun": Raw(b"false"),
        }
        return cls(request, source)

    @property
    def submitted(self) -> Object:
        """The submitted object.

        Raises:
            DocumentError: there is none (a DELETE).
        """
        value = self.request.get("object")
        if not isinstance(value, dict):
            raise DocumentError(f"{self.source}: the request has no object; only CREATE and UPDATE can be evaluated")
        return value

    @property
    def stored(self) -> Object | None:
        """The stored object, if there is one."""
        value = self.request.get("oldObject")
        return value if isinstance(value, dict) else None

    @property
    def title(self) -> str:
        """What is written, for people: ``widgets.example.com team-a/w1``."""
        resource = self.request.get("resource")
        group, plural = (_text(resource, key) for key in ("group", "resource"))
        name = _text(self.request, "name") or _text(self._metadata, "generateName") or "(unnamed)"
        namespace = _text(self.request, "namespace")
        return f"{'.'.join(filter(None, (plural, group)))} {'/'.join(filter(None, (namespace, name)))}"

    @property
    def identity(self) -> tuple[str, ...]:
        """Group, kind, namespace and name of the submitted object."""
        return identity(self.submitted)

    @property
    def _metadata(self) -> Value | None:
        value = self.request.get("object")
        return value.get("metadata") if isinstance(value, dict) else None

    def with_stored(self, stored: Object) -> Write:
        """The same write over another stored object."""
        return self._with("oldObject", stored)

    def with_submitted(self, submitted: Object) -> Write:
        """The write of another object to the same place."""
        return self._with("object", submitted)

    def with_user(self, name: str) -> Write:
        """The same write by somebody else."""
        info = self.request.get("userInfo")
        return self._with("userInfo", {**(info if isinstance(info, dict) else {}), "username": quoted(name)})

    def with_field_manager(self, name: str) -> Write:
        """The same write under another field manager."""
        options = self.request.get("options")
        return self._with("options", {**(options if isinstance(options, dict) else {}), "fieldManager": quoted(name)})

    def with_dry_run(self, *, request_dry_run: bool) -> Write:
        """The same write, with the caller's dry-run flag."""
        return self._with("dryRun", Raw(b"true" if request_dry_run else b"false"))

    def with_name(self, key: str, text: str) -> Write:
        """The same write with another ``name`` or ``namespace``."""
        return self._with(key, quoted(text))

    def rewritten(self, result: Object) -> Write:
        """The next write of a controller that read what became of this one: submitted and stored are the same."""
        stored = self._as_stored(result)
        return self._with("operation", quoted("UPDATE")).with_submitted(stored).with_stored(stored)

    def _as_stored(self, result: Object) -> Object:
        """What etcd has after a write: of a write to ``/status``, its status and managedFields and nothing else."""
        before = self.stored
        if before is None or not _text(self.request, "subResource"):
            return result
        rest = {key: value for key, value in before.items() if key != STATUS}
        root = {STATUS: result[STATUS]} if STATUS in result else {}
        return {**rest, **root, **_metadata(before, result)}

    def _with(self, key: str, value: Value) -> Write:
        return replace(self, request={**self.request, key: value})

    def review(self) -> bytes:
        """The AdmissionReview, byte for byte as the API server would write it."""
        keys = [key for key in _ORDER if key in self.request] + sorted(self.request.keys() - set(_ORDER))
        members = b",".join(bytes(quoted(key)) + b":" + encode(self.request[key]) for key in keys)
        return b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{' + members + b"}}"


def identity(document: Object) -> tuple[str, ...]:
    """Group, kind, namespace and name of an object."""
    metadata = document.get("metadata")
    return (group_version(document)[0], _text(document, "kind"), _text(metadata, "namespace"), _text(metadata, "name"))


def group_version(document: Object) -> tuple[str, str]:
    """Group and version of an object's apiVersion; both empty when it has none."""
    group, _, version = _text(document, "apiVersion").rpartition("/")
    return group, version


def kind_of(document: Object) -> str:
    """The kind of an object; empty when it has none."""
    return _text(document, "kind")


def _named(key: str, submitted: Object, stored: Object | None) -> str:
    return _text(submitted.get("metadata"), key) or (_text(stored.get("metadata"), key) if stored else "")


def _metadata(before: Object, result: Object) -> Object:
    kept, sent = before.get("metadata"), result.get("metadata")
    if not isinstance(kept, dict):
        return {}
    owned = {key: sent[key] for key in (MANAGED_FIELDS,) if isinstance(sent, dict) and key in sent}
    return {"metadata": {**{key: value for key, value in kept.items() if key != MANAGED_FIELDS}, **owned}}


def _text(holder: Value | None, key: str) -> str:
    if not isinstance(holder, dict):
        return ""
    value = holder.get(key)
    return "" if is_null(value) else text_of(value) or ""


def _texts(**members: str) -> Object:
    return {key: quoted(text) for key, text in members.items()}
