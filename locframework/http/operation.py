"""Declares an operation: method, path, permission, and what it reads and returns.

The decorator makes a method of an endpoints class an operation. Routing, decoding,
authorization and the OpenAPI document are derived from its signature once, at the
start; a declaration that does not fit stops the start with one line.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import Meta, Struct, defstruct, structs

from locframework.errors import LocError
from locframework.pagination import Page

from .records import (
    BODY_LIMIT,
    UPLOAD_LIMIT,
    Accepted,
    Prepared,
    Raw,
    RawBody,
    Wrapped,
)
from .responses import wrapping

SLASHES = Meta(extra={"slashes": True})
"""Annotates a part of a path that may hold slashes (SlashParameters in dispatch.py)."""

Rate = Literal["api", "content"]
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
F = TypeVar("F", bound=Callable[..., object])

_MARK = "__operation__"
_PARAMETER = re.compile(r"\{([a-z][A-Za-z0-9]*)\}")
_GIVEN = ("caller", "query", "body", "form", "request")


class DeclarationError(ValueError):
    """An operation that cannot be served; it stops the start with this one line."""


class RawResponse(Struct, frozen=True):
    """Documents one answer outside the envelope; OpenAPI shows it."""

    status: int
    description: str
    content_type: str | None = None
    schema: Any = None  # a type that msgspec can describe; None with a type: binary
    headers: tuple[str, ...] = ()


class Declaration(Struct, frozen=True):
    """Makes the method that it decorates an operation."""

    method: Method
    path: str
    """Below /api/v1: "/projects/{projectId}/keys"."""
    tag: str = ""
    """The heading in the description; without one, the ``tag`` of the class."""
    permission: str | None = ""
    """The one that the service asks for; None: any valid token is enough. It must be
    said unless the operation is public."""
    public: bool = False
    """No token is needed."""
    status: int = 200
    errors: tuple[type[LocError], ...] = ()
    """Those of this operation. The description adds what follows from its path and its
    shape (``errors_of`` in openapi.py)."""
    rate: Rate | None = "api"
    """The class of the request limit. "content" also means: errors outside the
    envelope, read from any origin."""
    etag: bool | str = False
    """A write that answers just what GET of the same path does, or of the path that is
    named, and so carries its ETag."""
    upload_limit: int = UPLOAD_LIMIT
    """Bytes of a form."""
    body_limit: int = BODY_LIMIT
    """Bytes of a RawBody."""
    secret: bool = False
    """The answer shows what is shown once: it is not kept for an Idempotency-Key."""
    raw: tuple[RawResponse, ...] = ()
    """Documents answers of the type Raw."""
    short_path: str = ""
    """Of a plugin's operation without path parameters: a path that redirects to its
    own (308, so that method and body stay), from the root of the app: "/mcp"."""
    dry_run: bool | str | None = None
    """Whether ``Framework.call`` can do it as a dry run, which rolls the transaction
    back: True, or why not: "it asks a translation engine". None: it can if it is a read
    or the core's. Never if it answers Raw or 202, or takes a form."""

    def __call__(self, function: F) -> F:
        setattr(function, _MARK, self)
        return function


operation = Declaration


class PathParameter(Struct, frozen=True):
    """A part of the path, as the URL names it and as the method does."""

    wire: str  # projectId
    name: str  # project_id
    type: Any = str

    @property
    def allows_slashes(self) -> bool:
        """Whether the part may hold slashes, as those of ``SLASHES`` may."""
        return SLASHES in getattr(self.type, "__metadata__", ())


