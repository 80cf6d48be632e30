"""``statuscap manifests``."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from admission.cli.exits import Exit
from admission.cli.options import InMode, Policies, load

if TYPE_CHECKING:
    from admission.offline.target import ServiceTarget, UrlTarget

_UNNOTICED: Final = (
    "until then the API server trusts no certificate that a CA of your own signed, and skips the webhook"
)
_URL_UNTRUSTED: Final = f"no caBundle: give --ca-file (of serve --dev: certs/ca.crt); {_UNNOTICED}"
_SERVICE_UNTRUSTED: Final = (
    "no caBundle: give --ca-file, or set caBundle later, e.g. with cert-manager (serve --cert-secret does so by "
    f"itself); {_UNNOTICED}"
)
"""With ``failurePolicy: Ignore`` nobody else would tell."""

_NOTHING_CALLED: Final = (
    "applied, this registers nothing and takes back what an earlier one registered: no write is sent to the webhook, "
    "and none is trimmed. An earlier ValidatingWebhookConfiguration zz-statuscap stays until you delete it"
)


class Part(StrEnum):
    """What can be printed by itself."""

    WEBHOOK = "webhook"


class Format(StrEnum):
    """How manifests are printed."""

    YAML = "yaml"
    JSON = "json"


def manifests(  # noqa: PLR0917  # a command's flags are its arguments
    policies: Policies,
    only: Annotated[
        Part | None, typer.Option("--only", help="Print one part alone; without it, everything.", show_default=False)
    ] = None,
    url: Annotated[
        str | None,
        typer.Option("--url", metavar="https://HOST:PORT", help="Where the webhook is, when it is not a Service."),
    ] = None,
    namespace: Annotated[
        str | None,
        typer.Option(
            "--namespace",
            metavar="NS",
            help="The webhook's own namespace; nothing in it is sent to the webhook. [default: statuscap]",
        ),
    ] = None,
    service: Annotated[
        str | None, typer.Option("--service", metavar="NAME", help="The webhook's Service. [default: statuscap]")
    ] = None,
    ca_file: Annotated[
        str | None,
        typer.Option(
            "--ca-file", metavar="FILE", help="The CA of the webhook's certificate, as PEM: becomes caBundle."
        ),
    ] = None,
    mode: InMode = None,
    pre_filters: Annotated[
        bool,
        typer.Option(
            "--pre-filters",
            help="Let the API server leave out writes that no policy has anything to do with (matchConditions); "
            "to be applied anew after each change of a policy.",
        ),
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say for each webhook which writes are sent, instead of manifests.")
    ] = False,
    output: Annotated[Format, typer.Option("--output", "-o", help="How to print them.")] = Format.YAML,
) -> int:
    """Print the manifests that policies need.

    They are for kubectl apply -f - and register the webhook for the resources of the policies. Policies that
    are Off are left out. The webhook never makes a write fail because it does not answer (failurePolicy: Ignore).
    Where an enforced policy rejects by its limits, the validating phase is registered too.
    """
    import json

    from admission.cli import console
    from admission.engine.policy import Mode
    from admission.offline.cabundle import ca_bundle as bundle_in
    from admission.offline.prefilters import explained
    from admission.offline.render import validating_configuration, webhook_configuration
    from admission.offline.yamltext import to_documents

    ca_bundle = None if ca_file is None else bundle_in(ca_file)
    loaded, target = load(policies).in_mode(mode), _target(url, namespace, service)
    if explain:
        console.raw("".join(f"{line}\n" for line in explained(loaded)))
        return Exit.OK
    configuration = webhook_configuration(loaded, target, ca_bundle, pre_filters=pre_filters)
    validating = validating_configuration(loaded, target, ca_bundle, pre_filters=pre_filters)
    found = [configuration] if validating is None else [configuration, validating]
    if output is Format.YAML:
        console.raw(to_documents(found))
    else:
        console.raw(json.dumps({"apiVersion": "v1", "kind": "List", "items": found}, indent=2))
    if not configuration["webhooks"]:
        why = "--mode Off" if mode is Mode.OFF else "every policy is Off"
        console.remark(f"webhooks is empty ({why}): {_NOTHING_CALLED}")
    elif ca_bundle is None:
        console.remark(_SERVICE_UNTRUSTED if url is None else _URL_UNTRUSTED)
    return Exit.OK


def _target(url: str | None, namespace: str | None, service: str | None) -> ServiceTarget | UrlTarget:
    from admission.offline.target import DEFAULT_NAMESPACE, DEFAULT_SERVICE, ServiceTarget, UrlTarget, checked_label

    own = checked_label(namespace or DEFAULT_NAMESPACE)
    if url is None:
        return ServiceTarget(own, checked_label(service or DEFAULT_SERVICE))
    if service is not None:
        raise typer.BadParameter(
            "a webhook is reached by --url or by --service; give one of them", param_hint="--service"
        )
    return UrlTarget.parse(url, own)
