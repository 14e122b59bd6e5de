"""Numbers as the course writes them."""


def grouped(number):
    """A number rounded to a whole one, from 10 000 on in groups of three digits: 4096, 262 144."""
    whole = round(number)
    return (f"{whole:,}".replace(",", " ") if abs(whole) >= 10_000 else str(whole)).replace("-", "−")


def decimal(number):
    """A short decimal, with powers of ten as exponents: −0.5, 62 000, 10⁻¹⁵, 2.1·10⁻⁵."""
    mantissa, _, exponent = f"{number:g}".partition("e")
    if not exponent and "." not in mantissa:
        return grouped(int(mantissa))
    mantissa = mantissa.replace("-", "−")
    if not exponent:
        return mantissa
    power = "10" + str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return power if mantissa == "1" else f"{mantissa}·{power}"
