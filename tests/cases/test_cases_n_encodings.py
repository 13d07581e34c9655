"""N, second batch: encodings."""

from __future__ import annotations

import json

import pytest
from accented_trees import SMALL, TREES, crossval, figures
from command_line import fail, run_here, succeed


@pytest.fixture(scope="session")
def utf8_scores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("utf8")
    (folder / "t.mrg").write_text(TREES, "utf-8")
    outcome = crossval(folder, folder / "t.mrg")
    return json.loads(outcome.out), (folder / "parsed.mrg").read_bytes()


@pytest.mark.parametrize(
    ("written", "named"),
    [("latin-1", "latin-1"), ("cp1252", "cp1252"), ("utf-16", "utf-8"), ("utf-8-sig", "latin-1"),
     ("utf-16-le", "utf-16-le"), ("utf-32", "ascii")],
)  # fmt: skip
def test_n17_crossval_is_that_of_the_same_trees_in_utf_8(tmp_path, utf8_scores, written, named):
    (tmp_path / "t.mrg").write_bytes(TREES.encode(written))
    outcome = crossval(tmp_path, tmp_path / "t.mrg", "--encoding", named)
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out, parse_constant=pytest.fail) == utf8_scores[0]
    assert (tmp_path / "parsed.mrg").read_bytes() == utf8_scores[1]


def test_n17_tune_scores_folds_of_any_encoding(tmp_path):
    (tmp_path / "t.mrg").write_bytes(TREES.encode("latin-1"))
    (tmp_path / "u.mrg").write_text(TREES, "utf-8")
    tune = "[tune]\nfolds = 3\nonly = [0, 1]\nvary = [{ lexicon.rare_below = 1 }, { lexicon.rare_below = 9 }]\n"
    (tmp_path / "c.toml").write_text(f"[svd]\nstates = 2\n{tune}")
    told = []
    for name, encoding in (("t.mrg", "latin-1"), ("u.mrg", "utf-8")):
        run = ("-o", tmp_path / name.replace(".", "-"), "-c", tmp_path / "c.toml", "--tune", "--encoding", encoding)
        err = succeed("train", tmp_path / name, *run).err
        told.append([line for line in err.splitlines() if line.startswith("tune: F1")])
    assert told[0] == told[1]
    assert len(told[0]) == 2
    assert "nan" not in "".join(told[0])


def test_n17_dev_trees_and_training_trees_of_different_encodings(tmp_path):
    (tmp_path / "t.mrg").write_bytes(TREES.encode("latin-1"))
    (tmp_path / "dev.mrg").write_bytes(TREES.encode("utf-16"))
    options = ("--learner", "em", "--dev", tmp_path / "dev.mrg", "--encoding", "latin-1", "--iterations", "2")
    scores = [
        line.split("dev F1 ")[1]
        for line in succeed("train", tmp_path / "t.mrg", "-o", tmp_path / "run", *SMALL, *options).err.splitlines()
        if "dev F1" in line
    ]
    assert scores
    assert all(0 < float(score) <= 100 for score in scores)


def test_n17_folds_without_a_bracket_have_no_figure(tmp_path):
    (tmp_path / "t.mrg").write_text("(TOP (A a))\n(TOP (A b))\n(TOP (A a))\n" * 2)
    outcome = crossval(tmp_path, tmp_path / "t.mrg")
    assert json.loads(outcome.out, parse_constant=pytest.fail)["f1"] is None
    assert "F1 n/a" in outcome.err
    (tmp_path / "c.toml").write_text("[tune]\nfolds = 3\nonly = [0]\nvary = [{ lexicon.rare_below = 1 }]\n")
    message = fail(3, "train", tmp_path / "t.mrg", "-o", tmp_path / "run", "-c", tmp_path / "c.toml", "--tune")
    assert "no sentence has a bracket that counts, so there is no F1" in message


