"""The notation of rules: what is read, and where a fault is."""

import pytest

from colorless_green.data.errors import InputError
from colorless_green.nonce.grammar.notation import Alternative, Argument, Item, parse, with_macros


def item(name: str, relation: str = "", *arguments: Argument) -> Item:
    return Item(name, (), arguments, relation)


def test_the_item_without_a_relation_is_the_head() -> None:
    assert parse("Det:det Noun", "g:1").items == (item("Det", "det"), item("Noun"))


def test_a_relation_can_have_a_subtype() -> None:
    assert parse("RC:acl:relcl Noun", "g:1").items[0].relation == "acl:relcl"


def test_arguments_are_letters_and_values_and_an_exclamation_mark_flips() -> None:
    (verb,) = parse("Verb[n! 3]", "g:1").items
    assert verb.arguments == (Argument("n", True), Argument("3", False))


def test_strokes_divide_what_an_argument_is_in_each_condition() -> None:
    (noun,) = parse("Noun[n/n/-n Fem/Masc]", "g:1").items
    assert noun.arguments == (
        Argument("n", False, ("n", "-n")),
        Argument("Fem", False, ("Masc",)),
    )


def test_a_row_and_a_region_belong_to_their_word() -> None:
    first, second = parse("No#q[n]{det}:det (Verb Low#q:dep){rest}", "g:1").items
    assert (first.name, first.row, first.region, first.relation) == ("No", "q", "det", "det")
    assert (second.region, second.group[0].items[1].row) == ("rest", "q")


def test_a_macro_is_replaced_by_the_group_it_stands_for_wherever_it_stands() -> None:
    macros = {"M": (parse("A[n] B:dep", "g:1"),)}
    found = with_macros(parse("(M:x C) D:dep", "g:1"), macros)
    assert found == parse("((A[n] B:dep):x C) D:dep", "g:1")


def test_a_question_mark_is_a_group_with_an_empty_alternative() -> None:
    assert parse("Adj[n]?:amod Noun", "g:1") == parse("(Adj[n] | ):amod Noun", "g:1")


def test_an_alternative_can_have_values_of_its_own_and_a_weight() -> None:
    found = parse("[Plur] Name (And:cc Name):conj @2.5", "g:1")
    assert (found.own, found.weight) == ((Argument("Plur", False),), 2.5)
    assert found.items[1].group == (Alternative((), (item("And", "cc"), item("Name"))),)


def test_blanks_are_free() -> None:
    assert parse(" ( A|B ) : det  Noun [ n ] @ 2 ", "g:1") == parse("(A | B):det Noun[n] @2", "g:1")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("A:", "has the end at column 3; a relation in lower case, as in :nsubj or :acl:relcl"),
        ("A:NSUBJ", "has 'NSUBJ' at column 3; a relation in lower case, as in :nsubj or "
         ":acl:relcl"),
        ("A B)", "has ')' at column 4; a name, a group, @ or the end"),
        ("(A B", "has the end at column 5; ')'"),
        ("A[]", "has ']' at column 3; an index or a value"),
        ("A[n", "has the end at column 4; ']'"),
        ("A @0", "has '0' at column 4; a weight above 0 after @"),
        ("A @n", "has 'n' at column 4; a weight above 0 after @"),
        ("A, B", "has ',' at column 2; names, brackets [ ] ( ) { }, and the marks "
         "| ? : @ ! / - #"),
        ("", "has the end at column 1; at least one name"),
        ("A[n/]", "has ']' at column 5; an index or a value"),
        ("A[n/-]", "has ']' at column 6; an index or a value"),
        ("A#", "has the end at column 3; the name of a row"),
        ("A{", "has the end at column 3; the name of a region"),
        ("A{x", "has the end at column 4; '}'"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_column(rule: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse(rule, "g.toml:7")
    assert str(error.value) == f"g.toml:7: the rule {rule!r} {message}"
