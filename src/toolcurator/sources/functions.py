"""Python functions → tools: annotations and docstring become the JSON Schema of the arguments."""

from __future__ import annotations

import functools
import inspect
import sys
import types
import typing
import warnings
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal, ParamSpec, Protocol, TypeVar, Union, cast, get_args, get_origin, overload

import typing_extensions
from pydantic import Field, TypeAdapter, create_model
from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticSerializationError, to_jsonable_python

from toolcurator.errors import CatalogError
from toolcurator.sources.docstrings import read_docstring
from toolcurator.sources.json_values import as_object
from toolcurator.tool import Endpoint, JsonSchema, Tool

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
State = Literal["active", "draft", "inactive"]
_SUPPLIED = ("Context", "ContextWrapper", "RunnableConfig", "ToolRuntime", "CallbackManager", "InjectedToolArg")


class ToolFunction(Protocol[P, R]):
    """A function with its tool beside it. Calling it calls the function."""

    tool: Tool

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function."""
        ...


@overload
def tool(fn: Callable[P, R], /) -> ToolFunction[P, R]: ...
@overload
def tool(
    fn: None = None,
    /,
    *,
    name: str | None = None,
    server: str = "",
    description: str | None = None,
    roles: Iterable[str] = (),
    tags: Iterable[str] = (),
    examples: Iterable[str] = (),
    side_effect: bool | None = None,
    state: State = "active",
) -> Callable[[Callable[P, R]], ToolFunction[P, R]]: ...
def tool(
    fn: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    server: str = "",
    description: str | None = None,
    roles: Iterable[str] = (),
    tags: Iterable[str] = (),
    examples: Iterable[str] = (),
    side_effect: bool | None = None,
    state: State = "active",
) -> Any:
    """Make a tool of a function; the function itself stays as it is, with its ``Tool`` at ``fn.tool``.

    Args:
        fn: The function, when it is decorated without parentheses.
        name: Name of the tool, instead of the function's.
        server: Server or provider that offers it.
        description: Description, instead of the docstring's.
        roles: Personas that may see it; empty means all.
        tags: Free words.
        examples: Example queries.
        side_effect: Whether a call changes something; None if unknown.
        state: Only active tools are found.

    Returns:
        The function, or a decorator.

    Raises:
        CatalogError: It is no function, or one that takes no attribute.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        made = tool_from_function(function, name=name, server=server, description=description)
        given = {"roles": tuple(roles), "tags": tuple(tags), "examples": tuple(examples)}
        try:
            function.tool = made.model_copy(update={**given, "side_effect": side_effect, "state": state})  # type: ignore[attr-defined]
        except AttributeError:
            raise CatalogError(f"{made.name} takes no attribute: use tool_from_function, or wrap it") from None
        return function

    return decorate if fn is None else decorate(fn)


def tool_from_function(
    fn: Callable[..., Any], *, name: str | None = None, server: str = "", description: str | None = None
) -> Tool:
    """Read a function, method, partial or callable object.

    Args:
        fn: The callable; if it was decorated with ``tool``, that tool is returned.
        name: Name of the tool, instead of the function's.
        server: Server or provider that offers it.
        description: Description, instead of the docstring's.

    Returns:
        The tool. Its endpoint is ``module:qualname``. ``self``, ``*args`` and arguments that a framework supplies
        (annotated with a class called ``...Context``) are no slots; ``**kwargs`` allows further properties.

    Raises:
        CatalogError: It is not callable, or has no signature.
    """
    made = getattr(fn, "tool", None)
    if isinstance(made, Tool) and name is None and description is None:
        late = {"server": server, "id": f"{server}/{made.name}"}
        return made.model_copy(update=late) if server and not made.server else made
    target = _function_of(fn)
    named = type(fn) if target is not fn and getattr(target, "__name__", "") == "__call__" else target
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError) as error:
        raise CatalogError(f"{fn!r} is no function whose arguments can be read: {error}") from None
    said, meanings = read_docstring(inspect.getdoc(named))
    if named is not target:
        meanings |= read_docstring(inspect.getdoc(target))[1]
    module = getattr(named, "__module__", None) or "builtins"
    return Tool(
        name=name or str(named.__name__),
        server=server,
        description=said if description is None else description,
        parameters=_parameters(signature, _hints(target), meanings),
        endpoint=Endpoint(kind="python", method="", url=f"{module}:{named.__qualname__}"),
    )


