"""What a study pays for an hour: the amount over the time that people take, told or measured."""

from colorless_green.humans.settings import Settings


def hourly(settings: Settings, minutes: float | None) -> float | None:
    """The pay for an hour of somebody who takes so long, in the study's currency; None where no
    amount or no time is known."""
    if not settings.payment_amount or not minutes:
        return None
    return settings.payment_amount * 60 / minutes


def pay_told(settings: Settings, minutes: float | None) -> str:
    """The same as a text, "" for None: `2.50 EUR for 12.5 minutes, 12.00 EUR an hour`."""
    rate = hourly(settings, minutes)
    if rate is None:
        return ""
    amount, currency = settings.payment_amount, settings.payment_currency
    return f"{amount:.2f} {currency} for {minutes:.1f} minutes, {rate:.2f} {currency} an hour"