@pytest.mark.parametrize("gold", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-be+"])
@pytest.mark.parametrize("test", ["utf-8", "utf-16"])
def test_n19_a_mark_decides_on_each_side_of_eval(tmp_path, gold, test):
    for name, encoding in (("gold", gold), ("test", test)):
        mark = "\ufeff" if encoding.endswith("+") else ""
        (tmp_path / name).write_bytes(f"{mark}{TREES}".encode(encoding.rstrip("+")))
    report, outcome = figures(tmp_path / "gold", tmp_path / "test")
    assert (outcome.code, report["all"]["valid"], report["all"]["f1"]) == (0, 6, 100.0)


def test_n19_each_side_of_eval_has_an_encoding_of_its_own(tmp_path):
    for encoding in ("latin-1", "utf-8", "cp437"):
        (tmp_path / encoding).write_bytes(TREES.encode(encoding))
    report, _ = figures(tmp_path / "latin-1", tmp_path / "utf-8", "--encoding", "latin-1", "--test-encoding", "utf-8")
    assert report["all"]["f1"] == 100.0
    report, _ = figures(tmp_path / "utf-8", tmp_path / "cp437", "--test-encoding", "cp437")
    assert report["all"]["f1"] == 100.0
    report, _ = figures(tmp_path / "latin-1", tmp_path / "latin-1", "--encoding", "latin-1")
    assert report["all"]["f1"] == 100.0
    assert "latin-1:1: byte 0xe2" in fail(3, "eval", tmp_path / "utf-8", tmp_path / "latin-1")
    assert "'klingon' is not a known encoding" in fail(3, "eval", tmp_path / "utf-8", tmp_path / "latin-1",
                                                       "--test-encoding", "klingon")  # fmt: skip


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
@pytest.mark.parametrize(
    ("form", "text"),
    [("slash", "the/DT dog/NN ./.\n\nHush/UH\n"), ("raw", "the dog .\n\nHush\n"), ("text", "The dog. Hush\n"),
     ("tab", "the\tDT\ndog\tNN\n\nHush\tUH\n"), ("trees", "(S (DT the) (NN dog))\n(S (UH Hush))\n")],
)  # fmt: skip
def test_n19_parse_reads_every_format_with_a_mark(trained, form, text, encoding):
    plain = succeed("parse", trained, "-f", form, stdin=text).out
    assert plain.count("\n") >= 2
    assert succeed("parse", trained, "-f", form, stdin=text.encode(encoding)).out == plain


BAD_TREES = (
    b"(S (NN a))\n(S (NN caf\xe9)\n   (VB x))\n( (S (N\xff b)))\n(S (NN b)) \n(S (NN c\0d))\n(S (NN caf\xc3\xa9))\n"
)


def test_n19_trees_that_are_no_text_are_skipped_and_listed(tmp_path):
    (tmp_path / "bad.mrg").write_bytes(BAD_TREES)
    assert "bad.mrg:2: byte 0xe9 at offset 21 is not utf-8" in fail(3, "check", tmp_path / "bad.mrg")
    report = json.loads(succeed("check", "bad.mrg", "--on-error", "skip", "--json", folder=tmp_path).out)
    assert report["figures"]["trees"] == 3
    places = [entry.split(": skipped")[0] for entry in report["left_out"]]
    assert places == ["bad.mrg:2:1", "bad.mrg:4:1", "bad.mrg:6:1"]
    assert [entry.split(": ", 2)[2] for entry in report["left_out"]] == [
        "2:8: byte 0xe9, which is not utf-8", "4:7: byte 0xff, which is not utf-8", "6:8: a NUL character",
    ]  # fmt: skip
    succeed("train", tmp_path / "bad.mrg", "-o", tmp_path / "run", "--on-error", "skip", *SMALL)
    assert "café" in (tmp_path / "run" / "trees.bin.mrg").read_text("utf-8")


@pytest.mark.parametrize(
    ("form", "text"),
    [("slash", b"Hush/UH\ncaf\xe9/NN\nHush/UH\n"), ("raw", b"Hush\ncaf\xe9\nHush\n"),
     ("tab", b"Hush\tUH\n\nthe\tDT\ncaf\xe9\tNN\n\nHush\tUH\n")],
)  # fmt: skip
def test_n19_lines_that_are_no_text_are_skipped_and_told(trained, form, text):
    outcome = succeed("parse", trained, "-f", form, "--on-error", "skip", stdin=text)
    first, bad, last = outcome.out.splitlines()
    assert (bad, first) == ("(())", last)
    assert "byte 0xe9, which is not in the encoding of the input" in outcome.err
    assert "1 not readable" in outcome.err
    stopped = run_here("parse", trained, "-f", form, stdin=text)
    assert (stopped.code, stopped.out) == (3, f"{first}\n")
    assert "byte 0xe9 at offset" in stopped.err


@pytest.mark.parametrize("encoding", ["hex", "rot13", "undefined", "klingon"])
def test_n19_codecs_that_are_no_encodings_are_refused(tmp_path, trained, encoding):
    (tmp_path / "t").write_text(TREES, "utf-8")
    for command in (("check", "t"), ("eval", "t", "t"), ("parse", trained, "t")):
        code = 2 if encoding == "klingon" and command[0] != "eval" else 3
        message = fail(code, *command, "--encoding", encoding, folder=tmp_path)
        assert f"{encoding!r}" in message
        assert "not a known encoding" in message


@pytest.mark.parametrize("name", ["latin1.mrg", "utf8.mrg"])
def test_n17_as_collected(case, tmp_path, name):
    encoding = "latin-1" if name == "latin1.mrg" else "utf-8"
    outcome = crossval(tmp_path, case("N17", name), "--encoding", encoding)
    assert json.loads(outcome.out)["f1"] == 100.0


@pytest.mark.parametrize("gold", ["utf8.mrg", "utf16.mrg", "utf32.mrg"])
def test_n19_as_collected(case, gold):
    report, _ = figures(case("N19", gold), case("N19", "utf8.mrg"))
    assert (report["all"]["valid"], report["all"]["f1"]) == (40, 100.0)
