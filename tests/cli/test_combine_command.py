"""``lpcfg combine``, as a user runs it."""

from __future__ import annotations

from command_line import fail, succeed

ONE = "(S (NP (D a) (N b)) (VP (V c) (NP (N d))))\n"
TWO = "(S (NP (D a) (N b)) (V c) (N d))\n"
THREE = "(S (D a) (X (N b) (VP (W c) (N d))))\n"


def files(tmp_path, *texts):
    paths = [tmp_path / f"{k}.mrg" for k in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return paths


def test_files_are_combined(tmp_path):
    paths = files(tmp_path, ONE * 2, TWO * 2, THREE * 2)
    outcome = succeed("combine", *paths)
    assert outcome.out == "(S (NP (D a) (N b)) (VP (V c) (N d)))\n" * 2
    assert "combined 2 trees of 3 files" in outcome.err
    written = tmp_path / "best.mrg"
    assert succeed("combine", *paths, "--weights", "1,1,5", "-o", written).out == ""
    assert written.read_text() == THREE * 2


def test_roots_without_a_label_are_those_that_have_one(tmp_path):
    paths = files(tmp_path, f"( {ONE.strip()} )\n", f"(TOP {ONE.strip()})\n", f"(TOP {TWO.strip()})\n")
    assert succeed("combine", *paths).out == f"(TOP {ONE.strip()})\n"


def test_usage(tmp_path):
    paths = files(tmp_path, ONE, TWO, TWO * 2)
    assert "at least two files" in fail(2, "combine", paths[0])
    assert "expected 2 positive numbers" in fail(2, "combine", *paths[:2], "--weights", "1,0")
    assert "expected 2 positive numbers" in fail(2, "combine", *paths[:2], "--weights", "1")
    assert "expected numbers joined by commas" in fail(2, "combine", *paths[:2], "--weights", "1,x")
    message = fail(3, "combine", *paths)
    assert f"{paths[2]}: 2 trees, but {paths[0]} has 1." in message
