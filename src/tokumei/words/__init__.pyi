from tokumei.words.numbers import amount as amount
from tokumei.words.numbers import are_written_numbers as are_written_numbers
from tokumei.words.numbers import is_written_number as is_written_number
from tokumei.words.numbers import percent as percent
from tokumei.words.numbers import three_digits as three_digits