class _Untitled(GenerateJsonSchema):
    """Pydantic writes a title for every field; a model reads nothing new in them."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _function_of(fn: Callable[..., Any]) -> Any:
    """The function that carries name, docstring and annotations."""
    while isinstance(fn, functools.partial):
        fn = cast("Callable[..., Any]", fn.func)
    return fn if hasattr(fn, "__name__") or not callable(fn) else type(fn).__call__


def _hints(target: Any) -> dict[str, Any]:
    """Annotations as types; those that cannot be resolved are left out."""
    source = target.__init__ if inspect.isclass(target) else target
    try:
        own = typing.get_type_hints(target, include_extras=True) if inspect.isclass(target) else {}
        return own | typing.get_type_hints(source, include_extras=True)
    except Exception:  # a name imported for type checkers only, or one of another scope
        raw: dict[str, Any] = getattr(source, "__annotations__", {})
        return {name: found for name, each in raw.items() if (found := _resolved(each, source)) is not None}


def _resolved(annotation: Any, source: Any) -> Any:
    """One annotation on its own, so that one that cannot be resolved spoils no other; None for that one."""
    if not isinstance(annotation, str):
        return annotation
    names: dict[str, Any] = getattr(inspect.unwrap(source), "__globals__", {})
    try:
        alone = types.SimpleNamespace(__annotations__={"it": annotation})
        return typing.get_type_hints(alone, globalns=names, include_extras=True)["it"]
    except Exception:
        return None


def _parameters(signature: inspect.Signature, hints: dict[str, Any], meanings: dict[str, str]) -> JsonSchema:
    fields: dict[str, Any] = {}
    names: list[str] = []
    open_ended = False
    for position, (name, parameter) in enumerate(signature.parameters.items()):
        annotation = hints.get(name, Any)
        if parameter.kind is parameter.VAR_KEYWORD:
            open_ended = True
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL) or _is_supplied(annotation):
            continue
        if position == 0 and name in ("self", "cls"):
            continue
        fields[f"p{len(names)}"] = _field(name, annotation, parameter.default)
        names.append(name)
    schema = _schema(fields)
    properties = as_object(schema.get("properties")) or {}
    for name in names:
        if meanings.get(name):
            properties[name].setdefault("description", meanings[name])
    whole: JsonSchema = {"type": "object", "properties": properties}
    whole |= {key: schema[key] for key in ("required", "$defs") if key in schema}
    return {**whole, "additionalProperties": True} if open_ended else whole


def _field(name: str, annotation: Any, default: Any) -> Any:
    """A field whose alias is the argument's name, since pydantic has its own ideas about names such as ``_x``."""
    typed = _portable(annotation)
    if _schema_of(typed) is None:
        typed = Any
    if default is inspect.Parameter.empty:
        return Annotated[typed, Field(alias=name)], ...
    try:
        to_jsonable_python(default)
    except (PydanticSerializationError, ValueError):  # a sentinel: it only says that the argument may be left out
        return Annotated[typed, Field(alias=name, default_factory=lambda: None)]
    return Annotated[typed, Field(alias=name)], default


def _schema(fields: dict[str, Any]) -> JsonSchema:
    model = create_model("Arguments", **fields)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a default that JSON cannot hold is left out, which is right
        return model.model_json_schema(schema_generator=_Untitled)


def _schema_of(annotation: Any) -> JsonSchema | None:
    """The schema of one type; None if pydantic knows none (a data frame, a client object)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return TypeAdapter(annotation).json_schema()
    except (PydanticUserError, TypeError, NameError, AttributeError, RecursionError):
        return None


def _is_supplied(annotation: Any) -> bool:
    """Whether a framework, not the model, fills the argument in."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return any(_is_supplied(each if inspect.isclass(each) else type(each)) for each in get_args(annotation))
    if origin in (Union, types.UnionType):
        return any(_is_supplied(each) for each in get_args(annotation))
    return inspect.isclass(kind := origin or annotation) and kind.__name__.endswith(_SUPPLIED)


def _portable(annotation: Any) -> Any:
    """The annotation with ``typing.TypedDict`` put into the form that pydantic needs before Python 3.12."""
    if sys.version_info >= (3, 12):
        return annotation
    if typing.is_typeddict(annotation) and type(annotation).__module__ == "typing":
        hints = {name: _portable(each) for name, each in typing.get_type_hints(annotation, include_extras=True).items()}
        rebuilt: Any = typing_extensions.TypedDict(annotation.__name__, hints, total=annotation.__total__)  # type: ignore[misc]
        rebuilt.__required_keys__, rebuilt.__optional_keys__ = (
            annotation.__required_keys__,
            annotation.__optional_keys__,
        )
        return rebuilt
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return Annotated[(_portable(arguments[0]), *annotation.__metadata__)]
    if origin in (Union, types.UnionType):
        return Union[tuple(map(_portable, arguments))]  # noqa: UP007 (built at run time)
    if origin in (list, dict, tuple, set, frozenset):
        generic: Any = origin
        return generic[tuple(each if each is ... else _portable(each) for each in arguments)]
    return annotation
