"""What a training may be asked for: options by kind, seeds, numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.scoring import PRESETS, TRAINERS, Request, seeds_of
from colorless_green.scoring.training.recurrent_size import SIZES, setting
from colorless_green.scoring.training.request import OPTIONS, check_request, numbers

EVERY = Request(
    size="tiny",
    rnn_type="lstm",
    order=4,
    prune=(0, 1),
    vocabulary_size=9,
    n_epochs=2,
    mixed=True,
)
OTHERS = ("--seeds", "--accuracy-on", "--device", "--resume")


def given_one(option: str) -> tuple[Request, dict[str, object]]:
    """A request with this option alone."""
    if option in OTHERS:
        return Request(), {option: "x"}
    if option == "--preset":
        return Request(preset="gulordava2018"), {}
    name = {"--epochs": "n_epochs"}.get(option, option[2:].replace("-", "_"))
    return Request(**{name: getattr(EVERY, name)}), {}


KNOWN = sorted({option for options in OPTIONS.values() for option in options})


@pytest.mark.parametrize("option", KNOWN)
@pytest.mark.parametrize("kind", sorted(OPTIONS))
def test_a_kind_takes_its_options_and_refuses_every_other(kind: str, option: str) -> None:
    request, others = given_one(option)
    assert request.given() or others
    if option in OPTIONS[kind]:
        check_request(kind, request, others)
        return
    with pytest.raises(InputError) as error:
        check_request(kind, request, others)
    assert error.value.place == option


def test_every_kind_that_can_be_trained_says_which_options_it_has() -> None:
    assert set(OPTIONS) == {"all", *TRAINERS}


def test_a_refused_option_is_told_with_the_kinds_that_have_it() -> None:
    with pytest.raises(InputError) as error:
        check_request("unigram", Request(order=3), {})
    assert str(error.value) == (
        "--order: colorless train unigram has no such option; --order with ngram, recurrent"
    )


@pytest.mark.parametrize(
    ("request_", "option"),
    [
        (Request(size="small", preset="gulordava2018"), "--size"),
        (Request(preset="gulordava2018", rnn_type="gru"), "--rnn-type"),
        (Request(preset="gulordava2018", order=5), "--order"),
    ],
)
def test_a_preset_stands_alone(request_: Request, option: str) -> None:
    with pytest.raises(InputError) as error:
        check_request("recurrent", request_, {})
    assert str(error.value) == (
        f"--preset: gulordava2018 is a published setting, which {option} would change; "
        f"{option} or --preset"
    )


def test_what_was_not_given_is_no_option() -> None:
    assert Request().given() == {}
    check_request("unigram", Request(), dict.fromkeys(OTHERS))


@given(st.integers(1, 30), st.integers(0, 10**6))
def test_a_number_of_seeds_counts_on_from_the_first(n: int, first: int) -> None:
    assert seeds_of(str(n), first) == tuple(range(first, first + n))


@given(st.lists(st.integers(0, 10**9), min_size=2, unique=True))
def test_seeds_may_be_named_one_by_one(seeds: list[int]) -> None:
    assert seeds_of(",".join(map(str, seeds)), 0) == tuple(seeds)


@pytest.mark.parametrize(
    ("text", "first", "wrong"),
    [
        ("0", 0, "--seeds: 0 of them; 1 or more"),
        ("1,2,1", 0, "--seeds: 1 comes twice; every seed once"),
        ("1,2", 7, "--seed: 7 beside --seeds 1,2; one of them"),
        ("five", 0, "--seeds: 'five'; whole numbers with commas between them"),
        ("1,", 0, "--seeds: '1,'; whole numbers with commas between them"),
        ("-1", 0, "--seeds: '-1'; whole numbers with commas between them"),
        ("٣", 0, "--seeds: '٣'; whole numbers with commas between them"),
    ],
)
def test_what_are_no_seeds_is_refused(text: str, first: int, wrong: str) -> None:
    with pytest.raises(InputError) as error:
        seeds_of(text, first)
    assert str(error.value) == wrong


def test_numbers_stand_between_commas_or_blanks() -> None:
    assert numbers("0,0,1", "--prune") == numbers("0 0 1", "--prune") == (0, 0, 1)


def test_a_size_or_preset_decides_all_that_is_not_asked_for() -> None:
    assert setting(Request()).size == SIZES["tiny"]
    assert setting(Request(preset="gulordava2018")).size == PRESETS["gulordava2018"]
    assert setting(Request(preset="gulordava2018")).max_vocabulary == 50_000
    assert setting(Request(vocabulary_size=9)).max_vocabulary == 9


def test_a_preset_may_be_cut_short_and_else_stays_what_it_is() -> None:
    short = setting(Request(preset="gulordava2018-srnn", n_epochs=3)).size
    assert (short.schedule.n_epochs, short.schedule.patience) == (3, 3)
    whole = PRESETS["gulordava2018-srnn"]
    assert (short.rnn_type, short.schedule.rate) == (whole.rnn_type, whole.schedule.rate)
