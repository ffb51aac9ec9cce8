# SPDX-License-Identifier: LGPL-2.1-only
"""The columns of events, as arrays of numpy."""

HEAD = (("time", "<u8"), ("cpu", "<i4"), ("pid", "<i4"), ("lost", "<u8"))
LOST_UNKNOWN = 2**64 - 1
NUMBERS = (1, 2, 4, 8)


def native(dtype):
    """The recording has the byte order of this machine."""
    return dtype.replace("<", "=")


def dtype_of(field):
    """Return the type of a column's elements, and the shape of a value."""
    kind = "i" if field.is_signed else "u"
    if not field.is_array:
        return (f"={kind}{field.size}" if field.size in NUMBERS else f"V{field.size}"), ()
    if field.element_size in NUMBERS:
        return f"={kind}{field.element_size}", (field.size // field.element_size,)
    return f"V{field.size}", ()


def wanted_fields(one, names):
    """Return the fields of a format that a user asks for, and their indexes."""
    if names is None:
        names = [field.name for field in one.fields if not field.is_common]
    index = {}
    for number, field in enumerate(one.fields):
        index.setdefault(field.name, number)
    missing = [name for name in names if name not in index]
    if missing:
        raise KeyError(f"{one.system}:{one.name} has no field {missing[0]!r}")
    return [(one.fields[index[name]], index[name]) for name in names]


class Strings:
    """A column of strings: values[codes[i]] is the string of the event i; code -1: none."""

    def __init__(self, codes, values):
        self.codes = codes
        self.values = values

    def __len__(self):
        return len(self.codes)

    def __getitem__(self, i):
        code = self.codes[i]
        return None if code < 0 else self.values[code]

    def __repr__(self):
        return f"<rbmap strings: {len(self)} events, {len(self.values)} values>"

    def to_numpy(self):
        """Return an array of str, with None for those that are missing."""
        import numpy
        values = numpy.empty(len(self.values) + 1, dtype=object)
        values[:-1] = self.values
        return values[self.codes]

    def to_pandas(self):
        """Return a Categorical."""
        import numpy
        import pandas
        # Bytes that are not UTF-8 can make one text of two strings.
        categories, numbers = [], {}
        for value in self.values:
            if value not in numbers:
                numbers[value] = len(categories)
                categories.append(value)
        codes = self.codes
        if len(categories) < len(self.values):
            same = numpy.array([numbers[value] for value in self.values] + [-1])
            codes = same[codes]
        return pandas.Categorical.from_codes(codes, categories)


def make_column(dtype, shape, data, strings, rows):
    """Return the array of a column."""
    import numpy
    if strings is not None:
        return Strings(numpy.frombuffer(data, "=i4"), strings)
    if not data:
        return numpy.zeros((rows, *shape), dtype)
    return numpy.frombuffer(data, dtype).reshape((rows, *shape))


class Columns(dict):
    """The columns of an event, by name: time, cpu, pid, lost, and those of its fields.

    rows is the number of events. missing is the number of values that were outside of
    their events, because the recording is damaged: numbers are 0 then, strings are
    missing.
    """

    def __init__(self, fields, table):
        rows, missing, columns = table
        heads = [(name, native(dtype), ()) for name, dtype in HEAD]
        names = {name for name, _, _ in heads}
        for field, _ in fields:
            # An event can have a field "cpu" or "pid" of its own.
            name = f"field_{field.name}" if field.name in names else field.name
            heads.append((name, *dtype_of(field)))
        super().__init__((name, make_column(dtype, shape, data, strings, rows))
                         for (name, dtype, shape), (data, strings) in zip(heads, columns))
        self.rows = rows
        self.missing = missing

    def to_pandas(self):
        """Return a DataFrame; strings are categories, arrays are objects."""
        import pandas
        return pandas.DataFrame({
            name: column.to_pandas() if isinstance(column, Strings) else
            list(column) if column.ndim > 1 or column.dtype.kind == "V" else column
            for name, column in self.items()})
