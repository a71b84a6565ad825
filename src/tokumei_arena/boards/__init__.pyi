from tokumei_arena.boards.standings import Board as Board
from tokumei_arena.boards.standings import Matrix as Matrix
from tokumei_arena.boards.standings import Tables as Tables
from tokumei_arena.boards.standings import board as board
from tokumei_arena.boards.standings import board_state as board_state
from tokumei_arena.boards.standings import overall_table as overall_table
from tokumei_arena.boards.standings import overall_visible as overall_visible
from tokumei_arena.boards.standings import visible_tables as visible_tables
