"""A slow second scorer, written independently from the definition: without arrays and kernels.

It reads a line letter by letter, stores brackets as small lists, and compares all with all.
"""

from __future__ import annotations

BLANKS = " \t\r\n\f\v"


def read_rules(text):
    rules = {
        "DELETE_LABEL": [],
        "DELETE_LABEL_FOR_LENGTH": [],
        "QUOTE_LABEL": [],
        "EQ_LABEL": [],
        "EQ_WORD": [],
    }
    rules |= {"DEBUG": 0, "MAX_ERROR": 10, "CUTOFF_LEN": 40, "LABELED": 1}
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        words = line.split()
        if isinstance(rules[words[0]], int):
            rules[words[0]] = int(words[1])
        elif words[0].startswith("EQ"):
            rules[words[0]].append({words[1], words[2]} if words[1] != words[2] else {words[1]})
        else:
            rules[words[0]].append(words[1])
    return rules


def equal(one, other, pairs):
    return one == other or any({one, other} == pair for pair in pairs)


def read_line(line, rules):
    """Words [tag, form], brackets [label, start, end], quotes, length, and whether brackets stay open."""
    words, brackets, quotes, length, stack, at = [], [], [], 0, [], 0
    while at < len(line):
        if line[at] in BLANKS:
            at += 1
        elif line[at] == ")":
            brackets[stack.pop()][2] = len(words)
            at += 1
        else:
            assert line[at] == "("
            at += 1
            label, at = read_run(line, at)
            ahead = at
            while ahead < len(line) and line[ahead] in BLANKS:
                ahead += 1
            form, after = read_run(line, ahead)
            if ahead > at and line[after : after + 1] == ")":
                length += label not in rules["DELETE_LABEL_FOR_LENGTH"]
                if label in rules["QUOTE_LABEL"] and form in ("'", '"', "/"):
                    quotes.append([label, form, len(words), len(brackets), list(stack)])
                if label not in rules["DELETE_LABEL"]:
                    words.append([label, form])
                at = after + 1
            else:
                stack.append(len(brackets))
                brackets.append([label, len(words), -1])
    return words, brackets, quotes, length, bool(stack)


def read_run(line, at):
    start = at
    while at < len(line) and line[at] not in BLANKS + "()":
        at += 1
    return line[start:at], at


def insert_quote(side, number):
    words, brackets, quotes = side[0], side[1], side[2]
    tag, form, index, bracket, inside = quotes[number]
    words[index:index] = [[tag, form]]
    for place, item in enumerate(brackets):
        if place >= bracket:
            item[1] += 1
            item[2] += 1
        elif place in inside:
            item[2] += 1
    for place in range(number, len(quotes)):
        quotes[place][2] += 1


def repair(gold, test, rules):
    deleted = rules["DELETE_LABEL"]
    for t in range(len(test[2])):
        place = test[2][t][2]
        for g in range(len(gold[2])):
            gold_tag, test_tag = gold[2][g][0], test[2][t][0]
            if gold[2][g][2] == place and gold_tag != test_tag:
                if gold_tag in deleted and test_tag not in deleted:
                    insert_quote(gold, g)
                elif test_tag in deleted and gold_tag not in deleted:
                    insert_quote(test, t)


def counted(brackets, rules):
    kept = []
    for label, start, end in brackets:
        cut = min((label + "-").index("-"), (label + "=").index("="))
        short = label[:cut]
        if start != end and not any(equal(short, gone, rules["EQ_LABEL"]) for gone in rules["DELETE_LABEL"]):
            kept.append((short, start, end))
    return kept


def score_line(gold_line, test_line, rules):
    """Length, status, matched, gold, test, crossing, words, right tags."""
    gold, test = read_line(gold_line, rules), read_line(test_line, rules)
    length = gold[3]
    status = 1 if gold[4] or test[4] else 0
    if not test[0]:
        return [length, 2, 0, 0, 0, 0, 0, 0]
    if len(gold[0]) != len(test[0]):
        repair(gold, test, rules)
    if len(gold[0]) != len(test[0]):
        return [length, 1, 0, 0, 0, 0, 0, 0]
    if not all(equal(a[1], b[1], rules["EQ_WORD"]) for a, b in zip(gold[0], test[0], strict=True)):
        return [length, 1, 0, 0, 0, 0, 0, 0]
    tags = sum(equal(a[0], b[0], rules["EQ_LABEL"]) for a, b in zip(gold[0], test[0], strict=True))
    ours, theirs = counted(gold[1], rules), counted(test[1], rules)
    free, matched = list(theirs), 0
    for label, start, end in ours:
        for other in free:
            if other[1:] == (start, end) and (not rules["LABELED"] or equal(label, other[0], rules["EQ_LABEL"])):
                free.remove(other)
                matched += 1
                break
    crossing = sum(any(cross(a, b) for a in ours) for b in theirs)
    return [length, status, matched, len(ours), len(theirs), crossing, len(gold[0]), tags]


def cross(one, other):
    _, a, b = one
    _, c, d = other
    return a < c < b < d or c < a < d < b


def summary(rows):
    """EVALB's summary of rows as text figures."""
    valid = [row for row in rows if row[1] == 0]
    n = len(valid)
    matched, gold, test, crossing, words, tags = (sum(row[k] for row in valid) for k in range(2, 8))

    def share(part, whole):
        return f"{100.0 * part / whole if whole else 0.0:.2f}"

    recall = 100.0 * matched / gold if gold else 0.0
    precision = 100.0 * matched / test if test else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else None
    return {
        "Number of sentence": str(len(rows)),
        "Number of Error sentence": str(sum(row[1] == 1 for row in rows)),
        "Number of Skip  sentence": str(sum(row[1] == 2 for row in rows)),
        "Number of Valid sentence": str(n),
        "Bracketing Recall": f"{recall:.2f}",
        "Bracketing Precision": f"{precision:.2f}",
        "Bracketing FMeasure": "-nan" if f1 is None else f"{f1:.2f}",
        "Complete match": share(sum(row[2] == row[3] == row[4] for row in valid), n),
        "Average crossing": f"{crossing / n if n else 0.0:.2f}",
        "No crossing": share(sum(row[5] == 0 for row in valid), n),
        "2 or less crossing": share(sum(row[5] <= 2 for row in valid), n),
        "Tagging accuracy": share(tags, words),
    }