class Operation(Declaration, frozen=True, kw_only=True):
    """A declared method of one endpoints object, ready to be served."""

    name: str  # create_key
    template: str  # the path with the method's own parameter names, for the router
    call: Callable[..., object]
    summary: str
    description: str
    parameters: tuple[PathParameter, ...]
    wants_caller: bool
    wants_request: bool
    query: type[Struct] | None
    body: type[Struct] | None
    form: type[Struct] | None
    answer: Any  # the type inside the envelope, or None
    wrapped: type[Struct] | None  # that, where ``call`` returns its only member
    accepted: Any  # the type inside a 202, or None
    returns_raw: bool
    prepares: bool  # it answers Prepared
    plugin: str = ""  # that declares it; "": the core

    @property
    def id(self) -> str:
        """The ``operationId`` of the OpenAPI document: createKey."""
        return camel(self.name)

    @property
    def is_single_read(self) -> bool:
        """Whether it reads one thing: its answer has an ETag."""
        record = get_origin(self.answer) or self.answer
        is_page = isinstance(record, type) and issubclass(record, Page)
        is_own = self.method == "GET" and not self.public
        return is_own and not self.returns_raw and not is_page

    @property
    def etag_path(self) -> str:
        """The path of the read whose ETag ``If-Match`` names."""
        return self.etag if isinstance(self.etag, str) else self.path

    @property
    def takes_idempotency_key(self) -> bool:
        """Whether ``Idempotency-Key`` counts: a POST of somebody. A raw answer is not
        kept."""
        return self.method == "POST" and not self.public and not self.returns_raw

    @property
    def body_optional(self) -> bool:
        """Whether no body at all is read as ``{}``: nothing must be said to do it."""
        return (
            self.body is not None
            and self.method in ("POST", "PUT")
            and not has_required_fields(self.body)
        )

    @property
    def takes_json(self) -> bool:
        """Whether what comes as a body has to be JSON, be it read or not."""
        if self.takes_any_body:
            return False
        writes = self.method in ("POST", "PUT", "PATCH")
        return self.body is not None or (writes and self.form is None)

    @property
    def takes_any_body(self) -> bool:
        """Whether the body is passed on as it comes."""
        return self.body is RawBody

    @property
    def why_no_dry_run(self) -> str | None:
        """Why a dry run of it is refused, "it starts a job"; None: it is not."""
        if self.returns_raw:
            return "it answers a file"
        if self.form is not None:
            return "it keeps what is uploaded before it answers"
        if self.accepted is not None:
            return "it starts work in the background"
        if isinstance(self.dry_run, str):
            return self.dry_run
        if self.plugin and self.method != "GET" and not self.dry_run:
            return "it does not declare dry_run=True, as writes of plugins must"
        return None

    @property
    def decodes(self) -> bool:
        """Whether a request can be refused for what it carries beside its path."""
        is_strict = self.rate != "content"  # about its query
        return is_strict or self.takes_json or any((self.query, self.body, self.form))


@cache  # each app asks for the types of all operations
def has_required_fields(type_: type[Struct]) -> bool:
    """Whether a struct cannot be made of nothing."""
    is_struct = isinstance(type_, type)  # and no dict[str, object]
    return is_struct and any(field.required for field in structs.fields(type_))


def operations_of(endpoints: object) -> Iterator[Operation]:
    """Every operation of an endpoints object, in the order they are written down."""
    for read in _declared(type(endpoints)):  # type: ignore[arg-type]  # it has a hash
        call = getattr(endpoints, read.name)
        if read.wrapped is not None:
            call = wrapping(call, read.wrapped)
        yield structs.replace(read, call=call)


def operation_names(endpoints: Iterable[object]) -> set[str]:
    """The names of all operations of endpoints objects."""
    return {read.name for each in endpoints for read in operations_of(each)}


def require_distinct(operations: Iterable[Operation]) -> None:
    """Raise DeclarationError for two with the same name, or method and path."""
    met: dict[str, str] = {}
    for each in operations:
        for what in (f"{each.method} {each.template}", f"the name {each.name}"):
            if what in met:
                raise DeclarationError(
                    f"operations {met[what]} and {each.name} both have {what}"
                )
            met[what] = each.name


def snake(camel: str) -> str:
    """``projectId`` as Python names it."""
    return re.sub(r"[A-Z]", lambda found: "_" + found[0].lower(), camel)


def camel(snake_: str) -> str:
    """``project_id`` as JSON and URLs name it."""
    first, *rest = snake_.split("_")
    return first + "".join(each.capitalize() for each in rest)


