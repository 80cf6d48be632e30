"""Suite files: every problem with its line, or policies and cases that can be run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

import yaml
from pydantic import ValidationError

from admission.engine.instant import parse_time
from admission.engine.policy import Mode, Policy, PolicySet
from admission.engine.rollout import EVERYBODY
from admission.engine.schema import ANY, UNKNOWN, Schema, Schemas
from admission.engine.values import List, Object, Value
from admission.errors import DocumentError, PolicyError, Problem
from admission.offline.case import Case
from admission.offline.expectation import MANAGED_FIELDS, STATUS, Expectation, Place
from admission.offline.gojson import compose_all, documents_of, is_null_node, tree_of_node
from admission.offline.objects import LARGEST_FILE
from admission.offline.resource import Resource, resource_of
from admission.offline.suitemodels import CaseModel, ExpectModel, RequestModel, ResourceModel, SuiteModel
from admission.offline.write import Write, group_version, kind_of
from admission.policyfile.document import KIND as POLICY_KIND
from admission.policyfile.files import read_bytes
from admission.policyfile.lines import Lines, Loc
from admission.policyfile.loader import load_policies, policies_from_data
from admission.policyfile.presets import PREFIX, SUITE_SUFFIX
from admission.policyfile.problems import problems_of
from admission.policyfile.wording import dotted, found
from admission.policyfile.yamlfile import load_documents
from admission.policyfile.yamlreader import YamlDocument

SCHEMA_SAYS_NOTHING: Final = "schema: says nothing of what the policies trim; give openAPIV3Schema, with properties"
OPENAPI: Final = "openAPIV3Schema"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite that can be run. ``policies`` are in its mode and know the schema, if one is given."""

    file: str
    policies: PolicySet
    cases: tuple[Case, ...]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the suite says without an effect."""
        known = [*self.policies.schemas.by_resource.values()]
        roots = {policy.root for policy in self.policies.policies}
        says_nothing = known and not any(schema.at((root,)) for schema in known for root in roots)
        return (SCHEMA_SAYS_NOTHING,) if says_nothing else ()

    def knowing(self, schemas: Schemas) -> Suite:
        """The same suite with these schemas, unless it has one of its own."""
        has_own = bool(self.policies.schemas.by_resource)
        return self if has_own else replace(self, policies=self.policies.knowing(schemas))


def load_suites(file: Path, now: int) -> list[Suite]:
    """The suites of a file. ``now`` (nanoseconds since the epoch) is for cases that name no time.

    Raises:
        PolicyError: with every problem, file and line.
    """
    content = read_bytes(file, LARGEST_FILE)
    documents = load_documents(content, str(file))
    nodes = [node for node in compose_all(content, str(file)) if not is_null_node(node)]
    if not documents:
        raise PolicyError([Problem(str(file), 0, "", "is empty; expected a document of kind Suite")])
    return [_Reader(document, node, now).suite() for document, node in zip(documents, nodes, strict=True)]


class _Reader:
    """Turns one document into a suite, and remembers every problem on the way.

    The document gives types and lines; objects are read from the YAML ``node``, where numbers still have their text.
    """

    def __init__(self, document: YamlDocument, node: yaml.Node, now: int) -> None:
        self._document = document
        self._node = node
        self._now = now
        self._folder = Path(document.file).parent
        self._problems: list[Problem] = []

    def suite(self) -> Suite:
        model = self._model()
        policies = self._policies(model)
        cases = [self._case(case, ("cases", at), model, policies) for at, case in enumerate(model.cases)]
        if self._problems:
            raise PolicyError(self._problems)
        return Suite(self._document.file, policies, tuple(case for case in cases if case is not None))

    def _model(self) -> SuiteModel:
        data, file, lines = self._document.data, self._document.file, self._document.lines
        if not isinstance(data, dict):
            raise PolicyError([Problem(file, lines.line, "", f"expected a Suite, found {found(data)}")])
        if data.get("kind") == POLICY_KIND and "cases" not in data:
            message = f"this is a {POLICY_KIND}; name its suite ({_suite_of(file)})"
            raise PolicyError([Problem(file, lines.line, "", message)])
        try:
            return SuiteModel.model_validate(data)
        except ValidationError as error:
            raise PolicyError(problems_of(error, SuiteModel, file, lines)) from error

    # --- policies

    def _policies(self, model: SuiteModel) -> PolicySet:
        files = [self._file_of(each) for each in model.policies if isinstance(each, str)]
        policies: list[Policy] = []
        if files:
            policies += self._noted(("policies",), lambda: load_policies(files).policies) or ()
        policies += self._noted(("policies",), lambda: self._inline(model.policies)) or ()
        self._refuse_equal_names(policies)
        everybody = [replace(policy, rollout=EVERYBODY) for policy in policies]
        return PolicySet.of(everybody if model.mode is None else _in_mode(everybody, model.mode), _schemas(model))

    def _file_of(self, name: str) -> str:
        return name if name.startswith(PREFIX) else str(self._folder / name)

    def _inline(self, policies: Sequence[Any]) -> list[Policy]:
        places = [at for at, each in enumerate(policies) if not isinstance(each, str)]
        lines: dict[str | int, Lines] = {
            at: self._document.lines.below(("policies", place)) for at, place in enumerate(places)
        }
        data = [policies[place] for place in places]
        return policies_from_data(data, Lines(0, lines), self._document.file) if data else []

    def _refuse_equal_names(self, policies: Sequence[Policy]) -> None:
        seen: set[str] = set()
        for policy in policies:
            if policy.name in seen:
                self._note(("policies",), f"two policies are called {policy.name}; a name is one policy's")
            seen.add(policy.name)

    # --- cases

    def _case(self, case: CaseModel, at: Loc, suite: SuiteModel, policies: PolicySet) -> Case | None:
        submitted = self._object(case.object, case.object_file, (*at, "object"))
        stored = self._object(case.old_object, case.old_object_file, (*at, "oldObject"))
        if submitted is None:
            if case.object is None and case.object_file is None:
                self._note(at, "has no object; write object or objectFile")
            return None
        resource = self._resource(suite.resource, case.resource, at, submitted, policies)
        expect = self._noted(at, lambda: self._expectation(case.expect, (*at, "expect")))
        if resource is None or expect is None:
            return None
        write = Write.of(submitted, resource, stored=stored, operation=case.request.operation, source=self._source(at))
        now = parse_time(case.now) if case.now is not None else None
        return Case(case.name, self._source(at), self._now if now is None else now, _asked(write, case.request), expect)

    def _object(self, inline: dict[str, Any] | None, file: str | None, at: Loc) -> Object | None:
        if inline is not None and file is not None:
            self._note(at, f"stands beside {at[-1]}File; keep one")
            return None
        if inline is not None:
            return self._noted(at, lambda: _object_of(self._tree(at)))
        if file is not None:
            return self._noted((*at[:-1], f"{at[-1]}File"), lambda: _object_in(self._folder / file))
        return None

    def _resource(
        self,
        of_suite: ResourceModel | None,
        of_case: ResourceModel | None,
        at: Loc,
        submitted: Object,
        policies: PolicySet,
    ) -> Resource | None:
        named: dict[str, str] = {}
        for model in (of_suite, of_case):
            named |= {} if model is None else model.model_dump(exclude_none=True)
        if not named:
            group, _ = group_version(submitted)
            return self._noted(at, lambda: resource_of(policies, group, kind_of(submitted)))
        if "group" not in named or "resource" not in named:
            self._note((*at, "resource"), "needs a group and a resource, here or in the suite")
            return None
        return Resource(**named)

    def _expectation(self, model: ExpectModel, at: Loc) -> Expectation:
        named = model.model_fields_set
        return Expectation(
            outcome=model.outcome,
            values=dict(self._values(model, at)),
            patch=_list_of(self._tree((*at, "patch"))) if model.patch is not None else None,
            most_patch_ops=model.max_patch_ops,
            most_bytes=model.bytes_after.max if model.bytes_after else None,
            code=model.code,
            message=re.compile(model.message) if model.message is not None else None,
            warnings=tuple(map(re.compile, model.warnings or ())) if "warnings" in named else None,
        )

    def _values(self, model: ExpectModel, at: Loc) -> Iterator[tuple[Place, Value]]:
        if "status" in model.model_fields_set:
            yield STATUS, self._tree((*at, "status"))
        if "managed_fields" in model.model_fields_set:
            yield MANAGED_FIELDS, self._tree((*at, "managedFields"))
        for key in model.object or ():
            yield (key,), self._tree((*at, "object", key))

    # --- places

    def _tree(self, at: Loc) -> Value:
        return tree_of_node(_node_at(self._node, at), self._document.file)

    def _source(self, at: Loc) -> str:
        return f"{self._document.file}:{self._document.lines.at(at)}"

    def _note(self, at: Loc, message: str) -> None:
        self._problems.append(Problem(self._document.file, self._document.lines.at(at), dotted(at), message))

    def _noted(self, at: Loc, read: Callable[[], T]) -> T | None:
        """What ``read`` gives, or None after noting what is wrong."""
        try:
            return read()
        except PolicyError as error:
            if error.problems:
                self._problems += error.problems
            else:
                self._note(at, str(error))
        except DocumentError as error:
            self._note(at, str(error))
        return None


def _schemas(model: SuiteModel) -> Schemas:
    """The suite's schema, for its resource; for every resource when it names none."""
    openapi = model.openapi_schema
    if openapi is None:
        return UNKNOWN
    inner = openapi.get(OPENAPI)
    schema = Schema.of(inner if isinstance(inner, dict) else openapi)
    of = model.resource or ResourceModel()
    return Schemas({(of.group or ANY, of.version or ANY, of.resource or ANY): schema})


