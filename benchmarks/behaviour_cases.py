"""The command lines whose behaviour is recorded, except those of the contests.

A group is a list of lines that run one after another in a folder of their own, so that a line may use what an earlier
one wrote. A line is what follows ``tokumei``; before it may stand ``+`` (run it again with ``--json``) or ``?`` (it
draws from the operating system's entropy, so that only the status and the names of its files are compared), behind it
``< FILE`` (standard input). ``golden`` and ``data`` in a folder lead to the shared reference files.
"""

from __future__ import annotations

__all__ = ["ARTIFACTS", "FLOW_GROUPS", "OPENED"]

# Every method on purchases: the settings that make its parameters count.
METHODS = {
    "ano-del-lc": ("", "--set p=0.2"),
    "ano-random": ("", "--set dates=3 --set suppression=0.3 --set deletion=0"),
    "generalize": ("--set columns=date=month,price=5,goods=2", "--set columns=date=week,quantity=10 --format parquet"),
    "k-anonymity": (
        "--k 2 --set effort=fast",
        "--k 4 --set surplus=dummy",
        "--set surplus=split --set split=20",
        "--set surplus=shared --set effort=fast --threads 2",
        "--set weights=goods:2,price:0 --set effort=best --format parquet",
        "--set surplus=split --set effort=fast",
    ),
    "k-concealment": ("", "--k 3 --set graph=greedy --set surplus=nearest"),
    "k-concealment-assignment": ("", "--k 3 --set candidates=5 --set limit=50 --set final=100 --threads 2"),
    "k-concealment-static": ("",),
    "laplace-noise": (
        "--set columns=price=10,quantity=5,date=7",
        "--set columns=price=1 --set clip=false --set epsilon=2",
    ),
    "microaggregation": ("", "--k 5 --set categories=5"),
    "pseudonymize": ("", "--set length=32", "--set period=month", "--set count=20 --set exchange=0.1"),
    "randomized-response": ("", "--set columns=goods=3"),
    "record-interpolation": ("", "--k 3 --set graph=greedy --set fill=previous"),
    "record-sampling": ("", "--set share=0.3 --set unit=subjects --set most=10"),
    "rounding": ("--set columns=price=5,date=7", "--set columns=price=1,quantity=10 --set style=random"),
    "swapping": ("", "--set share=0.5 --set columns=price=0.1,goods=1"),
    "top-bottom-coding": ("--set columns=price=1..10", "--set columns=quantity=..20 --set ranges=true"),
    "uniform-concealment": ("", "--k 3 --set design=assignment --set limit=30"),
}
ATTACKS = {
    "cheapest-matching": ("",),
    "matching-posterior": ("",),
    "nearest-history": ("",),
    "predictable-pseudonyms": ("--set seeds=20",),
    "range-asymmetry": ("", "--set own=low"),
    "re-1": ("",),
    "re-item": ("", "--set choice=smallest", "--set column=goods"),
    "re-uniq": ("",),
    "record-counts": ("",),
    "release-order": ("", "--set pseudonyms=number --set backwards=true"),
    "set-position": ("", "--set own=last"),
    "suppression-pattern": ("",),
}
RELEASE = "--original p.csv --release r --secret r.secret"

_FLOW = """
--version
+methods
+attacks
+metrics
synth purchases --subjects 60 --seed 1 -o p.csv
+describe p.csv
describe p.csv -o schema.toml --html page.html
anonymize p.csv --dry-run --save-plan review.toml
anonymize p.csv --k 4 --dry-run --json
anonymize p.csv --schema schema.toml --method k-anonymity --k 3 --seed 7 -o r
anonymize --plan r.plan.toml -o again --json
anonymize p.csv --method microaggregation --seed 2 --secret kept.secret --skip-audit -o m
?anonymize p.csv --method pseudonymize -o drawn
?anonymize --plan review.toml -o reviewed --json
+judge --original p.csv --release r
judge --original p.csv --release r --schema schema.toml --metric ncp --metric records-kept --json
judge --original p.csv --release m --secret kept.secret --json
judge --original p.csv --release m
+audit --original p.csv --release r --secret r.secret
+audit --original p.csv --release r --k 5
audit --original p.csv --release m --secret kept.secret --guess-seeds 20 --seed 3 --json
audit --original p.csv --release r --method k-anonymity --schema schema.toml --seed 4 --json
report --original p.csv --release r -o en.html
report --original p.csv --release r --secret r.secret --language ja -o ja.html --json
report --original p.csv --release m --secret kept.secret --k 3 --k-curve 2,4 --seed 5 -o curve.html
+compare p.csv --methods rounding,pseudonymize --seed 1 --set rounding.columns=price=5
compare p.csv --methods k-anonymity,microaggregation,pseudonymize --k 2,3 --seed 1 --json
compare p.csv --methods microaggregation,pseudonymize --k 3,5 --seed 1 -o compared --language ja
demo shown --subjects 40 --seed 3
demo shown-too --subjects 40 --seed 4 --json
experiment concealment --size 20 --seed 1
experiment concealment --size 20 --seed 2 -o experiment --json
"""