@cache  # the same for every app
def _declared(class_: type) -> tuple[Operation, ...]:
    """The operations of a class, but for what they call."""
    tag = getattr(class_, "tag", "")
    members: dict[str, Any] = {}
    for each in reversed(class_.__mro__):
        members |= vars(each)
    return tuple(
        _read(structs.replace(declaration, tag=declaration.tag or tag), name, function)
        for name, function in members.items()
        if (declaration := getattr(function, _MARK, None)) is not None
    )


def _read(
    declaration: Declaration, name: str, function: Callable[..., object]
) -> Operation:
    """The operation but for ``call``, which is here the function and not the method."""
    hints = get_type_hints(function, include_extras=True)
    arguments = list(inspect.signature(function).parameters)[1:]
    parameters = tuple(
        PathParameter(found, snake(found), hints.get(snake(found)))
        for found in _PARAMETER.findall(declaration.path)
    )
    returned = hints.get("return")
    prepares = get_origin(returned) is Prepared
    answer, accepted, returns_raw = _answers(
        get_args(returned)[0] if prepares else returned
    )
    wrapped = _wrapper_of(answer)
    _check(declaration, function, arguments, parameters, hints)
    summary, _, description = (inspect.getdoc(function) or "").partition("\n")
    return Operation(
        **structs.asdict(declaration),
        name=name,
        template=_PARAMETER.sub(
            lambda found: f"{{{snake(found[1])}}}", declaration.path
        ),
        call=function,
        summary=summary.rstrip("."),
        description=description.strip(),
        parameters=parameters,
        wants_caller="caller" in arguments,
        wants_request="request" in arguments,
        query=hints.get("query"),
        body=hints.get("body"),
        form=hints.get("form"),
        answer=wrapped or answer,
        wrapped=wrapped,
        accepted=accepted,
        returns_raw=returns_raw,
        prepares=prepares,
    )


def _check(
    declaration: Declaration,
    function: Callable[..., object],
    arguments: list[str],
    parameters: tuple[PathParameter, ...],
    hints: dict[str, Any],
) -> None:
    in_path = [each.name for each in parameters]
    faults = {
        f"its path names {in_path}, its arguments {arguments}": set(in_path)
        != set(arguments) - set(_GIVEN),
        "it must name its permission, None (any token), or public=True": (
            declaration.permission == "" and not declaration.public
        ),
        "it must say what it returns": "return" not in hints,
        "it is async; operations are plain methods": (
            inspect.iscoroutinefunction(function)
        ),
        "a public operation has no caller": (
            declaration.public and "caller" in arguments
        ),
    }
    for name in ("query", "body", "form"):
        type_ = hints.get(name)
        is_struct = isinstance(type_, type) and issubclass(type_, Struct)
        is_raw = name != "body" and type_ is RawBody
        is_any = name == "body" and type_ == dict[str, object]
        faults[f"its {name} must be of a type that is a msgspec Struct"] = (
            name in arguments and not is_any and (not is_struct or is_raw)
        )
    for fault, is_there in faults.items():
        if is_there:
            where = f"{function.__module__}.{function.__qualname__}"
            raise DeclarationError(f"operation {where}: {fault}")


def _wrapper_of(answer: Any) -> type[Struct] | None:
    """Return the struct that an answer in ``Wrapped`` is the only member of."""
    for each in getattr(answer, "__metadata__", ()):
        if isinstance(each, Wrapped):
            return _wrapper(each.name, get_args(answer)[0])
    return None


@cache  # one for all operations that answer it
def _wrapper(name: str, type_: Any) -> type[Struct]:
    record, of = type_, ""
    while get_args(record):  # of a list, or of lists by text
        record, of = get_args(record)[-1], "List"
    return defstruct(f"{record.__name__}{of}Answer", [(name, type_)], frozen=True)


def _answers(hint: Any) -> tuple[Any, Any, bool]:
    """The type in the envelope, the type in a 202, and whether Raw may come."""
    options = (
        get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    )
    answer = accepted = None
    returns_raw = False
    for option in options:
        if option is Raw:
            returns_raw = True
        elif get_origin(option) is Accepted:
            (accepted,) = get_args(option)
        else:
            answer = option
    return answer, accepted, returns_raw
