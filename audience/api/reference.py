"""What the page about the API shows of the OpenAPI document: its operations by group, with their fields."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from audience.api import samples
from audience.api.openapi_examples import JSON, examples
from schemas.codes import REQUEST_CODES, VALUE_CODES

APART = ("Rule", "MatchedRule")  # these contain themselves: each is shown once, below its group
MANY = 2**31  # a bound that nobody meets
CODE = Markup("<code>{}</code>")
METHODS = ("get", "post", "put", "patch", "delete")


class Field(NamedTuple):
    """A parameter or property; `parents` is the path to it, such as `data.`"""

    parents: str
    name: str
    kind: Markup
    required: bool
    text: Markup


class Content(NamedTuple):
    """A body, an answer, or an object that is shown apart."""

    title: str
    text: Markup
    fields: list[Field]


class Example(NamedTuple):
    title: str
    request: samples.Request
    answer: Any


class Operation(NamedTuple):
    """`refusals` are the statuses of its errors."""

    id: str
    method: str
    path: str
    title: str
    text: Markup
    scope: str
    parameters: list[Field]
    body: Content | None
    answers: list[Content]
    refusals: list[str]
    examples: list[Example]


class Chapter(NamedTuple):
    id: str
    title: str
    text: Markup
    operations: list[Operation]


class Reference:
    """Reads an OpenAPI document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.components = document["components"]
        self.server: str = document["servers"][0]["url"]
        self.version: str = document["info"]["version"]
        self._examples = examples()
        self.groups = self._groups()

    def about(self) -> list[Markup]:
        """What holds for all requests, in paragraphs."""
        keys = self.components["securitySchemes"]["keys"]["description"]
        return [prose(text) for text in (*self.document["info"]["description"].split("\n\n"), keys)]

    def _groups(self) -> list[Chapter]:
        operations = list(self._operations("paths"))
        return [
            Chapter(
                tag["name"].replace(" ", "-"),
                tag["name"].capitalize(),
                prose(tag["description"]),
                [operation for name, operation in operations if name == tag["name"]],
            )
            for tag in self.document["tags"]
        ]

    def messages(self) -> list[Operation]:
        """What is sent to webhooks."""
        return [operation for _, operation in self._operations("webhooks")]

    def apart(self) -> list[tuple[str, Markup, list[Content]]]:
        """The schemas that contain themselves: for each its name, its description and its alternatives."""
        schemas = {name: self.components["schemas"][name] for name in APART}
        return [
            (name, prose(schema["description"]), [self._form(form) for form in schema.get("anyOf", [schema])])
            for name, schema in schemas.items()
        ]

    def errors(self) -> list[tuple[str, Markup, dict[str, Markup]]]:
        """The statuses of errors, what each means, and their codes with the remedies."""
        return [
            (status, prose(response["description"]), remedies(int(status)))
            for status, response in self.components["responses"].items()
        ]

    def error(self) -> Any:
        """The body of an error, as an example."""
        return self.components["responses"]["422"]["content"][JSON]["example"]

    def value_codes(self) -> dict[str, Markup]:
        return {code: prose(remedy) for code, remedy in VALUE_CODES.items()}

    def headers(self) -> list[Field]:
        """The headers of answers."""
        return [
            Field("", name, self._kind(header["schema"]), False, prose(header["description"]))
            for name, header in self.components["headers"].items()
        ]

    def _operations(self, section: str) -> Iterator[tuple[str, Operation]]:
        """Pairs of a tag and an operation."""
        for path, item in self.document[section].items():
            for method in METHODS:
                if method in item:
                    operation = item[method]
                    [tag] = operation["tags"]
                    yield tag, self._operation(method.upper(), path, operation, item.get("parameters", []))

    def _operation(self, method: str, path: str, described: Any, in_path: Any) -> Operation:
        body = described.get("requestBody")
        own = {status: answer for status, answer in described["responses"].items() if "$ref" not in answer}
        return Operation(
            described["operationId"],
            method,
            path,
            described["summary"],
            prose(described["description"]),
            described.get("x-scope", ""),
            [self._parameter(parameter) for parameter in (*in_path, *described["parameters"])],
            self._content("", body) if body else None,
            [self._content(status, answer) for status, answer in own.items()],
            [status for status in described["responses"] if status not in own],
            [
                Example(sent["summary"], samples.request(self.server, method, path, sent), sent["answer"])
                for sent in self._examples
                if sent["operation"] == described["operationId"]
            ],
        )

    def _parameter(self, described: Any) -> Field:
        parameter = self._resolved(described)
        where = Markup("{}, {}").format(parameter["in"], self._kind(parameter["schema"]))
        text = prose(parameter["description"])
        return Field("", parameter["name"], where, parameter.get("required", False), text)

    def _content(self, status: str, described: Any) -> Content:
        """A body or an answer, whose title has its status and its media types."""
        content = described.get("content", {})
        schemas = [media["schema"] for media in content.values()]
        text = described.get("description") or self._resolved(schemas[0]).get("description", "")
        fields = list(dict.fromkeys(field for schema in schemas for field in self._fields(schema)))
        return Content(" · ".join(filter(None, [status, *content])), prose(text), fields)

    def _fields(self, node: Any, parents: str = "") -> Iterator[Field]:
        """The properties of a schema, and those of what is in it."""
        if referred(node) in APART:
            return
        schema = self._resolved(node)
        for inner in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())):
            yield from self._fields(inner, parents)
        for name, value in schema.get("properties", {}).items():
            required = name in schema.get("required", ())
            yield Field(parents, name, self._kind(value), required, prose(value.get("description", "")))
            yield from self._fields(value, f"{parents}{name}{'[]' if self._is_list(value) else ''}.")

    def _form(self, node: Any) -> Content:
        schema = self._resolved(node)
        return Content("", prose(schema["description"]), list(self._fields(schema)))

    def _kind(self, node: Any) -> Markup:
        """The type of a schema in words."""
        schema = self._resolved(node)
        if referred(node) in APART:
            return Markup('<a href="#{0}">{0}</a>').format(referred(node))
        if "enum" in schema:
            return Markup(", ").join(CODE.format(choice) for choice in schema["enum"])
        if "anyOf" in schema:
            return Markup(" or ").join(dict.fromkeys(self._kind(choice) for choice in schema["anyOf"]))
        if self._is_list(schema):
            return Markup("array of {}").format(self._kind(schema["items"]))
        types = schema.get("type", "any value")
        words = " or ".join(types if isinstance(types, list) else [types])
        return escape(words.replace("string", schema.get("format", "string")) + bounds(schema))

    def _is_list(self, node: Any) -> bool:
        return "items" in self._resolved(node)

    def _resolved(self, node: Any) -> Any:
        """A part of the document or, if that is a reference, the schema or response to which it refers."""
        if "$ref" not in node:
            return node
        _, _, section, name = node["$ref"].split("/")
        return self.components[section][name]


def referred(node: Any) -> str:
    """The name of the schema to which a part of the document refers; empty without a reference."""
    return str(node.get("$ref", "")).rpartition("/")[2]


def prose(text: str) -> Markup:
    """A text with what is in backticks as code."""
    parts = text.split("`")
    return Markup("").join(CODE.format(part) if number % 2 else part for number, part in enumerate(parts))


def bounds(schema: Any) -> str:
    """The least and the greatest number of a schema, in words after a comma; empty without a bound."""
    least, most = schema.get("minimum"), schema.get("maximum")
    if most is None or most >= MANY:
        return "" if least is None else f", from {least}"
    return f", {least} to {most}"


def remedies(status: int) -> dict[str, Markup]:
    """The codes of a status, each with its remedy."""
    return {code: prose(remedy) for code, (number, remedy) in REQUEST_CODES.items() if number == status}
