"""The golden cases of PWS Cup 2026 through the commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from tests.golden import Case, Check, Miss, compare

# An exact maximum of the Cox likelihood differs by this much from where lifelines stops.
TOLERANCES = {"U_spec": 5e-4}
PRINTED = 5.1e-4


def _world(case: Case) -> Path:
    """Return a data folder with the files that the case names."""
    folder = case.scratch / "data"
    folder.mkdir()
    for key, name in (("B_self", "B_self.csv"), ("A_bg", "A_bg.csv"), ("utility_ref", "utility_ref.json")):
        (folder / name).symlink_to(case.input(key).resolve())
    return folder


def _limits(expected: dict[str, Any]) -> dict[str, float]:
    """Return the tolerances: U itself has that of U_spec where that facet decides."""
    facets = expected.get("facets", expected)
    decides = min(("U_gen", "U_spec", "U_rare", "U_valid"), key=lambda name: facets[name])
    return {**TOLERANCES, "U": 5e-4, "utility": 5e-4} if decides == "U_spec" else TOLERANCES


def _utility(case: Case) -> Iterator[Miss]:
    ran = case.run("utility", _world(case), case.input("C"), "--json")
    wanted = {name: case.expected[name] for name in ("rows", "U", "facets", "detail")}
    yield from compare(ran.json, wanted, tolerances=_limits(case.expected))


def _edges(case: Case) -> Iterator[Miss]:
    data = _world(case)
    for file in case.expected["files"]:
        found = case.run("utility", data, case.file(file["C"]), "--json").json
        detail = found["detail"]
        general, valid = detail["U_gen"], detail["U_valid"]
        shown = {
            **found,
            "U_gen": {
                **general,
                "corr_mean_dist": general["correlation"]["mean_dist"],
                "corr_tail_dist": general["correlation"]["tail_dist"],
                "corr_pairs": general["correlation"],
                "km_l1_integral": general["time"]["km_l1_integral"],
            },
            "U_spec": detail["U_spec"],
            "U_rare": detail["U_rare"],
            "U_valid": {
                **valid,
                "cens": valid["censoring_realism_rate"],
                "dup_rate": valid["no_dup_detail"]["dup_rate"],
                "d_plus": valid["novel_detail"]["d_plus"],
            },
        }
        wanted = {name: value for name, value in file.items() if name not in ("C", "note")}
        yield from compare(shown, wanted, file["C"], tolerances=_limits(file))


def _tpr(case: Case) -> Iterator[Miss]:
    path = case.scratch / "answers.csv"
    for number, vector in enumerate(case.expected["vectors"]):
        columns = {"confidence": vector["confidence"], "truth": vector["truth"]}
        if vector["rare"] is not None:
            columns["rare"] = vector["rare"]
        pl.DataFrame({name: list(map(float, values)) for name, values in columns.items()}).write_csv(path)
        wanted = {name: vector[name] for name in ("tpr_at_low_fpr", "auc", "tpr_rare", "score")}
        yield from compare(case.run("tpr", path, "--json").json, wanted, f"vectors[{number}]")


def _attacks(case: Case) -> Iterator[Miss]:
    answers, scores = case.scratch / "answers.csv", case.scratch / "scores.csv"
    files = [case.input(name) for name in ("A_bg", "candidates")]
    case.run("attack-rows", case.input("C"), *files, "-o", answers)
    found, wanted = pl.read_csv(answers), pl.read_csv(case.file(case.expected["answers"]))
    for name in ("record_id", "mia_confidence", "aia_time_hat", "aia_onset_conf"):
        yield from compare(found[name].to_list(), wanted[name].to_list(), name)
    first, last = map(int, case.expected["members"].removeprefix("rows ").split(".."))
    numbers, times = pl.int_range(wanted.height, eager=True), pl.read_csv(case.input("candidates"))["time"]
    member, rare = numbers.is_between(first, last).cast(pl.Int64), wanted["is_rare"]
    table = {"confidence": found["mia_confidence"], "truth": member, "rare": rare}
    pl.DataFrame(table).write_csv(scores)
    yield from compare(case.run("tpr", scores, "--json").json, case.expected["mia"], "mia")
    pl.DataFrame({"time_hat": found["aia_time_hat"], "time": times, "member": member, "rare": rare}).write_csv(scores)
    ran = case.run("aia", scores, "--json")
    yield from compare(ran.json, {**case.expected["aia"], "score": case.expected["aia_score"]}, "aia")
    yield from _singular(case, files)


def _singular(case: Case, files: list[Path]) -> Iterator[Miss]:
    c, background = (pl.read_csv(case.input(name)) for name in ("C", "A_bg"))
    for number, entry in enumerate(case.expected.get("singular", [])):
        what, path = entry["what"], case.scratch / "C.csv"
        if what.startswith("first"):
            made = c.head(int(what.split()[1]) if what.split()[1].isdigit() else 1)
        elif what.startswith("copies"):
            made = pl.concat([c.head(1)] * c.height)
        else:
            name, _, value = what.partition(" = ")
            source = value.split()[0]
            level = background[name].mean() if source == "mean" else None
            expression = pl.lit(level) if level is not None else _level(source)
            made = c.with_columns(expression.alias(name))
        made.write_csv(path)
        output = case.scratch / f"singular_{number}.csv"
        ran = case.run("attack-rows", path, *files, "-o", output, "--json")
        place = f"singular[{number}]"
        if "error" in entry:
            yield from compare(ran.json["official"], {"error": entry["error"]}, place)
            continue
        confidence = pl.read_csv(output)["mia_confidence"]
        yield from compare(sorted(set(confidence.cast(pl.Float64).to_list())), entry["confidence"], place)
        yield from compare(confidence.head(len(entry["first"])).cast(pl.Float64).to_list(), entry["first"], place)


def _level(source: str) -> pl.Expr:
    return pl.col(source) if source.isidentifier() else pl.lit(float(source))


def _attack_scoring(case: Case) -> Iterator[Miss]:
    powers = {}
    for attacker in case.expected["attackers"]:
        files = [case.file(attacker[name]) for name in ("F_mia", "F_aia")]
        ran = case.run("score-attack", case.input("truth"), *files, "--team", attacker["team"], "--json")
        wanted = {name: value for name, value in attacker.items() if name not in ("team", "F_mia", "F_aia")}
        yield from compare(ran.json, wanted, f"team {attacker['team']}")
        powers[attacker["team"]] = ran.json["attack_power"]
    order = sorted(powers, key=lambda team: -powers[team])
    yield from compare(order, case.expected["order_by_attack_power"], "order_by_attack_power")


def _process(case: Case) -> Iterator[Miss]:
    truth = case.input("truth")
    team = pl.read_csv(truth / "tokens.csv")["team_id"][0]
    seed = case.expected["km_floor"]["how"].rpartition("default_rng(")[2].rstrip(")")
    found = case.run("km", truth / f"B_{team}.csv", "--seed", seed, "--json").json
    wanted = {"km_signal_D": case.expected["km_signal_D"], "km_floor": case.expected["km_floor"]["value"]}
    yield from compare(found, wanted)
    for made in case.expected["submissions"]:
        found = case.run("score-defence", truth, case.file(made["C"]), "--team", team, "--json").json
        wanted = {name: value for name, value in made.items() if name not in ("C", "note")}
        yield from compare(found, wanted, made["C"], tolerances=_limits(made))


def _submissions(case: Case) -> Iterator[Miss]:
    for made in case.expected["submissions"]:
        ran = case.run("check-zip", case.input("dist"), case.file(made["zip"]), "--json")
        wanted = {
            "valid": made["valid"],
            "errors": [{"code": error["code"], "where": error["where"]} for error in made["errors"]],
        }
        yield from compare(ran.json["official"], wanted, made["zip"])
        yield from compare(ran.json, {"valid": made["valid"]}, made["zip"])
        yield from compare(ran.status, 1 - made["valid"], f"{made['zip']} status")


def _cohorts(case: Case) -> Iterator[Miss]:
    teams = sorted(case.expected["teams"], key=lambda team: team["registration"])
    names = case.scratch / "names.txt"
    names.write_text("".join(f"{team['name']}\n" for team in teams), encoding="utf-8")
    words = ("--salt", case.expected["salt"], "--commitment", case.expected["published_commitment"])
    ran = case.run("cohorts", names, *words, "--cohorts", case.expected["cohorts"], "--json")
    wanted = {"commitment_sha256": case.expected["commitment_sha256"], "commitment_holds": True, "teams": teams}
    yield from compare(ran.json, wanted)


def _totals(case: Case) -> Iterator[Miss]:
    for probe in case.expected["probe"]:
        found = case.run("total", "--utility", probe["U"], "--beta", probe["beta"], "--json").json
        wanted = {name: probe[name] for name in ("a_MIA", "Anon", "total")}
        yield from compare(found, wanted, probe["method"], tolerance=PRINTED)
    for example in case.expected["R_examples"]:
        found = case.run("total", "--p-m", example["p_m"], "--p-c", example["p_c"], "--json").json
        yield from compare(found, {"R": example["R"]}, "R")


KINDS: dict[str, Check] = {
    "utility": _utility,
    "utility_edges": _edges,
    "tpr": _tpr,
    "reference_attacks": _attacks,
    "attack_scoring": _attack_scoring,
    "process_scoring": _process,
    "submission_check": _submissions,
    "cohort_assignment": _cohorts,
    "totals": _totals,
}
