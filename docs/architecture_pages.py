"""Draw the house from the code: ``python docs/architecture_pages.py`` rewrites the architecture pages and pictures.

The pages are written by hand except for what stands between the marks; a test fails when they are out of date.
"""

from __future__ import annotations

import re
from pathlib import Path

from house import ARENA, GROUND, TOKUMEI, House, read_house, rounded, storeys
from house_picture import draw_house

__all__ = ["JAPANESE_ROOMS", "drawn_files"]

DOCS = Path(__file__).resolve().parent
MARKS = re.compile(r"(<!-- drawn: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
WORDS = {
    "en": {
        "folder": "docs/",
        "title": "Rooms of {package}, storey by storey, with arrows to what they import",
        "size": "{modules} modules, {lines} lines",
        "size of one": "1 module, {lines} lines",
        "rooms": "| room | modules | lines | what is in it |",
        "arrows": "from ↓ to →",
        "ground": "the ground",
        "used": "what every room may use",
        "years": "| folder | modules | lines |",
        "upwards": "Arrows that lead upwards: {arrows}.",
        "none": "No arrow leads upwards.",
    },
    "ja": {
        "folder": "docs/ja/",
        "title": "{package} の部屋を階ごとに並べ、import する先へ矢印を引いた図",
        "size": "{modules} モジュール、{lines} 行",
        "size of one": "1 モジュール、{lines} 行",
        "rooms": "| 部屋 | モジュール | 行 | 中にあるもの |",
        "arrows": "↓ から → へ",
        "ground": "土台",
        "used": "どの部屋からも使えるもの",
        "years": "| フォルダー | モジュール | 行 |",
        "upwards": "上に向かう矢印：{arrows}。",
        "none": "上に向かう矢印はありません。",
    },
}
JAPANESE_ROOMS = {
    TOKUMEI: {
        "aggregates": "差分プライバシーを満たす集計表：上限、雑音、予算",
        "api": "polars または pandas のデータフレームで流れを呼ぶ Python の関数",
        "attacks": "仮名の後ろにいる人を推測する攻撃、1 ファイルに 1 つ",
        "audits": "攻撃者が公開データから得るもの：数値、根拠、理由、判定",
        "cli": "コマンドライン：引数を受け取り、結果と、誤り 1 つにつき 1 文を出す",
        "contests": "コンテストの契約と、1 年につき 1 つのフォルダー",
        "data": "流れる値（スキーマ、履歴、セル、公開データ、秘密、結果）とそのファイル",
        "demo": "生成した購買履歴で流れ全体を見せる",
        "engine": "独立した仕事の塊を走らせる場所",
        "experiments": "発表された実験を 1 つのコマンドで再現する",
        "flow": "履歴から公開データと、それについて言えることまで",
        "ledgers": "何を誰について公開したかの台帳、忘れること、暗号化",
        "methods": "履歴を公開データと秘密にする手法、1 ファイルに 1 つ",
        "metrics": "公開後にデータの何が残るか、1 ファイルに 1 つの指標",
        "parts": "部品（手法、攻撃、指標）の契約と、名前による検索",
        "profiles": "元データの姿：推定したスキーマ、概要、何件で人が特定されるか",
        "reports": "得点、根拠、判定から作る図と文書",
        "synth": "実データの形をした履歴の生成器（シード付き）",
    },
    ARENA: {
        "api": "プログラムのための API とトークン",
        "boards": "順位表",
        "bots": "API を通して 1 つのコンテストを最後まで戦うボット",
        "client": "API のクライアント",
        "commands": "コマンド群 `tokumei arena ...`",
        "contests": "審判が作り動かすコンテスト：計画、段階、データ、お知らせ",
        "migrations": "データベースの表の変更手順",
        "models": "アリーナの表",
        "operations": "運用者が見るもの：動いているか、何をすべきか、監視のための数値",
        "records": "残るもの：ファイル、記録、アーカイブ、バックアップ",
        "teams": "人とチーム：アカウント、リンク、トークン、所属、制限",
        "templatetags": "テンプレートから呼べるもの",
        "web": "ページ：ビュー、フォーム、テンプレート、図",
        "work": "提出から判定まで：受付、待ち行列、制限された過程での評価、結果、対象",
    },
}


def drawn_files() -> dict[Path, str]:
    """Return the two pages and the pictures as the code of today makes them."""
    houses = {package: read_house(package) for package in (TOKUMEI, ARENA)}
    files = {}
    for language, words in WORDS.items():
        for package, house in houses.items():
            texts = {**words, "title": words["title"].format(package=package)}
            files[DOCS / "images" / _picture(package, language)] = draw_house(house, texts)
        page = DOCS.parent / words["folder"] / "architecture.md"
        blocks = {package: _block(house, language) for package, house in houses.items()}
        blocks["contests"] = _years(words)
        files[page] = MARKS.sub(lambda mark, made=blocks: f"{mark[1]}{made[mark[2]]}{mark[3]}", page.read_text("utf-8"))
    return files


def _picture(package: str, language: str) -> str:
    return f"house-{package.replace('_', '-')}-{language}.svg"


def _block(house: House, language: str) -> str:
    words = WORDS[language]
    up = "../" if language == "ja" else ""
    title = words["title"].format(package=house.package)
    rows, _, upwards = storeys(house)
    order = [*(name for row in reversed(rows) for name in row), GROUND]
    lines = [f"![{title}]({up}images/{_picture(house.package, language)})", ""]
    arrows = ", ".join(f"`{room}` → `{other}` ({house.arrows[room, other]})" for room, other in upwards)
    lines += [words["upwards"].format(arrows=arrows) if upwards else words["none"], ""]
    lines += [words["rooms"], "| --- | ---: | ---: | --- |"]
    for name in order:
        room = house.rooms[name]
        if name == GROUND:
            summary = f"{words['used']}: `{'`, `'.join(house.ground)}`"
        else:
            summary = JAPANESE_ROOMS[house.package][name] if language == "ja" else room.summary.removesuffix(".")
        label = words["ground"] if name == GROUND else f"`{name}`"
        lines.append(f"| {label} | {room.modules} | {rounded(room.lines)} | {summary.replace('``', '`')} |")
    named = [words["ground"] if name == GROUND else name for name in order]
    used = [(name, label) for name, label in zip(order, named, strict=True) if any(b == name for _, b in house.arrows)]
    lines += ["", f"| {words['arrows']} | " + " | ".join(label for _, label in used) + " |"]
    lines.append("| --- |" + " ---: |" * len(used))
    for name, label in zip(order, named, strict=True):
        counts = [str(house.arrows.get((name, other), "")) for other, _ in used]
        lines.append(f"| {label} | " + " | ".join(counts) + " |")
    return "\n".join(lines) + "\n"


def _years(words: dict[str, str]) -> str:
    lines = [words["years"], "| --- | ---: | ---: |"]
    for folder in sorted((DOCS.parent / "src" / TOKUMEI / "contests").iterdir()):
        files = sorted(folder.rglob("*.py"))
        if files:
            count = sum(file.read_text("utf-8").count("\n") for file in files)
            lines.append(f"| `contests/{folder.name}` | {len(files)} | {rounded(count)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for path, text in drawn_files().items():
        path.write_text(text, encoding="utf-8")
