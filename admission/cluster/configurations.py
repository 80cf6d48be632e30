"""The webhook configurations of a cluster, of which nothing but each caBundle is written."""

from __future__ import annotations

import base64
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, ClassVar, Final, TypeAlias

import httpx2
import msgspec
from lightkube import Client
from lightkube.core.resource import ApiInfo, GlobalResource, ResourceDef
from lightkube.types import PatchType

from admission.certificates.published import Published, Registered
from admission.cluster.client import Metadata, code, connected, found_config
from admission.cluster.secret import MANAGER

_NOT_FOUND: Final = 404
_CONFLICT: Final = 409


class ClientConfig(msgspec.Struct, rename={"ca_bundle": "caBundle"}):
    """Where a webhook is, and whom the API server trusts for it."""

    ca_bundle: bytes | None = None


class Webhook(msgspec.Struct, rename={"client_config": "clientConfig"}):
    """One webhook of a configuration."""

    client_config: ClientConfig = msgspec.field(default_factory=ClientConfig)


class _Configuration(msgspec.Struct, GlobalResource):
    metadata: Metadata = msgspec.field(default_factory=Metadata)
    webhooks: list[Webhook] | None = None

    @property
    def bundles(self) -> tuple[bytes, ...]:
        return tuple(each.client_config.ca_bundle or b"" for each in self.webhooks or ())


def _info(kind: str) -> ApiInfo:
    definition = ResourceDef("admissionregistration.k8s.io", "v1", kind)
    return ApiInfo(resource=definition, plural=f"{kind.lower()}s", verbs=["get", "patch"])


class MutatingWebhookConfiguration(_Configuration):
    """What makes the API server call for a write."""

    _api_info: ClassVar[ApiInfo] = _info("MutatingWebhookConfiguration")  # type: ignore[misc]


class ValidatingWebhookConfiguration(_Configuration):
    """What makes the API server call once more, where a policy rejects."""

    _api_info: ClassVar[ApiInfo] = _info("ValidatingWebhookConfiguration")  # type: ignore[misc]


_Kind: TypeAlias = type[MutatingWebhookConfiguration] | type[ValidatingWebhookConfiguration]
_KINDS: Final[dict[str, _Kind]] = {
    each.__name__: each for each in (MutatingWebhookConfiguration, ValidatingWebhookConfiguration)
}


class ClusterConfigurations:
    """Both configurations of one name. Blocks: for a thread, or for a command that has nothing else to do."""

    def __init__(self, connect: Callable[..., AbstractContextManager[Client]], name: str) -> None:
        """``connect`` makes a client."""
        self._connect = connect
        self._name = name

    @classmethod
    def found(cls, name: str) -> ClusterConfigurations:
        """Those of the cluster that the environment leads to.

        Raises:
            ClusterError: it leads nowhere.
        """
        return cls(partial(connected, found_config()), name)

    def look(self) -> Published:
        """Which there are, and what they trust; one that was deleted is none.

        Raises:
            ClusterError: the API server is away or refuses.
        """
        with self._connect() as client:
            found = tuple(each for kind in _KINDS if (each := self._registered(client, kind)) is not None)
        return Published(found, off=MutatingWebhookConfiguration.__name__ not in {each.kind for each in found})

    def publish(self, registered: Registered, bundle: bytes) -> bool:
        """Let every webhook trust ``bundle`` (PEM), if the configuration is still the one that was looked at.

        False when somebody has changed or deleted it since.

        Raises:
            ClusterError: the API server is away or refuses.
        """
        with self._connect() as client:
            try:
                client.patch(
                    _KINDS[registered.kind],
                    self._name,
                    _patch(registered, bundle),
                    patch_type=PatchType.JSON,
                    field_manager=MANAGER,
                )
            except httpx2.HTTPStatusError as error:
                if code(error) not in (_CONFLICT, _NOT_FOUND):
                    raise
                return False
            return True

    def _registered(self, client: Client, kind: str) -> Registered | None:
        try:
            found = client.get(_KINDS[kind], self._name)
        except httpx2.HTTPStatusError as error:
            if code(error) != _NOT_FOUND:
                raise
            return None
        return Registered(kind, found.metadata.resource_version, found.bundles)


def _patch(registered: Registered, bundle: bytes) -> list[dict[str, Any]]:
    """The resourceVersion makes it a 409 where the configuration is another one by now, with other webhooks perhaps."""
    encoded = base64.b64encode(bundle).decode()
    return [
        {"op": "replace", "path": "/metadata/resourceVersion", "value": registered.version},
        *(
            {"op": "add", "path": f"/webhooks/{index}/clientConfig/caBundle", "value": encoded}
            for index, _ in enumerate(registered.bundles)
        ),
    ]
