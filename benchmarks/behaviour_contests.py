"""The command lines of the contests whose behaviour is recorded, and those on real data of full size."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FULL", "contest_groups"]

_2016 = """
synth master --subjects 60 --seed 1 --no-header -o T.csv
pws2016 prepare retail.parquet --seed 1 -o prepared
pws2016 prepare retail.parquet --seed 2 -o prepared-too --json
+pws2016 table retail.parquet --seed 1
+pws2016 utility golden/pws2016/cmae_example/M.csv golden/pws2016/cmae_example/T.csv {example}
pws2016 check golden/pws2016/cmae_example/M.csv golden/pws2016/cmae_example/T.csv --json
+pws2016 check T_master.csv T.csv
+pws2016 check T.csv T_master.csv --language ja
pws2016 anonymize nothing T_master.csv T.csv -o x
pws2016 anonymize ano-ya T.csv T_master.csv -o x --json
pws2016 anonymize ano-sampling T_master.csv T.csv --set delete_probability=2 -o x
pws2016 attack nothing T_master.csv T.csv T_master.csv T.csv
?pws2016 anonymize ano-ya T_master.csv T.csv -o drawn
""".replace("{example}", "golden/pws2016/cmae_example/M.csv golden/pws2016/cmae_example/T1.csv P4.csv")
_METHODS_2016 = {
    "ano-ya": ("", "--set length=8"),
    "ano-tya": ("",),
    "ano-sampling": ("", "--set delete_probability=0.5"),
    "ano-shuffle": ("",),
    "ano-divt": ("", "--set share=0.5 --set birthday=1980/2/3"),
    "ano-pseudonyms": ("", "--set period=week", "--set period=never --set count=10 --set exchange=0.2"),
}
_ATTACKS_2016 = ("re-sort", "re-tnum", "re-totprice", "re-rfm", "re-goods", "re-combined")
_ORIGINAL = "T_master.csv T.csv"


def _lines_2016() -> str:
    """Return every method of 2016 with all that judges it, and every attack."""
    lines = [_2016]
    for name, several in _METHODS_2016.items():
        for seed, settings in enumerate(several, start=1):
            made = f"{name}-{seed}"
            files = f"{_ORIGINAL} {made}/M1.csv {made}/T1.csv"
            json = "--json" if seed == 1 else ""
            lines += [
                f"pws2016 anonymize {name} {_ORIGINAL} {settings} --seed {seed} {json} -o {made}",
                f"pws2016 check {files} {made}/P.csv --ids error {json}",
                f"pws2016 evaluate {files} {made}/P.csv --seed {seed} {json}",
            ]
    files = f"{_ORIGINAL} ano-tya-1/M1.csv ano-tya-1/T1.csv"
    for name in _ATTACKS_2016:
        lines += [
            f"pws2016 attack {name} {files} --seed 1 -o {name}.csv",
            f"+pws2016 safety ano-tya-1/P.csv {name}.csv",
        ]
    lines += [
        f"pws2016 attack re-sort {files} --set order=text --seed 1 --json",
        f"pws2016 attack re-sort {files} --seed 1",
        f"pws2016 check {files} ano-tya-1/P.csv re-sort.csv --orphans warning --language ja",
        f"pws2016 check {files} re-sort.csv T.csv --json",
        f"+pws2016 utility {files} ano-tya-1/P.csv",
        f"pws2016 utility {files} ano-tya-1/P.csv --cells sex --orphans original --threshold 5 --complement --json",
        f"pws2016 utility {files} ano-tya-1/P.csv --cells nothing",
        f"pws2016 evaluate {files} ano-tya-1/P.csv --cells sex --orphans original --threshold 5 --json",
        "pws2016 safety ano-tya-1/P.csv T.csv",
    ]
    return "\n".join(lines)


_G18 = "golden/pws2018"
_2018 = f"""
+pws2018 threshold --max-n 50
pws2018 threshold --max-n 200 --p 1/3 --alpha 0.01/13 -o R.csv --json
pws2018 threshold --max-n 0
pws2018 threshold --max-n 10 --p 2
+pws2018 power --k 2 --max-n 100
pws2018 power --k 2,3,5 --max-n 60 --attempts 13 --p 1/2 --alpha 0.001 --chart power.svg --json
pws2018 power --k 1
pws2018 tables {_G18}/a01_pseudonym_only/T.csv people.parquet
pws2018 utility --join < join_TA.txt
pws2018 publish --join < join_A.txt
pws2018 attack re-uniq --join < join_TA1.txt
pws2018 attack re-item --join --seed 3 < join_TA1.txt
pws2018 safety --join < join_TA.txt
pws2018 safety --join < join_RTAF1.txt
pws2018 utility T.csv.gz {_G18}/a03_mixed/A.csv --json
pws2018 check {_G18}/a03_mixed/T.csv missing.csv --json
pws2018 check {_G18}/a03_mixed/T.csv {_G18}/u19_tiny_by_hand/A.csv --language ja
pws2018 check {_G18}/c02_files/T.csv {_G18}/c02_files/A_mixed.csv --language fr
pws2018 evaluate {_G18}/a03_mixed/A.csv {_G18}/a03_mixed/T.csv
pws2018 attack nothing {_G18}/a03_mixed/T.csv {_G18}/a03_mixed/A1.csv -o x.csv
pws2018 attack record-counts {_G18}/a03_mixed/T.csv {_G18}/a03_mixed/A1.csv --seed 1 -o F1.csv
pws2018 attack re-1 {_G18}/a03_mixed/T.csv {_G18}/a03_mixed/A1.csv
synth purchases --subjects 40 --seed 6 --no-header -o T.csv
pws2018 anonymize k-anonymity T.csv --k 2 --seed 1 --bound -o k2.csv --json
pws2018 anonymize k-anonymity T.csv --k 3 --seed 2 --set effort=fast --threads 2 -o k3.csv
pws2018 anonymize ano-random T.csv --seed 1 -o random.csv --json
pws2018 anonymize ano-del-lc T.csv --set p=0.3 --seed 1 -o deleted.csv
pws2018 anonymize generalize T.csv --set columns=date=month,price=5 --seed 1 -o steps.csv --json
pws2018 anonymize k-concealment-assignment T.csv --k 2 --seed 1 -o assigned.csv
pws2018 anonymize uniform-concealment T.csv --seed 1 -o uniform.csv --json
pws2018 anonymize pseudonymize T.csv --set period=month --seed 1 -o x.csv
pws2018 anonymize pseudonymize T.csv --seed 1 -o same.csv
pws2018 anonymize record-sampling T.csv --seed 1 -o sampled.csv --json
pws2018 anonymize laplace-noise T.csv -o x.csv
pws2018 anonymize swapping T.csv --seed 1 -o x.csv --json
pws2018 anonymize k-anonymity T.csv --k 41 -o x.csv
pws2018 anonymize nothing T.csv -o x.csv
?pws2018 anonymize ano-random T.csv -o drawn.csv
+pws2018 audit T.csv k2.csv --k 2
pws2018 audit T.csv same.csv --guess-seeds 10 --seed 1 --json
+pws2018 use-cases T.csv k2.csv --draws 3 --seed 1
pws2018 use-cases T.csv random.csv --seed 1 --json
pws2018 publish k2.csv -o A1.csv
pws2018 audit T.csv A1.csv --json
pws2018 attack re-item T.csv A1.csv --seed 1 -o F1.csv --json
pws2018 attack re-item T.csv A1.csv --set choice=smallest -o F2.csv
+pws2018 check-guesses T.csv A1.csv F1.csv
pws2018 safety T.csv k2.csv F1.csv --table R.csv --json
+pws2018 evaluate T.csv k2.csv F1.csv F2.csv
pws2018 evaluate T.csv k2.csv F1.csv --strict --table {_G18}/R.csv --json
"""


def _lines_2018(golden: Path) -> str:
    """Return the fixed lines, the attacks on small files, and every golden case with what it is about."""
    lines = [_2018]
    made = ("k3", "random", "deleted", "steps", "assigned", "uniform", "same", "sampled")
    lines += [f"pws2018 evaluate T.csv {name}.csv --json" for name in made]
    for case in ("a03_mixed", "a05_several_pseudonyms"):
        files = f"{_G18}/{case}/T.csv {_G18}/{case}/A1.csv"
        for attack in ("re-1", "re-uniq", "re-item", "nearest-history", "cheapest-matching"):
            guesses = f"{case}-{attack}.csv"
            lines.append(f"pws2018 attack {attack} {files} --seed 1 -o {guesses} --json")
            lines.append(f"pws2018 safety {_G18}/{case}/T.csv {_G18}/{case}/A.csv {guesses} --json")
    shared_t = ""
    for folder in sorted((golden / "pws2018").iterdir()):
        here = f"{_G18}/{folder.name}"
        if (folder / "T.csv").exists():
            shared_t = f"{here}/T.csv"
        if folder.name[0] == "u" and (folder / "A.csv").exists():
            lines.append(f"pws2018 evaluate {shared_t} {here}/A.csv --json")
            lines.append(f"pws2018 publish {here}/A.csv -o {folder.name}-A1.csv --json")
        if folder.name == "u17_unchecked_values":
            lines.append(f"pws2018 utility {shared_t} {here}/A.csv --strict --json")
        if folder.name[0] == "s":
            lines.append(f"pws2018 attack re-item {shared_t} {here}/A.csv --seed 1 -o {folder.name}-F1.csv --json")
            lines.append(f"pws2018 safety {shared_t} {here}/A.csv {folder.name}-F1.csv")
    checked = {name: sorted((golden / "pws2018" / name).glob("A*.csv")) for name in ("c01_cells", "c02_files")}
    for case, found in checked.items():
        lines += [f"pws2018 check {_G18}/{case}/T.csv {_G18}/{case}/{file.name} --json" for file in found]
    guesses_folder = f"{_G18}/c05_F1_files"
    for file in sorted((golden / "pws2018/c05_F1_files").glob("F*.csv")):
        t = f"{_G18}/a01_pseudonym_only/T.csv"
        lines.append(f"pws2018 check-guesses {t} {guesses_folder}/A1.csv {guesses_folder}/{file.name} --json")
    return "\n".join(lines)


def _lines_2017(golden: Path) -> str:
    """Return the utility of every golden case; a case without T or M takes those of the last one that has them."""
    lines = ["pws2017 utility", "pws2017 utility T.csv T.csv T.csv", "pws2017 utility --join < join_TA.txt"]
    lines.append("pws2017 utility --join < join_MTAT.txt")
    found = {"M": "", "T": ""}
    for folder in sorted((golden / "pws2017").iterdir()):
        here = f"golden/pws2017/{folder.name}"
        found |= {name: f"{here}/{name}.csv" for name in found if (folder / f"{name}.csv").exists()}
        lines.append(f"+pws2017 utility {found['M']} {found['T']} {here}/AT.csv")
        lines.append(f"pws2017 utility {found['M']} {found['T']} {here}/AT.csv --strict --json")
    return "\n".join(lines)


_2021 = """
+pws2021 evaluate {g}/B.csv {g}/D.csv {g}/X.csv
pws2021 evaluate {g}/B.csv {g}/D.csv {g}/X.csv --strict --round final --json
+pws2021 check-dx {g}/B.csv {g}/D.csv {g}/X.csv
+pws2021 check-e {g}/B.csv {g}/E.csv
+pws2021 uniqrt {g}/C.csv --population 600
+pws2021 iloss {g}/C.csv {g}/D.csv
+pws2021 umark {g}/B.csv {g}/D.csv
pws2021 umark {g}/B.csv {g}/D.csv --strict --json
+pws2021 ccount {g}/D.csv
+pws2021 odds {g}/D.csv
+pws2021 cor {g}/D.csv
+pws2021 lmark {g}/Ea.csv {g}/E.csv
pws2021 lmark {g}/Ea.csv {g}/E.csv --strict --json
+pws2021 pick {g}/B.csv {g}/X.csv -o CT.csv --answers EA.csv
pws2021 pick {g}/B.csv {g}/X.csv --seed 5
+pws2021 rlink {g}/CT.csv {g}/D.csv
pws2021 rlink {g}/CT.csv {g}/D.csv -o E.csv
+pws2021 join {g}/e_top.csv {g}/e_bot.csv {g}/e_ka.csv -o joined.csv
pws2021 join {g}/e_top.csv {g}/e_bot.csv
+pws2021 exclude {g}/B.csv {g}/X.csv -o C.csv --index kept.csv
pws2021 exclude {g}/B.csv {g}/X.csv
"""
_2021_ONCE = """
synth health --subjects 1500 --seed 1 --no-header -o B.csv
pws2021 synth {g}/B.csv --seed 1 -o S.csv --json
pws2021 synth {g}/B.csv --seed 2 --rows 50 -o S50.csv
+pws2021 seed-guess {g}/B.csv CT.csv --first 90 --last 110
pws2021 seed-guess {g}/B.csv CT.csv --first 0 --last 20 --state state.json --json
pws2021 seed-guess {g}/B.csv CT.csv --first 0 --last 40 --state state.json --json
pws2021 anonymize nothing {g}/B.csv -o x.csv -x y.csv
pws2021 anonymize team06 {g}/B.csv --set loss=-1 -o x.csv -x y.csv --json
pws2021 attack nothing {g}/CT.csv {g}/D.csv -o x.csv
pws2021 evaluate {g}/B.csv {g}/X.csv {g}/D.csv
pws2021 evaluate {g}/B.csv {g}/D.csv {g}/X.csv --round semifinal
pws2021 lmark {g}/E.csv {g}/Ea.csv --json
pws2021 ccount missing.csv
?pws2021 anonymize rr {g}/B.csv -o drawn.csv -x drawn-x.csv
"""
_METHODS_2021 = {
    "team06": "--set order=scarce --set singular=10 --set rate=0.2 --set odds=2 --set correlation=0.3",
    "top": "--set thresholds=70_45",
    "bottom": "",
    "kanony": "--set k=4",
    "rr": "--set p=0.8",
    "dp": "--set epsilons=0.5_1.0",
}
_ATTACKS_2021 = {
    "rlink": "",
    "attack": "--set count=30",
    "team06": "--set decoys=1",
    "odds-penalty": "",
    "likelihood": "--set rounds=5",
}


def _lines_2021(golden: Path) -> str:
    """Return all commands on two golden cases, every method and attack, and files that a checker must judge."""
    one = "golden/pws2021/m01_light"
    lines = [_2021.replace("{g}", one), _2021_ONCE.replace("{g}", one)]
    for case in ("m02_medium", "m05_separation"):
        lines += [line for line in _2021.replace("{g}", f"golden/pws2021/{case}").splitlines() if "mark" in line]
    edges = [f"golden/pws2021/{folder.name}" for folder in sorted((golden / "pws2021").glob("e0*"))]
    lines += [f"pws2021 umark {edge}/B.csv {edge}/D.csv --json" for edge in edges]
    for name, settings in _METHODS_2021.items():
        lines += [
            f"pws2021 anonymize {name} {one}/B.csv --seed 1 -o {name}-D.csv -x {name}-X.csv --json",
            f"pws2021 anonymize {name} B.csv {settings} --seed 2 -o {name}-D2.csv -x {name}-X2.csv",
            f"pws2021 evaluate B.csv {name}-D2.csv {name}-X2.csv --json",
        ]
    for name, settings in _ATTACKS_2021.items():
        lines += [
            f"pws2021 attack {name} {one}/CT.csv {one}/D.csv --seed 1 -o {name}-E.csv --json",
            f"pws2021 attack {name} {one}/CT.csv {one}/D.csv {settings} --seed 1 -o {name}-E2.csv",
            f"pws2021 risk {one}/B.csv {one}/D.csv {one}/X.csv --attack {name} --draws 3 --seed 4 --json",
        ]
    lines.append(f"pws2021 risk {one}/B.csv {one}/D.csv {one}/X.csv --draws 2 --seed 4")
    c1, c2 = "golden/pws2021/c01_checkDX", "golden/pws2021/c02_checkE"
    tables = [file.name for file in sorted((golden / "pws2021/c01_checkDX").glob("[DX]_*.csv"))]
    for name in tables:
        d, x = (name, "X_valid.csv") if name[0] == "D" else ("D_valid.csv", name)
        x = x if not (golden / "pws2021/c01_checkDX" / name.replace("D_", "X_", 1)).exists() else "X_" + name[2:]
        lines.append(f"pws2021 check-dx {c1}/B.csv {c1}/{d} {c1}/{x} --json")
    for file in sorted((golden / "pws2021/c02_checkE").glob("E_*.csv")):
        lines.append(f"pws2021 check-e {c2}/B.csv {c2}/{file.name} --json")
    return "\n".join(lines)


def contest_groups(golden: Path) -> dict[str, str]:
    """Return the lines by contest; many come from the golden cases that are there."""
    return {
        "pws2016": _lines_2016(),
        "pws2017": _lines_2017(golden),
        "pws2018": _lines_2018(golden),
        "pws2021": _lines_2021(golden),
    }


FULL = """
describe data/pwscup2018_T.csv --json
describe data/people_flow_tokyo.parquet --json
describe data/adult.parquet --subject row --json
describe data/cmc.csv --subject row --json
pws2018 anonymize k-anonymity data/pwscup2018_T.csv --k 2 --seed 1 -o A.csv --json
pws2018 publish A.csv -o A1.csv --json
pws2018 attack re-item data/pwscup2018_T.csv A1.csv --seed 1 -o F1.csv --json
pws2018 evaluate data/pwscup2018_T.csv A.csv F1.csv --json
pws2018 use-cases data/pwscup2018_T.csv A.csv --draws 1 --seed 1 --json
pws2018 anonymize ano-random data/pwscup2018_T_final_reconstructed.csv --seed 1 -o R.csv --json
pws2018 tables data/pwscup2018_T_final_reconstructed.csv data/pwscup2018_A1_resampled.parquet --seed 1 --json
anonymize data/people_flow_tokyo.parquet --k 2 --set effort=fast --seed 1 -o flow
judge --original data/people_flow_tokyo.parquet --release flow --json
anonymize adult2000.parquet --subject row --k 3 --seed 1 -o adult
anonymize data/microaggregation_census.csv --subject row --method microaggregation --seed 1 -o census --json
pws2016 prepare data/online_retail.parquet --seed 1 -o 2016 --json
pws2016 anonymize ano-ya 2016/M.csv 2016/T.csv --seed 1 -o ya --json
pws2016 evaluate 2016/M.csv 2016/T.csv ya/M1.csv ya/T1.csv ya/P.csv --seed 1 --json
pws2017 utility data/pwscup2017_M.csv data/pwscup2017_T.csv data/pwscup2017_T.csv --json
pws2021 anonymize team06 data/pwscup2021_B.csv --seed 1 -o D.csv -x X.csv --json
pws2021 evaluate data/pwscup2021_B.csv D.csv X.csv --json
"""
