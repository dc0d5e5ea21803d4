"""A Flask view with SQLAlchemy, written the ordinary way: people with tags, looked up and added per batch."""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import sqlalchemy
from flask import Flask, request
from sqlalchemy import JSON, Column, ForeignKey, Table, create_engine, event, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship

BATCH = 1_000


class Base(DeclarativeBase):  # type: ignore[misc]  # not installed where types are checked
    pass


tagged = Table(
    "tagged", Base.metadata, Column("person", ForeignKey("people.id"), primary_key=True),
    Column("tag", ForeignKey("tags.id"), primary_key=True),
)  # fmt: skip


class Tag(Base):
    __tablename__ = "tags"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)


class Person(Base):
    __tablename__ = "people"
    id: Mapped[int] = mapped_column(primary_key=True)
    email: Mapped[str] = mapped_column(unique=True)
    first_name: Mapped[str]
    last_name: Mapped[str]
    fields: Mapped[dict[str, Any]] = mapped_column(JSON)
    tags: Mapped[list[Tag]] = relationship(secondary=tagged)


def application(engine: Any) -> Flask:
    app = Flask("peer")

    @app.post("/")
    def accept() -> dict[str, int]:
        items = request.get_json()["subscribers"]
        with Session(engine) as session:
            emails = [item["email"] for item in items]
            existing = {
                row.email: row for row in session.scalars(select(Person).where(Person.email.in_(emails)))
            }
            tags = {tag.name: tag for tag in session.scalars(select(Tag))}
            for item in items:
                for name in item["tags"]:
                    tags[name] = tags.get(name) or Tag(name=name)
                subscriber = existing.get(item["email"]) or Person(email=item["email"])
                subscriber.first_name, subscriber.last_name = item["first_name"], item["last_name"]
                subscriber.fields, subscriber.tags = item["fields"], [tags[name] for name in item["tags"]]
                session.add(subscriber)
            session.commit()
        return {"accepted": len(items)}

    return app


def item(number: int) -> dict[str, Any]:
    return {
        "email": f"p{number * 0x9E3779B97F4A7C15 % 2**52:x}@example{number % 500}.com",
        "first_name": "Ann", "last_name": "Lee",
        "tags": [f"tag{number % 20}", f"tag{(number + 1) % 20}"],
        "fields": {"plan": "pro", "age": number % 90, "city": "Oslo", "renewal": "2026-05-06"},
    }  # fmt: skip


def make_durable(connection: Any, _record: Any) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")


def main(rows: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        engine = create_engine(f"sqlite:///{Path(folder) / 'peer.db'}")
        event.listen(engine, "connect", make_durable)
        Base.metadata.create_all(engine)
        client = application(engine).test_client()
        batches = [
            json.dumps({"subscribers": [item(number) for number in range(first, min(first + BATCH, rows))]})
            for first in range(0, rows, BATCH)
        ]
        start = time.process_time()
        for batch in batches:
            client.post("/", data=batch, content_type="application/json")
        return {"cpu": time.process_time() - start, "version": sqlalchemy.__version__}


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))
