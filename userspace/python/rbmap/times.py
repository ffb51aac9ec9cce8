# SPDX-License-Identifier: LGPL-2.1-only
"""Times of a ring as times of the wall clock."""
import operator


def scale(time, moments):
    """Return the wall clock at a ring's time, an int, by one or two moments."""
    first, last = moments[0], moments[-1]
    if last.ring <= first.ring:
        return first.real + time - first.ring
    return first.real + (time - first.ring) * (last.real - first.real) // \
        (last.ring - first.ring)


def scale_each(times, moments):
    """The same for an array of integers, which numpy cannot multiply in 64 bits."""
    import numpy
    first, last = moments[0], moments[-1]
    span, real = last.ring - first.ring, last.real - first.real
    bits = 62 - span.bit_length()
    if times.dtype.kind not in "iu":
        # operator.index() refuses floats, which have lost digits.
        return numpy.array([scale(operator.index(time), moments) for time in times.tolist()],
                           dtype="int64")
    if not len(times) or (int(times.max()) < 2**62 and int(times.min()) > -2**62 and
                          0 <= first.ring < 2**62):
        elapsed = times.astype("int64") - first.ring
        if span <= 0 or real == span:
            return first.real + elapsed
        whole, rest = numpy.divmod(elapsed, span)
        if real > 0 and bits > 0 and int(abs(whole).max(initial=0)) * real < 2**62:
            return first.real + whole * real + multiply_divide(rest, real, span, bits)
    return numpy.array([scale(time, moments) for time in times.tolist()], dtype="int64")


def multiply_divide(rest, by, span, bits):
    """Return rest * by // span for 0 <= rest < span: a long multiplication, bits at a time.

    span << bits + 1 fits into 63 bits, and so does each step.
    """
    quotient, remainder = 0 * rest, 0 * rest
    for shift in range((by.bit_length() - 1) // bits * bits, -1, -bits):
        digit = by >> shift & ((1 << bits) - 1)
        value = (remainder << bits) + rest * digit
        quotient = (quotient << bits) + value // span
        remainder = value % span
    return quotient
