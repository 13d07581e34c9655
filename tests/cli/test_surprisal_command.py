"""``lpcfg surprisal``, on the real command: what it prints, and that the figures are probabilities of words."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from command_line import fail, run_here, run_installed, succeed

import lpcfg_cli as lpcfg
from lpcfg_cli.config import ParseSettings
from lpcfg_cli.errors import InputError
from lpcfg_cli.execution.chunks import CHUNK
from lpcfg_cli.grammar.archive import MODEL, load_members, save_model
from lpcfg_cli.grammar.lexicon import CLASS_MARK, Lexicon
from lpcfg_cli.grammar.word_shares import Known, WordShares
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.parsing.prefix import PrefixGrammar
from lpcfg_cli.parsing.prefix_words import STRANGE, Predicted
from lpcfg_cli.parsing.surprisal import SurprisalModel, SurprisalOptions
from lpcfg_cli.storage.artefacts import read_header
from lpcfg_cli.tagging.sentences import read_sentences

UNPRUNED = ParseSettings(threshold=0.0, rule_threshold=0.0)
EXACT = SurprisalOptions(threshold=0.0)


@pytest.fixture(scope="module")
def by_em(tmp_path_factory, tiny_treebank, small_settings):
    """A run directory with a model of probabilities."""
    run = tmp_path_factory.mktemp("em") / "run"
    succeed("train", tiny_treebank, "-o", run, "-c", small_settings, "--learner", "em", "--iterations", 5)
    return run


@pytest.fixture(scope="module")
def grammar(by_em):
    return load_members(by_em)[1][0]


@pytest.fixture(scope="module")
def sentences(tiny_treebank):
    files = [tiny_treebank / name for name in ("a.mrg", "b.mrg")]
    return [tokens for path in files for tokens in read_sentences(path.read_text("utf-8"), "trees", path.name)]


def table(out):
    lines = [line.split("\t") for line in out.splitlines()]
    assert lines[0] == ["sentence", "position", "word", "tag", "known", "states", "bits", "total"]
    return lines[1:]


def bits_after(grammar, prefix, word, tag="", predicted=Predicted.WORDS):
    """Surprisal of a word after a prefix of (word, tag)."""
    model = SurprisalModel([grammar], SurprisalOptions(predicted, 0.0))
    return model.of_sentence([*prefix, (word, tag)]).bits[len(prefix)]


def vocabulary(grammar):
    """All words of the treebank, and one that is unknown for each class."""
    shares, entries = WordShares(grammar.lexicon), grammar.lexicon.entries
    known = {entry for entry in entries if not entry.startswith(CLASS_MARK)}
    lexicon = grammar.lexicon
    rare = {lexicon.class_name(word) + lexicon.normalise(word): word for word in lexicon.rare.words}
    unknown = {}
    for word in ("qqz", "Qqz", "QQZ", "q-qz", "7", "Q-qz", "7qz", "qqzing", "qqzed", "qqzs", "qqzly"):
        entry, known_as = shares.entry(word)
        assert known_as == Known.UNKNOWN
        unknown.setdefault(entry, word)
    classes = {k for k, entry in enumerate(entries) if entry.startswith(CLASS_MARK)}
    assert classes <= set(unknown)
    return [*known, *rare.values(), *unknown.values()]


def test_the_probabilities_of_all_words_that_may_follow_sum_to_one(grammar, sentences):
    words = vocabulary(grammar)
    tokens = sentences[0]
    model = SurprisalModel([grammar], EXACT)
    for n in (0, 2, len(tokens)):
        following = [2 ** -bits_after(grammar, tokens[:n], word) for word in words]
        end = 2 ** -model.of_sentence(tokens[:n]).bits[-1] if n else 0.0
        assert sum(following) + end == pytest.approx(1.0, abs=1e-9)


def test_the_entropy_is_that_of_all_words_that_may_follow(grammar, sentences):
    words, tokens = vocabulary(grammar), sentences[0]
    model = SurprisalModel([grammar], SurprisalOptions(threshold=0.0, entropy=True))
    entropy = model.of_sentence(tokens).entropy
    assert len(model.next_words[0].events) == len(words)
    for n in (0, 2, len(tokens)):
        following = [2 ** -bits_after(grammar, tokens[:n], word) for word in words]
        end = 2 ** -model.of_sentence(tokens[:n]).bits[-1] if n else 0.0
        assert entropy[n] == pytest.approx(-sum(p * math.log2(p) for p in [*following, end] if p), abs=1e-7)


def test_the_probabilities_of_all_tags_sum_to_one(grammar, sentences):
    tags = sorted({symbol.tag for symbol in grammar.symbols if symbol.tag})
    tokens = sentences[0][:3]
    model = SurprisalModel([grammar], SurprisalOptions(Predicted.TAGS, 0.0))
    following = [2 ** -bits_after(grammar, tokens, "", tag, Predicted.TAGS) for tag in tags]
    assert sum(following) + 2 ** -model.of_sentence(tokens).bits[-1] == pytest.approx(1.0, abs=1e-9)


def test_words_are_sums_over_their_tags(grammar, sentences):
    (word, _), *_ = sentences[0]
    entry, what = WordShares(grammar.lexicon).entry(word)
    assert what == Known.WORD
    rules = grammar.lexical
    own = {grammar.symbols[a].tag for a in rules.symbol[rules.entry_start[entry] : rules.entry_start[entry + 1]]}
    both = [2 ** -bits_after(grammar, [], word, t, Predicted.BOTH) for t in own]
    assert 2 ** -bits_after(grammar, [], word) == pytest.approx(sum(both))


def test_surprisals_sum_to_the_parsers_probability_of_the_sentence(grammar, sentences):
    parser, shares, mass = Parser(grammar, UNPRUNED), WordShares(grammar.lexicon), PrefixGrammar(grammar).mass
    model = SurprisalModel([grammar], SurprisalOptions(Predicted.BOTH, 0.0))
    assert len(sentences) > 10
    for tokens in sentences[:12]:
        parse = parser.parse(tokens)
        entries = [shares.entry(word) for word, _ in tokens]
        parts = [shares.share(w, entry, tag, known) for (w, tag), (entry, known) in zip(tokens, entries, strict=True)]
        log2 = parse.log_probability / math.log(2) + np.log2(np.multiply(parts, 1 - STRANGE)).sum()
        expected = math.log2(mass) - log2
        assert model.of_sentence(tokens).bits.sum() == pytest.approx(expected, abs=1e-4)


def test_the_table_has_every_word_and_the_end(by_em):
    done = succeed("surprisal", by_em, stdin="The dog barks .\n\nThe zyx barks .\n")
    rows = table(done.out)
    assert [row[:3] for row in rows[:5]] == [
        ["1", "1", "The"], ["1", "2", "dog"], ["1", "3", "barks"], ["1", "4", "."], ["1", "5", "</s>"],
    ]  # fmt: skip
    assert [row[0] for row in rows[5:]] == ["3"] * 5  # the second line is empty
    assert rows[6][4] == "unknown" and rows[9][3:6] == ["_", "_", "_"]
    bits = [float(row[6]) for row in rows[:5]]
    assert float(rows[4][7]) == pytest.approx(sum(bits), abs=3e-4) and min(bits) > 0
    assert all(int(row[5]) >= 1 for row in rows if row[2] != "</s>")
    assert "3 sentences, 8 words, 4 of them unknown" in done.err and "have probability 0." in done.err


def test_json_has_the_same_figures(by_em):
    text = "The dog barks .\n"
    rows = table(succeed("surprisal", by_em, stdin=text).out)
    found = [json.loads(line) for line in succeed("surprisal", by_em, "--json", stdin=text).out.splitlines()]
    assert [f"{one['bits']:.4f}" for one in found] == [row[6] for row in rows]
    assert found[0]["tag"] is None and found[-1]["word"] == "</s>" and found[-1]["states"] is None


def test_entropy_is_a_further_column(by_em):
    model = by_em
    plain = succeed("surprisal", model, stdin="The dog slept .\n").out.splitlines()
    wider = succeed("surprisal", model, "--entropy", stdin="The dog slept .\n").out.splitlines()
    assert wider[0].split("\t")[-1] == "entropy"
    assert [row.rpartition("\t")[0] for row in wider] == plain
    rows = [
        json.loads(line)
        for line in succeed(
            "surprisal", model, "--entropy", "--json", stdin="The keeper lit the lamp .\n"
        ).out.splitlines()
    ]
    assert all(0 <= row["entropy"] < 20 for row in rows)


def test_the_figures_do_not_depend_on_the_number_of_processes(by_em, sentences, tmp_path):
    text = tmp_path / "text"
    text.write_text("".join(" ".join(word for word, _ in tokens) + "\n" for tokens in 3 * sentences))
    one, two = (succeed("surprisal", by_em, text, "--jobs", n, run=run_installed).out for n in (1, 2))
    assert one == two and len(table(one)) == 3 * sum(len(tokens) + 1 for tokens in sentences)
    assert len(sentences) * 3 > 2 * CHUNK


def test_spectral_models_are_refused_unless_allowed(trained):
    message = fail(3, "surprisal", trained, stdin="The dog barks .\n")
    assert "moments, not probabilities" in message and "--learner em" in message and "--signed" in message
    rows = table(succeed("surprisal", trained, "--signed", stdin="The dog barks .\n").out)
    assert len(rows) == 5


def test_tags_are_needed_to_predict_them(by_em):
    assert "needs tags" in fail(2, "surprisal", by_em, "--predict", "tags", stdin="The dog")
    rows = table(succeed("surprisal", by_em, "-f", "slash", "--predict", "tags", stdin="The/DT dog/NN\n").out)
    assert [row[3] for row in rows] == ["DT", "NN", "_"]


def test_a_tag_that_the_grammar_does_not_know_has_probability_zero(by_em):
    done = succeed("surprisal", by_em, "-f", "slash", "--predict", "both", stdin="The/DT dog/XYZ barks/VBZ\n")
    rows = table(done.out)
    assert [row[6] == "_" for row in rows] == [False, True, True, True]
    assert "1 with probability 0, 2 after" in done.err


def test_sentences_that_are_too_long_get_no_figures(by_em):
    done = succeed("surprisal", by_em, "--max-length", 2, stdin="The dog barks .\nHush .\n")
    rows = table(done.out)
    assert [row[6] == "_" for row in rows] == [True] * 5 + [False] * 3
    assert "<stdin>:1: 4 words are more than --max-length 2: no figures." in done.err
    assert "1 sentence without figures" in done.err


def test_lines_that_cannot_be_read_stop_or_are_left_out(by_em):
    text = "The/DT dog/NN\nno tag\nHush/UH\n"
    ended = run_here("surprisal", by_em, "-f", "slash", stdin=text)
    assert ended.code == 3 and "<stdin>:2:1: 'no' has no tag" in ended.err
    assert [row[0] for row in table(ended.out)] == ["1"] * 3  # what came before is not lost
    done = succeed("surprisal", by_em, "-f", "slash", "--on-error", "skip", stdin=text)
    assert [row[0] for row in table(done.out)] == ["1"] * 3 + ["3"] * 2
    assert "'no' has no tag" in done.err and "1 sentence without figures" in done.err


def test_running_text_is_split(by_em):
    rows = table(succeed("surprisal", by_em, "--text", stdin="The dog left. Hush.").out)
    assert [row[2] for row in rows] == ["The", "dog", "left", ".", "</s>", "Hush", ".", "</s>"]


def test_a_model_without_counts_of_rare_words_is_refused(by_em, grammar, tmp_path):
    old = tmp_path / "old.npz"
    header = read_header(by_em / "model.lpcfg.npz", MODEL)
    lexicon = Lexicon(grammar.lexicon.entries, grammar.lexicon.suffixes, grammar.lexicon.settings)
    settings = {name: value for name, value in header.settings.items() if name != "tables"}
    save_model(old, [replace(grammar, lexicon=lexicon)], settings, 0, {})
    assert "of an earlier version" in fail(3, "surprisal", old, "-f", "slash", stdin="The/DT dog/NN\n")


def test_from_python(by_em):
    model = lpcfg.load(by_em)
    rows = table(succeed("surprisal", by_em, stdin="The dog barks .\n").out)
    found = model.surprisal("The dog barks .")
    assert [f"{one.bits:.4f}" for one in found] == [row[6] for row in rows]
    assert [one.word for one in found] == ["The", "dog", "barks", ".", "</s>"]
    assert model.surprisal([]) == []
    with pytest.raises(InputError, match="each word needs a tag"):
        model.surprisal("The dog barks .", "tags")
    tagged = model.surprisal([("The", "DT"), ("dog", "NN")], "both", threshold=0.0)
    assert [one.tag for one in tagged] == ["DT", "NN", None]


def test_an_ensemble_uses_its_members_with_probabilities(by_em, trained, tmp_path, grammar):
    other = load_members(trained)[1][0]
    model = SurprisalModel([grammar, other], SurprisalOptions())
    assert model.n_left_out == 1 and len(model.masses) == 1
    tokens = [("The", ""), ("dog", "")]
    np.testing.assert_allclose(
        model.of_sentence(tokens).bits, SurprisalModel([grammar], SurprisalOptions()).of_sentence(tokens).bits
    )
    twice = SurprisalModel([grammar, grammar], SurprisalOptions()).of_sentence(tokens).bits
    np.testing.assert_allclose(twice, model.of_sentence(tokens).bits)
