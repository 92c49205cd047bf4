"""Finds hard sentences for scripts/docs_check, in the pages and in the comments of C++ files.

An offender is
  a sentence, a list item or a table cell of more than 25 words (a piece in code marks is one word);
  a heading, a list item, a table cell or a comment that begins with Of, Who, Whether or What and is no question.
"""
import re

MOST_WORDS = 25
LABEL = re.compile(r"^(Of|Who|Whether|What)\b[^?]*$")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[A-Z\"'(*`_[])")
CODE = re.compile(r"`+[^`]*`+")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
WORD = re.compile(r"[A-Za-z0-9]")


def plain(text):
    return re.sub(r"[*_]{1,2}", "", CODE.sub("Code", LINK.sub(r"\1", text))).strip()


def sentences(text):
    return [part for part in SENTENCE_END.split(plain(text)) if part]


def words(sentence):
    return sum(1 for word in sentence.split() if WORD.search(word))


def offences(number, text, is_label):
    """(line, what) of a piece of running text that begins in this line."""
    found = [(number, f"a sentence of {words(one)} words: {one[:70]}") for one in sentences(text) if words(one) > MOST_WORDS]
    if is_label and LABEL.match(plain(text)):
        found.append((number, f"begins with {plain(text).split()[0]}: {plain(text)[:70]}"))
    return found


def pieces_of_page(text):
    """(line, text, is_label) of each paragraph, list item, heading and table cell, code blocks left out."""
    piece, began, label, in_code = [], 0, False, False

    def close():
        if piece:
            yield began, " ".join(piece), label

    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        starts = re.match(r"^(#+|[-*+]|\d+\.)\s+(.*)$", stripped)
        if stripped.startswith("```"):
            yield from close()
            piece, in_code = [], not in_code
        elif in_code:
            continue
        elif not stripped or stripped.startswith("|") or starts:
            yield from close()
            piece = []
            if starts:
                piece, began, label = [starts.group(2)], number, True
                if stripped.startswith("#"):
                    yield from close()
                    piece = []
            elif stripped.startswith("|") and not re.match(r"^[|:\s-]+$", stripped):
                for cell in stripped.strip("|").split("|"):
                    yield number, cell.strip(), True
        elif piece:
            piece.append(stripped)
        else:
            piece, began, label = [stripped], number, False
    yield from close()


def pieces_of_source(text):
    """The same of each comment: lines that begin with //, joined, and a comment behind code by itself."""
    piece, began = [], 0
    for number, line in enumerate(text.splitlines(), 1):
        whole = re.match(r"^\s*//+\s?(.*)$", line)
        if whole and whole.group(1).strip():
            piece, began = piece + [whole.group(1).strip()], began if piece else number
            continue
        if piece:
            yield began, " ".join(piece), True
            piece = []
        behind = None if whole else re.match(r'^[^"]*?\S\s+//\s+(.*)$', line)
        if behind:
            yield number, behind.group(1).strip(), True
    if piece:
        yield began, " ".join(piece), True


def offenders(path):
    text = path.read_text(encoding="utf-8")
    pieces = pieces_of_page(text) if path.suffix == ".md" else pieces_of_source(text)
    return [offence for piece in pieces for offence in offences(*piece)]