_TABLES = """
synth purchases --subjects 30 --seed 1 -o p.csv.gz --json
synth purchases --subjects 30 --seed 2 -o p.parquet
synth purchases --subjects 30 --seed 2 --no-header -o p.csv
synth trajectories --subjects 60 --seed 1 -o t.csv --json
synth trajectories --subjects 60 --seed 1 -o t.parquet
synth health --subjects 200 --seed 1 -o h.csv --json
synth health --subjects 200 --seed 1 --no-header -o h.parquet
synth master --subjects 60 --seed 1 -o T.csv --json
synth master --subjects 60 --seed 1 --no-header -o T.csv.gz
+describe p.csv.gz
+describe p.parquet
+describe p.csv
+describe t.csv -o t.toml --html t.html
+describe h.csv --subject row -o h.toml
+describe T.csv
describe adult.parquet --subject row -o a.toml --json
describe people.parquet -o f.toml --json
describe h.csv --schema h.toml --json
anonymize t.csv --schema t.toml --seed 1 -o t-k
anonymize t.csv --method record-interpolation --seed 1 --set fill=linear --set slot=7200 -o t-slots
anonymize t.parquet --method laplace-noise --set columns=position=0.01 --seed 1 -o t-noise --json
anonymize t.parquet --method rounding --set columns=position=0.1 --seed 1 --format parquet -o t-rounded
anonymize h.csv --schema h.toml --k 3 --seed 1 -o h-k
anonymize h.csv --subject row --method k-concealment-static --k 3 --seed 1 -o h-static
anonymize h.csv --subject row --method k-concealment-static --set graph=greedy --seed 1 --format parquet -o h-greedy
anonymize h.csv --subject row --method microaggregation --seed 1 -o h-mean --json
anonymize adult.parquet --schema a.toml --k 3 --seed 1 -o a-k
anonymize people.parquet --schema f.toml --k 2 --set effort=fast --seed 1 -o f-k
""" + "".join(
    f"judge --original {data} --schema {schema} --release {made} --json\n"
    f"audit --original {data} --schema {schema} --release {made} --secret {made}.secret --json\n"
    for data, schema, made in [
        ("t.csv", "t.toml", "t-k"),
        ("t.csv", "t.toml", "t-slots"),
        ("t.parquet", "t.toml", "t-rounded"),
        ("h.csv", "h.toml", "h-static"),
        ("adult.parquet", "a.toml", "a-k"),
        ("people.parquet", "f.toml", "f-k"),
    ]
)

_METHODS = "synth purchases --subjects 24 --seed 4 -o p.csv\n" + "".join(
    f"anonymize p.csv --method {name} {settings} --seed {seed} {'--json' if seed % 2 else ''} -o {name}-{seed}\n"
    for name, several in METHODS.items()
    for seed, settings in enumerate(several, start=1)
)
# The key of keyed pseudonyms comes from the operating system, whatever the seed.
_METHODS += "?anonymize p.csv --method pseudonymize --set style=keyed --seed 1 -o keyed\n"

_ATTACKS = (
    "synth purchases --subjects 24 --seed 4 -o p.csv\n"
    "anonymize p.csv --method k-concealment --seed 1 -o r\n"
    "anonymize p.csv --method pseudonymize --seed 1 -o same\n"
    + "".join(
        f"attack {name} {RELEASE} {settings} --seed {number} -o {name}-{number}.csv --json\n"
        for name, several in ATTACKS.items()
        for number, settings in enumerate(several, start=1)
    )
    + "".join(f"attack {name} {RELEASE.replace(' r', ' same')} --seed 1 -o same-{name}.csv\n" for name in ATTACKS)
    + "attack re-item --original p.csv --release r --seed 1 -o unjudged.csv\n"
)