def _suite_of(policy: str) -> str:
    """The suite beside a policy, if there is one."""
    beside = Path(policy).with_suffix(SUITE_SUFFIX)
    return str(beside) if beside.exists() else f"NAME{SUITE_SUFFIX}"


def _asked(write: Write, request: RequestModel) -> Write:
    if request.user is not None:
        write = write.with_user(request.user)
    if request.field_manager is not None:
        write = write.with_field_manager(request.field_manager)
    for key in ("name", "namespace"):
        text = getattr(request, key)
        if text is not None:
            write = write.with_name(key, text)
    return write.with_dry_run(request_dry_run=request.request_dry_run)


def _in_mode(policies: Sequence[Policy], mode: Mode) -> list[Policy]:
    """A suite tests what a policy does, also one that ships ``Off``."""
    return [replace(policy, mode=mode) for policy in policies]


def _object_in(file: Path) -> Object:
    try:
        documents = list(documents_of(read_bytes(file, LARGEST_FILE), str(file)))
    except PolicyError as error:
        raise DocumentError(str(error)) from error  # a problem of the suite that names the file
    if len(documents) != 1:
        raise DocumentError(f"{file}: it has {len(documents)} documents; expected one object")
    return _object_of(documents[0])


def _object_of(value: Value) -> Object:
    if not isinstance(value, dict):
        raise DocumentError("it is no object; expected apiVersion, kind and so on")
    return value


def _list_of(value: Value) -> List:
    assert isinstance(value, list), "the model says so"  # noqa: S101
    return value


def _node_at(node: yaml.Node, at: Loc) -> yaml.Node:
    for key in at:
        if isinstance(node, yaml.MappingNode):
            node = next(value for name, value in node.value if name.value == key)
        else:
            node = node.value[key]
    return node
