"""Objects and AdmissionReviews from files: YAML or JSON, several documents, lists, standard input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final, TypeAlias

from admission.engine.policy import PolicySet
from admission.engine.values import NULL, Object, Value, quoted, text_of
from admission.errors import DocumentError, FileError, PolicyError
from admission.offline.gojson import documents_of
from admission.offline.resource import Resource, resource_of
from admission.offline.write import Write, group_version, identity
from admission.policyfile.files import STDIN
from admission.regularfile import read

LARGEST_FILE: Final = 64 * 1024 * 1024
"""Bytes of a file of objects or a suite; a review holds at most 32 MiB."""

_REVIEW: Final = "AdmissionReview"
_REVIEW_VERSION: Final = "admission.k8s.io/v1"
_OUR_GROUP: Final = "statuscap.dev"

Identity: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a file: an object, or what is around one."""

    content: Object
    source: str


def read_documents(names: Sequence[str], stdin: BinaryIO) -> Iterator[Document]:
    """The documents of files (``-`` is standard input), in order; the items of a ``List`` one by one.

    Raises:
        FileError: a file cannot be read, or is larger than :data:`LARGEST_FILE`.
        DocumentError: a document is no object; with file and line.
    """
    for name in names:
        found = False
        for content in documents_of(_bytes_of(name, stdin), name):
            found = True
            if not isinstance(content, dict):
                raise DocumentError(f"{name}: a document is no object; expected apiVersion, kind and so on")
            yield from (Document(item, name) for item in _items(content, name))
        if not found:
            raise DocumentError(f"{name}: there is no object in it")


def _bytes_of(name: str, stdin: BinaryIO) -> bytes:
    try:
        return _bounded(stdin, name) if name == STDIN else read(name, LARGEST_FILE)
    except OSError as error:
        raise DocumentError(f"{name}: cannot be read: {error.strerror}") from error


def _bounded(stream: BinaryIO, name: str) -> bytes:
    content = stream.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise FileError(name, f"it is larger than {LARGEST_FILE} bytes")
    return content


def _items(content: Object, name: str) -> Iterator[Object]:
    """A list, as ``kubectl get -o yaml`` prints it, stands for its items."""
    kind, items = _text(content, "kind"), content.get("items")
    if not kind.endswith("List") or not isinstance(items, list):
        yield content
        return
    for item in items:
        if not isinstance(item, dict):
            raise DocumentError(f"{name}: an item of the {kind} is no object")
        yield {**_inherited(content, kind), **item}


def _inherited(content: Object, kind: str) -> Object:
    """Items of a typed list (``WidgetList``) carry neither apiVersion nor kind."""
    if kind == "List":
        return {}
    return {"apiVersion": content.get("apiVersion", NULL), "kind": quoted(kind.removesuffix("List"))}


def write_of(document: Document, policies: PolicySet, resource: Resource | None = None) -> Write:
    """The write that a document stands for: an AdmissionReview, its request alone, or a bare object.

    The resource of a bare object is ``resource``, or found among the rules of the policies.

    Raises:
        PolicyError: the resource cannot be told, or the document is a policy.
        DocumentError: a review of another version, or a document that is no object of the API.
    """
    content, source = document.content, document.source
    if _text(content, "kind") == _REVIEW:
        return _reviewed(content, source)
    if "uid" in content and "operation" in content and isinstance(content.get("resource"), dict):
        return Write(content, source)
    group, _ = group_version(content)
    kind = _text(content, "kind")
    if group == _OUR_GROUP:
        raise PolicyError(f"{source}: a {kind} is no object to apply policies to; load it with -p {source}")
    if not kind and resource is None:
        raise DocumentError(f"{source}: an object has no kind; add apiVersion and kind, or name its --resource")
    try:
        return Write.of(content, resource or resource_of(policies, group, kind), source=source)
    except PolicyError as error:
        raise PolicyError(f"{source}: {error}") from error


def _reviewed(content: Object, source: str) -> Write:
    version = _text(content, "apiVersion")
    if version != _REVIEW_VERSION:
        raise DocumentError(f"{source}: an AdmissionReview of {version or 'no version'}; expected {_REVIEW_VERSION}")
    request = content.get("request")
    if not isinstance(request, dict):
        raise DocumentError(f"{source}: an AdmissionReview without a request; there is nothing to evaluate")
    return Write(request, source)


def stored_by_identity(documents: Iterator[Document]) -> dict[Identity, Object]:
    """Stored objects by group, kind, namespace and name.

    Raises:
        DocumentError: one of them occurs twice.
    """
    found: dict[Identity, Object] = {}
    for document in documents:
        key = identity(document.content)
        if key in found:
            raise DocumentError(f"{document.source}: {'/'.join(filter(None, key[2:]))} occurs twice")
        found[key] = document.content
    return found


def with_stored(writes: Sequence[Write], stored: dict[Identity, Object]) -> list[Write]:
    """Each write over its stored object.

    Raises:
        DocumentError: a stored object belongs to none of them.
    """
    lonely = stored.keys() - {write.identity for write in writes}
    if lonely:
        names = ", ".join(sorted("/".join(filter(None, key[1:])) for key in lonely))
        raise DocumentError(
            f"no submitted object belongs to the stored {names}; names, namespaces and kinds must agree"
        )
    return [write.with_stored(stored[write.identity]) if write.identity in stored else write for write in writes]


def _text(holder: Object, key: str) -> str:
    value: Value | None = holder.get(key)
    return text_of(value) or ""
