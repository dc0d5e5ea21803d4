"""Files as people have them, each with the right answers and the outcome.

`asks` is what a file leaves open; `told` are the options that answer it, also in a second import if two
columns say who has unsubscribed. `known` are subscribed before the import.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import openpyxl

CONSENT = ("consent",)
IN, OUT, NOT_YET = "--consent subscribed", "--consent unsubscribed", "--consent unconfirmed"


@dataclass
class Case:
    text: str | bytes
    told: Sequence[str]
    subscribed: str = ""  # the beginnings of addresses
    out: str = ""
    asks: Sequence[str] = CONSENT
    fields: dict[str, dict[str, Any]] = field(
        default_factory=dict
    )  # what these people have, by `fields` or beside
    refused: int = 0
    name: str = "people.csv"
    before: str = ""  # options that are given from the beginning
    says: str = ""  # in what it asks
    known: str = ""
    zone: str = "UTC"


def column(
    header: str, subscribed: Sequence[str], out: Sequence[str] = (), not_yet: Sequence[str] = ()
) -> str:
    words = [f"--consent-column {header!r}", *(f"--subscribed {value!r}" for value in subscribed)]
    words += [f"--unsubscribed {value!r}" for value in out]
    return " ".join([*words, *(f"--unconfirmed {value!r}" for value in not_yet)])


def book(*sheets: tuple[str, list[list[Any]]], hidden: int = 0, merged: str = "", formats: str = "") -> bytes:
    made, binary = openpyxl.Workbook(), io.BytesIO()
    del made[made.sheetnames[0]]
    for title, rows in sheets:
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append(row)
    if hidden:
        made.worksheets[0].row_dimensions[hidden].hidden = True
    if merged:
        made.worksheets[0].merge_cells(merged)
    for cell in formats.split():
        made.worksheets[0][cell].number_format = "00000"
    made.save(binary)
    return binary.getvalue()


def two(header: str, first: str, second: str) -> str:
    return f"email,{header}\nann@example.com,{first}\nbob@example.com,{second}\n"


LETTERS = (
    "email;name;sex;status;token\nann@example.com;Ann;f;C;1\nbob@example.com;Bob;m;S;2\n"
    "cy@example.com;Cy;m;U;3\ndi@example.com;Di;f;B;4\neve@example.com;Eve;f;P;5\n"
)
SHOP = (
    "ID,Email,Command,State,Email Marketing: Status,Tags\n"
    '1,ann@example.com,MERGE,disabled,subscribed,"vip, gold"\n'
    "2,bob@example.com,MERGE,enabled,unsubscribed,\n3,cy@example.com,MERGE,disabled,not_subscribed,\n"
)
MARKETING = column("Email Marketing: Status", ["subscribed"], ["unsubscribed"], ["not_subscribed"])
YES, BLANK = ["Yes"], [""]

CASES: dict[str, Case] = {
    # Who in it may be written to: values of every kind
    "letters of a plugin": Case(LETTERS, [column("status", "C", "UBP", "S")], "ann", "bob cy di eve"),
    "the same by place": Case(LETTERS, [column("4", "C", "UBP", "S")], "ann", "bob cy di eve"),
    "a list of suppressions beside a state": Case(
        "Email,Consent,Suppressions\nann@example.com,SUBSCRIBED,[]\nbob@example.com,UNSUBSCRIBED,[]\n"
        "cy@example.com,SUBSCRIBED,['HARD_BOUNCE']\ndi@example.com,NEVER_SUBSCRIBED,[]\n",
        [column("Consent", ["subscribed"], ["unsubscribed"], ["never_subscribed"]),
         column("Suppressions", ["[]"], ["['HARD_BOUNCE']"]) + " --ignore-column Consent"],
        "ann", "bob cy di",
    ),
    "a shop's command and state": Case(
        SHOP, [f"--map Command=ignore {MARKETING}"], "ann", "bob cy", ("consent", "command"),
        {"ann": {"tags": ["gold", "vip"], "State": "disabled"}},
    ),
    "the same, its command left out": Case(SHOP, [MARKETING], "ann", "bob cy", before="--map Command=ignore"),
    "the same, its command kept": Case(
        SHOP, [MARKETING], "ann", "bob cy", fields={"ann": {"act": "MERGE"}}, before="--map Command=field:act"
    ),
    "two columns of opting out": Case(
        "Email,Unsubscribed from all email,Opted out: Marketing,Marketing contact\nann@example.com,,,Yes\n"
        "bob@example.com,Yes,,Yes\ncy@example.com,,Yes,Yes\ndi@example.com,,,No\n",
        [column("Unsubscribed from all email", BLANK, YES),
         column("Opted out: Marketing", BLANK, YES) + " --ignore-column 2"],
        "ann di", "bob cy",
    ),
    "numbers below zero": Case(
        "EMAIL;SERIAL;STATUS\nann@example.com;;0\nbob@example.com;;2\ncy@example.com;;-1\n",
        [column("STATUS", ["0", "2"], ["-1"])], "ann bob", "cy",
    ),
    "kinds of subscribers": Case(
        "email,metadata,subscriber_type\nann@example.com,{},regular\nbob@example.com,{},premium\n"
        "cy@example.com,{},unactivated\n",
        [column("subscriber_type", ["regular", "premium"], (), ["unactivated"])], "ann bob", "cy",
    ),
    "a black list": Case(
        two('"Blacklist","Bounce"', '"False","0"', '"True","0"'),
        [column("Blacklist", ["false"], ["true"])], "ann", "bob",
    ),
    "three columns of opting out": Case(
        "Email,On Hold,Do Not Email,No Bulk Emails (User Opt Out)\n"
        "ann@example.com,No,,\nbob@example.com,No,,Yes\n"
        "cy@example.com,On Hold Bounce,,\ndi@example.com,No,Yes,\n",
        [column("Do Not Email", BLANK, YES),
         column("On Hold", ["No"], ["On Hold Bounce"]) + " --ignore-column 'Do Not Email'",
         column("4", BLANK, YES) + " --ignore-column 3"],
        "ann", "bob cy di",
    ),
    "no header, 1 and 0": Case(
        "ann@example.com\t2015-09-23 10:00:00\t1\nbob@example.com\t2015-09-23 10:00:00\t0\n",
        [column("3", "1", "0")], "ann", "bob", name="people.txt", before="--no-header --map 1=email",
    ),
    "the answer of a form": Case(
        two('"Would you like our letters?"', "Yes please", "No thanks"),
        [column("Would you like our letters?", ["yes please"], ["no thanks"])], "ann", "bob",
    ),
    "how often": Case(
        f"{two('newsletter', 'weekly', 'monthly')}cy@example.com,never\n",
        [column("newsletter", ["weekly", "monthly"], ["never"])], "ann bob", "cy",
    ),
    "Polish": Case(two("Status", "Aktywny", "Wypisany"), [column("Status", ["aktywny"], ["wypisany"])],
        "ann", "bob"),
    "Japanese": Case(
        "メール,ステータス\nann@example.com,有効\nbob@example.com,配信停止\n",
        ["--map 1=email " + column("ステータス", ["有効"], ["配信停止"])], "ann", "bob", ("consent", "email"),
    ),
    "Turkish": Case(
        "e-posta;durum\nann@example.com;Abone\nbob@example.com;Abonelikten çıktı\n",
        ["--map e-posta=email " + column("durum", ["abone"], ["abonelikten çıktı"])], "ann", "bob",
        ("consent", "email"),
    ),
    "a state in brackets": Case(
        two("status", "Subscribed", "Unsubscribed (bounced)"),
        [column("status", ["subscribed"], ["unsubscribed (bounced)"])], "ann", "bob",
    ),
    "1 or blank": Case(two("marketing_opt_in", "1", ""), [column("marketing_opt_in", "1", BLANK)], "ann",
        "bob"),
    "yes or blank": Case(two("newsletter", "Yes", ""), [column("newsletter", YES, BLANK)], "ann", "bob"),
    "marks": Case(two("newsletter", "✓", "✗"), [column("newsletter", "✓", "✗")], "ann", "bob"),
    "a date of confirming, or none": Case(
        two("optin_time,confirm_time", "2024-03-05 10:00:00,2024-03-05 10:05:00", "2024-03-05 10:00:00,"),
        [column("confirm_time", ["date"], (), BLANK)], "ann", "bob",
    ),
    "words and dates of a program": Case(
        two("Joined,Last activity,Status", '"Mar 5, 2024, 10:00AM",,Subscribed',
        '"Mar 5, 2024, 10:00AM",,Unsubscribed'),
        [column("Status", ["subscribed"], ["unsubscribed"]) + " --map Joined=created_at"], "ann", "bob",
        fields={"ann": {"created_at": "2024-03-05T10:00:00.000Z"}},
    ),
    "cleaned, in JSON": Case(
        '{"email_address": "ann@example.com", "status": "subscribed", "merge_fields": {"FNAME": "Ann"}}\n'
        '{"email_address": "bob@example.com", "status": "cleaned", "merge_fields": {}, "tags": ["vip"]}\n',
        [column("status", ["subscribed"], ["cleaned"])], "ann", "bob", name="people.jsonl",
        fields={"bob": {"tags": ["vip"]}},
    ),
    "true and false, in JSON": Case(
        '{"email": "ann@example.com", "subscribed": true, "newsletters": [{"id": "1"}], "labels": ["vip"]}\n'
        '{"email": "bob@example.com", "subscribed": false, "newsletters": [], "labels": []}\n',
        [column("subscribed", ["true"], ["false"])], "ann", "bob", name="people.jsonl",
        fields={"ann": {"tags": ["vip"]}},
    ),
    "within an object": Case(
        '[{"email": "ann@example.com", "data": {"subscribed": true}}, '
        '{"email": "bob@example.com", "data": {"subscribed": false}}]',
        [column("data", ['{"subscribed":true}'], ['{"subscribed":false}'])], "ann", "bob", name="people.json",
    ),
    # Everyone has agreed: nothing in it is about that
    "how they opted in": Case(two("Opt-In Date,Opt-In Status", "2024-03-05,Double", "2024-03-06,Single"),
        [IN],
                              "ann bob"),
    "a plan that is cancelled": Case(two("Plan,Status", "pro,active", "pro,canceled"), [IN], "ann bob"),
    "orders": Case(
        "Order,Status,Billing Email,Total\n1,completed,ann@example.com,12.50\n2,pending,bob@example.com,8\n",
        [IN],
        "ann bob", before="--map 'Billing Email=email'", fields={"bob": {"Status": "pending"}},
    ),
    "instants of consent": Case(
        two("marketing consent", "2024-03-05 10:00:00", "2024-03-06 10:00:00"), [IN], "ann bob"
    ),
    "a word in the name of the file": Case(two("name", "Ann", "Bob"), [IN], "ann bob",
        name="bounce house 2024.csv"),
    "links to unsubscribe": Case(
        two("unsubscribe link,manage link", "https://a.example/u/1,", "https://a.example/u/2,"), [IN],
        "ann bob"
    ),
    "bus stops": Case(two("stop,access needs", "Main Street,disabled parking", "Mill Lane,disabled"), [IN],
        "ann bob"),
    "Ontario": Case(two("city,state", "Ottawa,ON", "Toronto,ON"), [IN], "ann bob",
        fields={"ann": {"state": "ON"}}),
    "staff": Case(two("department,active", "Ops,yes", "Ops,no"), [IN], "ann bob",
        fields={"bob": {"active": "no"}}),
    "tickets": Case(two("ticket,status", "1,open", "2,closed"), [IN], "ann bob",
        fields={"bob": {"status": "closed"}}),
    "names of newsletters": Case(two("newsletter", "Garden Weekly", "Cooking"), [IN], "ann bob"),
    "customers of ours": Case(two("since,status", "2019,active", "2021,inactive"), [IN], "ann bob",
        known="ann bob"),
    "accounts of a forum": Case(
        two("username,active,archived", "ann,true,false", "bob,false,true"), [IN], "ann bob", known="ann bob"
    ),
    "accounts of a shop": Case(
        two("State,Email Marketing: Status", "disabled,subscribed", "enabled,subscribed"),
        [column("Email Marketing: Status", ["subscribed"])], "ann bob", known="ann bob",
    ),
    "accounts of a shop, all new": Case(
        two("State,Email Marketing: Status", "disabled,subscribed",
        "enabled,subscribed") + "cy@example.com,disabled,"
        "unsubscribed\n", [column("Email Marketing: Status", ["subscribed"], ["unsubscribed"])], "ann bob",
        "cy",
    ),
    # Dates
    "hours without minutes": Case(
        two("date added", "11/1/16 3pm", "1/13/17 9am"), [f"{IN} --dates mdy"], "ann bob", "", ("consent",
        "dates"),
        {"ann": {"created_at": "2016-11-01T15:00:00.000Z"},
        "bob": {"created_at": "2017-01-13T09:00:00.000Z"}},
    ),
    "years of two digits": Case(
        two("signup_date", "02-03-25", "02-15-25"), [f"{IN} --dates mdy"], "ann bob", "", ("consent",
        "dates"),
        {"ann": {"created_at": "2025-02-03T00:00:00.000Z"}},
    ),
    "seconds since 1970": Case(
        two("created_at,status", "1586270016,1", "1586270016,0"), [column("status", "1", "0")], "ann", "bob",
        fields={"ann": {"created_at": "2020-04-07T14:33:36.000Z"}},
    ),
    "dates of e-mails": Case(
        'email,subscribed_on\nann@example.com,"Tue, 05 Mar 2024 10:00:00 +0100"\n', [IN], "ann",
        fields={"ann": {"created_at": "2024-03-05T09:00:00.000Z"}},
    ),
    "days of New York": Case(
        two("signup date", "11/20/2024", "11/21/2024"), [IN], "ann bob", zone="America/New_York",
        fields={"ann": {"created_at": "2024-11-20T05:00:00.000Z"}},
    ),
    # Encodings
    **{
        f"encoding {codec}": Case(
            f"email;{header}\nann@example.com;{name}\n".encode(codec.replace("-", "_")),
            [f"{IN} --encoding {codec}"], "ann", "", ("consent", "encoding"), {"ann": {header: name}},
            says=name,
        )
        for codec, header, name in (
            ("cp1250", "jméno", "Žofie Dvořáková"), ("cp1253", "όνομα", "Ελένη"), ("cp1254", "ad",
            "Ayşe Yıldız"),
            ("gb18030", "姓名", "王小明"), ("mac-roman", "straße", "Zoë Müller"),
        )
    },
    "UTF-8 with a byte of Latin-1": Case(
        two("first_name", "Zoë", "Ren~e").encode().replace(b"~", b"\xe9"), [], "", "", ("consent",
        "encoding"),
        says="row 3, column 2",
    ),
    # Cells
    "addresses in every form": Case(
        "email\n" + "".join(f'"{each}"\n' for each in (
            "Ann Lee <ann@example.com>", "<bob@example.com>", "mailto:cy@example.com?subject=x",
            '=""di@example.com""', "eve@example.com;", " fay@example.com ", "gus@example.com.",
            "“hal@example.com”",
            "'ida@example.com'", "jo＠example.com", "kim@EXAMPLE.com", " lea@example.com\u200b",
            "Moe, Max <max@example.com>", "nan@example,com", "ola@ example.com",
            "pia@example.com, qui@example.com",
            "roy@example.com / ron@example.com", "una@example.com ::: uma@example.com",
        )),
        [IN], "ann bob cy di eve fay gus hal ida jo kim lea max", refused=5,
    ),
    "contacts of Google": Case(
        "First Name,Labels,E-mail 1 - Label,E-mail 1 - Value\n"
        "Ann,* myContacts ::: Choir,* Home,ann@example.com\n"
        "Bob,* myContacts,* ,bob@example.com ::: bo@example.com\n",
        [f"{IN} --tag-separator :::"], "ann", "", ("consent", "tag_separator"),
        {"ann": {"tags": ["Choir", "myContacts"], "first_name": "Ann"}}, refused=1,
    ),
    "tags without a comma": Case(
        two("tags", "vip;gold", "vip|gold"), [f"{IN} --tag-separator ';|'"], "ann bob", "",
        ("consent", "tag_separator"), {"ann": {"tags": ["gold", "vip"]}, "bob": {"tags": ["gold", "vip"]}},
    ),
    "cells that spreadsheets leave alone": Case(
        'email,zip\n"=""ann@example.com""","=""00501"""\n', [IN], "ann", fields={"ann": {"zip": "00501"}}
    ),
    "full-width addresses": Case(
        "email\nann＠example.com\nann@example.com\nbob@ｅｘａｍｐｌｅ.com\nbob@example.com\n", [IN], "ann bob"
    ),
    # Workbooks
    "hidden rows": Case(
        book(("People", [["email", "note"], ["ann@example.com", "ok"], ["bob@example.com", "no"]]), hidden=3),
        [f"{IN} --hidden-rows skip"], "ann", "", ("consent", "hidden_rows"), name="people.xlsx",
        says="1 row is hidden",
    ),
    "merged cells of consent": Case(
        book(("People", [["email", "status"], ["ann@example.com", "subscribed"], ["bob@example.com",
        "unsubscribed"],
                         ["cy@example.com", None]]), merged="B3:B4"),
        [column("status", ["subscribed"], ["unsubscribed"])], "ann", "bob cy", name="people.xlsx",
    ),
    "formats with zeros": Case(
        book(("People", [["email", "zip"], ["ann@example.com", 501], ["bob@example.com", 2139]]),
        formats="B2 B3"),
        [IN], "ann bob", name="people.xlsx", fields={"ann": {"zip": "00501"}, "bob": {"zip": "02139"}},
    ),
    "a second sheet of who unsubscribed": Case(
        book(("Members", [["email"], ["ann@example.com"], ["bob@example.com"]]),
             ("Unsubscribed", [["email"], ["bob@example.com"]])),
        [f"{OUT} --sheet Unsubscribed", f"{IN} --sheet Members"], "ann", "bob", ("consent", "sheet"),
        name="people.xlsx",
    ),
}  # fmt: skip