_WRONG = """
synth purchases --subjects 8 --seed 1 -o p.csv
anonymize p.csv --method pseudonymize --seed 1 -o r
+nonsense
anonymise p.csv
+anonymize
+anonymize p.csv
anonymize --plan missing.toml -o x
anonymize p.csv --plan r.plan.toml --k 3 -o x
+anonymize p.csv --k 9 -o x
+anonymize p.csv --k 1 -o x
anonymize p.csv --k three -o x
+anonymize p.csv --method k-anonimity -o x
+anonymize p.csv --method k-anonymity --set efort=fast -o x
anonymize p.csv --method k-anonymity --set effort=quick -o x
anonymize p.csv --method rounding --set columns=prize=5 -o x
anonymize p.csv --method rounding --k 3 -o x
anonymize p.csv --format xml -o x
anonymize p.csv --seed -1 -o x
anonymize p.csv --save-plan q.toml -o x
+anonymize p.csv --seed 1 -o r
anonymize p.csv --seed 1 -o p.csv
anonymize p.csv --seed 1 -o x --secret x/secret
+anonymize missing.csv -o x
anonymize copied.csv --method pseudonymize --seed 1 -o x
anonymize copied.csv --method rounding --set columns=price=5 --seed 1 -o x --json
anonymize p.csv --schema wrong.toml -o x
anonymize p.csv --schema broken.toml -o x
anonymize p.csv --subject custmer -o x
attack re-itm --original p.csv --release r -o g.csv
attack re-item --original p.csv --release missing -o g.csv
attack re-item --original p.csv --release r --set column=price -o g.csv
attack re-item --original other.csv --release r --seed 1 -o g.csv
judge --original other.csv --release r
judge --original p.csv --release r --metric cell-eror
judge --original p.csv --release r --secret p.csv
audit --original other.csv --release r --json
audit --original p.csv --release changed --json
report --original p.csv --release r --language fr -o x.html
report --original p.csv --release r --k-curve 1 -o x.html
report --original p.csv --release r -o p.csv
compare p.csv --methods rounding,nothing
compare p.csv --methods k-anonymity --k 9 --json
synth purchases --subjects 0 -o x.csv
synth purchases --subjects 5 -o x.xlsx
synth nothing -o x.csv
demo r
experiment concealment p.csv --size 5
pws2018
pws2018 nothing
pws2018 utility p.csv --json
pws2018 utility --join --json
""" + "".join(
    f"describe {name}.csv\nanonymize {name}.csv --method pseudonymize --seed 1 --json -o made-{name}\n"
    for name in ("empty", "header", "nul", "quote", "many", "twice", "nobody", "semicolon", "cp932", "bom", "dates")
)

FLOW_GROUPS = {"flow": _FLOW, "tables": _TABLES, "methods": _METHODS, "attacks": _ATTACKS, "wrong": _WRONG}
# What another version must be able to open: data of each format, releases with secret and plan, contest files.
_MADE = {
    "from-csv": ("purchases.csv", "--schema schema.toml --k 3"),
    "from-gz": ("purchases.csv.gz", "--method pseudonymize --set period=month"),
    "from-parquet": ("purchases.parquet", "--method microaggregation --format parquet"),
    "concealed": ("purchases.csv", "--method k-concealment --format parquet"),
    "noisy": ("purchases.csv", "--method laplace-noise --set columns=price=10,quantity=5"),
    "ways": ("trajectories.csv", "--method record-interpolation"),
    "ways-parquet": ("trajectories.parquet", "--k 2 --set effort=fast --format parquet"),
    "table": ("health.csv", "--subject row --method k-concealment-static"),
}
ARTIFACTS = """
synth purchases --subjects 40 --seed 5 -o purchases.csv
synth purchases --subjects 40 --seed 5 -o purchases.csv.gz
synth purchases --subjects 40 --seed 5 -o purchases.parquet
synth trajectories --subjects 40 --seed 5 -o trajectories.csv
synth trajectories --subjects 40 --seed 5 -o trajectories.parquet
synth health --subjects 200 --seed 5 -o health.csv
describe purchases.csv -o schema.toml
anonymize purchases.csv --k 3 --dry-run --save-plan review.toml
synth purchases --subjects 40 --seed 5 --no-header -o T2018.csv
pws2018 anonymize ano-random T2018.csv --seed 5 -o A2018.csv
pws2018 publish A2018.csv -o A1.csv
pws2018 attack re-item T2018.csv A1.csv --seed 5 -o F1.csv
synth master --subjects 60 --seed 5 --no-header -o T2016.csv
pws2016 anonymize ano-ya T2016_master.csv T2016.csv --seed 5 -o ya
synth health --subjects 1500 --seed 5 --no-header -o B2021.csv
pws2021 anonymize team06 B2021.csv --set rate=0.2 --set odds=2 --set correlation=0.3 --seed 5 -o D2021.csv -x X2021.csv
""" + "".join(f"anonymize {data} {options} --seed 5 -o {made}\n" for made, (data, options) in _MADE.items())
OPENED = """
?anonymize --plan review.toml -o reviewed --json
pws2018 evaluate T2018.csv A2018.csv F1.csv --json
pws2016 evaluate T2016_master.csv T2016.csv ya/M1.csv ya/T1.csv ya/P.csv --json
pws2021 evaluate B2021.csv D2021.csv X2021.csv --json
""" + "".join(
    f"judge --original {data} --release {made} --json\n"
    f"audit --original {data} --release {made} --secret {made}.secret --json\n"
    f"report --original {data} --release {made} -o {made}.html --json\n"
    f"attack re-1 --original {data} --release {made} --secret {made}.secret --seed 1 -o {made}-guesses.csv --json\n"
    f"anonymize --plan {made}.plan.toml -o {made}-again --json\n"
    for made, (data, _) in _MADE.items()
)
