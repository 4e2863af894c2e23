"""Every fault of a sketch: its code, what is wrong, why that matters, and what to type.

A code stands for one thing and has its words here, once. Words in braces are filled in where the fault is found.
Faults of a running program, K4xx, are in `engine/faults.py`.
"""

from __future__ import annotations

from typing import NamedTuple


class Words(NamedTuple):
    what: str
    why: str
    fix: str


FAULTS: dict[str, Words] = {
    # ---- the file
    "K001": Words(
        "there is no such file",
        "The sketch is read from a file or from the gallery.",
        "Check the path; `kolahal show` without a name lists the gallery.",
    ),
    "K002": Words(
        "the file cannot be read: {reason}",
        "A sketch is a function in a Python file.",
        "Give the path of one file that you may read, such as sketches/svt.py.",
    ),
    "K003": Words(
        "the file has more than {most:.0f} MB",
        "A sketch is a short function; reading files of this size would take gigabytes of memory.",
        "Copy the sketch into a file of its own.",
    ),
    "K004": Words(
        "the file is not UTF-8 text",
        "Python source is UTF-8 unless its first lines say otherwise.",
        "Save the file as UTF-8, or declare its encoding in the first line.",
    ),
    "K005": Words(
        "this is not Python: {reason}",
        "The file must be valid Python before it can be read as a sketch.",
        "Mend the syntax at this place.",
    ),
    "K006": Words(
        "this is nested more than {most} levels deep",
        "Programs of that shape are not read, so that a hostile file cannot exhaust the machine.",
        "Give parts of it names of their own: a + b + c nests as deep as it has terms.",
    ),
    "K007": Words(
        "there is no sketch in this file",
        "A sketch is a function with the decorator @sketch(adjacent=…).",
        "Write @sketch(adjacent=each_within(1)) above the function, or have noise added to a plain one: kolahal synth --auto.",
    ),
    "K008": Words(
        "there is no sketch called {name} in this file",
        "The file has: {have}.",
        "Write for example {example}.",
    ),
    "K009": Words(
        "a second sketch is called `{name}`",
        "Python would forget the first one, and path.py:{name} could mean both.",
        "Give each sketch a name of its own.",
    ),
    "K010": Words(
        "this sketch has more than {most} parts",
        "Programs of that size are not read, so that a hostile file cannot exhaust the machine.",
        "Use a loop instead of repeating statements.",
    ),
    "K011": Words(
        "this is the private program of a sketch over records",
        "The mechanism in it sees aggregates alone: how far one record moves them stands in the sketch that it was written from.",
        "Check that sketch, or the proof itself: kolahal verify certificate.json.",
    ),
    # ---- statements and expressions
    "K101": Words(
        "a sketch has no `{word}` statement",
        "A sketch has assert at the top, assignments, if, while, for, break, continue, append and return.",
        "Write it with these, or do it outside the sketch.",
    ),
    "K102": Words(
        "a sketch has no `{name}(…)` call",
        "Calls of a sketch are len, max, min, abs, sum, any, all, sorted, range, functions of the same file, and the noises.",
        "{fix}",
    ),
    "K103": Words(
        "a sketch has no place for {thing}",
        "Expressions are numbers, names, arithmetic, comparisons, and/or/not, if/else, items, lists and noise.",
        "{fix}",
    ),
    "K104": Words("a sketch has no operator `{sign}`", "Arithmetic is + - * / // %.", "{fix}"),
    "K105": Words("`{word}` cannot be used here", "Comparisons are < <= > >= == !=, and `x is None`.", "{fix}"),
    "K106": Words(
        "`{name}.{method}(…)` cannot be used like this",
        "Methods of lists are append(x), insert(0, x), extend(xs) and sort().",
        "Write {name}.append(x) or {name}.insert(0, x).",
    ),
    "K107": Words(
        "`{target}` cannot be assigned",
        "Names are assigned, and items of lists that the sketch made: out[i] = x.",
        "Assign to a name or an item, or build a new list with append.",
    ),
    "K108": Words(
        "each name needs one value of its own, written out",
        "A sketch unpacks only values that stand on the same line, or that a helper returns so.",
        "Write for example `m, v = None, None`.",
    ),
    "K109": Words(
        "a loop has no `else`",
        "Whether it runs depends on how the loop ended, which readers miss.",
        "Set a flag before `break`, and test it after the loop.",
    ),
    "K110": Words(
        "a loop cannot run over `{thing}`",
        "Loops run over range(…) or over a list, also by enumerate, zip and reversed.",
        "Write `for i in range(len(q)):` or `for x in q:`.",
    ),
    "K111": Words("`range` takes one to three numbers", "They are start, stop and step.", "Write range(len(q))."),
    "K112": Words(
        "a hole must be the whole scale",
        "Kolahal chooses the complete scale, so a part of one cannot be kept.",
        "Write {noise}(hole), and give the factor to the grammar.",
    ),
    "K113": Words(
        "`{noise}` takes one value, the scale",
        "The centre is added to it: q[i] + Lap(hole).",
        "Write {noise}(hole) or {noise}(2/eps).",
    ),
    "K114": Words(
        "this is not a scale: {reason}",
        "A scale is a number above 0 times powers of eps, of public arguments and of len(q), the same for the whole run.",
        "Write for example 2/eps or 4*N/eps.",
    ),
    "K115": Words(
        "`hole` stands outside a noise call",
        "A hole is an unknown scale of noise, nothing else.",
        "Write Lap(hole) or Exp(hole).",
    ),
    "K116": Words(
        "`insert` puts an item at the front only",
        "Lists of a sketch grow at their two ends.",
        "Write {name}.insert(0, x) or {name}.append(x).",
    ),
    "K117": Words(
        "`any` and `all` have one `for` here, and no comprehension is `async`",
        "They stop at the first item that decides, in one loop.",
        "Write loops with `break`, or any([…]) with a list of all items.",
    ),
    "K118": Words(
        "a sketch has no {kind}",
        "Values are numbers, True, False, None, short texts of one line, and lists of these.",
        "Use a number, a truth value or a label instead.",
    ),
    "K119": Words(
        "this slice has an odd step",
        "A part of a list goes forward by a number that is written out, or is the whole list backwards: [::-1].",
        "Loop over the places that you need.",
    ),
    "K120": Words(
        "`return` gives nothing back",
        "Every run of a sketch ends with an output.",
        "Write `return None` if the output is None.",
    ),
    "K121": Words(
        "the middle of a chained comparison must be free of noise and of comparisons",
        "It stands in two comparisons and would be computed twice.",
        "Give it a name first, or write two comparisons with `and`.",
    ),
    "K122": Words("`{name}` takes {want}", "Calls of a sketch have plain values in a fixed order.", "{fix}"),
    "K123": Words(
        "this value is computed and then lost",
        "A statement of a sketch assigns, branches, loops, grows a list or returns.",
        "Assign it to a name, or remove it.",
    ),
    "K124": Words(
        "`{word}` stands outside a loop",
        "There is no loop that it could leave or repeat.",
        "Remove it, or use `return`.",
    ),
    "K125": Words(
        "a loop has one plain variable",
        "Each turn gives one value; only enumerate and zip give several.",
        "Write `for i in range(len(q)):` and take q[i] in the body.",
    ),
    "K126": Words("this number is too large", "Numbers of a sketch fit into a double.", "Write a smaller number."),
    "K127": Words(
        "`{name}` changes while the loop runs over it",
        "Which items the loop then sees is easy to misread.",
        "Change another list, or loop over a copy: `for x in [x for x in {name}]:`.",
    ),
    "K128": Words(
        "an item of `{name}` is assigned, and `{name}` belongs to the caller",
        "A sketch changes only lists that it made.",
        "Make a list of your own first: out = [x for x in {name}].",
    ),
    "K129": Words(
        "`assert` is for public inputs, and stands at the top",
        "It says which calls are refused before anything runs; a refusal further down, or by private answers, would tell of them.",
        "Write for example `assert N > 0` above all other statements, or use `if` and `return`.",
    ),
    # ---- decorator and parameters
    "K130": Words(
        "@sketch needs one relation between databases, and nothing else",
        "Privacy is relative to which databases are neighbours.",
        "Write @sketch(adjacent=each_within(1)), or one_within, sum_within, monotone.",
    ),
    "K131": Words(
        "`{thing}` is not a relation between databases",
        "The relations are {relations}, each with a distance.",
        "Write for example each_within(1).",
    ),
    "K132": Words(
        "`{name}` takes one distance, a number above 0",
        "The distance is how far an answer may move between neighbours.",
        "Write for example {name}(1).",
    ),
    "K133": Words(
        "a sketch has only the decorator @sketch",
        "Another decorator could change what the function does.",
        "Remove it, or put it on a function that calls the finished mechanism.",
    ),
    "K134": Words(
        "a sketch cannot be `async`",
        "A sketch runs from top to bottom, with nothing to wait for.",
        "Write `def` instead of `async def`.",
    ),
    "K135": Words(
        "the parameter `{name}` is not a plain one",
        "A sketch has a fixed list of named parameters.",
        "Write every parameter by name, without *, ** or /.",
    ),
    "K136": Words(
        "the parameter `{name}` has {what}",
        "The type says whether it is private, the budget, or a public argument.",
        "Write {name}: Private, {name}: Epsilon (or Rho, Mu, Delta), or int, float, bool for a public argument.",
    ),
    "K137": Words(
        "no parameter is marked `{role}`",
        "A sketch has one private input and one privacy budget.",
        "Annotate it: {example}.",
    ),
    "K138": Words(
        "a second parameter is marked `{role}`",
        "A sketch has one private input and one privacy budget.",
        "Keep one of them; all private answers go into one list.",
    ),
    "K139": Words("a second parameter is called `{name}`", "Python does not allow it.", "Choose another name."),
    "K140": Words("`{value}` cannot be a default here", "A default is a representative public value.", "{fix}"),
    "K141": Words(
        "`{name}` has a meaning of its own",
        "Giving the name to something else would hide that meaning.",
        "Choose another name.",
    ),
    "K142": Words(
        "`{what}` says nothing of the private answers in `{name}`",
        "They may be declared whole, truth values, a fixed number of them, or both.",
        "Write Private, Private[int], Private[bool], Private[7] or Private[bool, 7].",
    ),
    "K143": Words(
        "whole answers do not move by {distance}",
        "Private[int] and Private[bool] say that neighbours differ by whole numbers.",
        "Write a whole distance, or Private for answers that need not be whole.",
    ),
    "K144": Words(
        "`{name}` is given another meaning here",
        "A sketch of this file uses {whose} `{name}`, and Python would run it with what the name means then.",
        "{fix}",
    ),
    "K145": Words(
        "`{thing}` can give names another meaning",
        "Which names it changes cannot be read here, and a sketch is judged by what its names mean.",
        "Do this in a file without sketches.",
    ),
    "K146": Words(
        "`{name}` is not {meant} here",
        "By the text of the file it is, and in the running program it is {found}; only one of them can be judged.",
        "Give the name to nothing else, here and wherever this file is used.",
    ),
    "K147": Words(
        "the name of the sketch `{name}` is given to something else here",
        "Whoever imports `{name}` from this file gets that, and not what was judged.",
        "Choose another name for it.",
    ),
    # ---- helper functions
    "K148": Words(
        "`{noise}` noise under a pure budget",
        "Gaussian noise has no bound on its loss: no scale makes it ε-private.",
        "Claim rho: Rho, mu: Mu, or (ε, δ) with eps: Epsilon, delta: Delta; or use Lap.",
    ),
    "K149": Words(
        "`{name}` is marked `{role}` beside {other}",
        "A program claims one of ε, ρ, μ, or ε and δ together.",
        "{fix}",
    ),
    "K150": Words(
        "`{name}(…)` cannot be read here: {reason}",
        "A function of the same file is read where it is called, as if its statements stood there.",
        "{fix}",
    ),
    "K151": Words(
        "`{name}` calls itself",
        "A function of the same file is read where it is called, which would never end.",
        "Write a loop.",
    ),
    "K152": Words(
        "a hole cannot be handed to `{name}`, nor stand in it",
        "A hole belongs to one place of the sketch itself, and a helper may be called from many.",
        "Draw the noise in the sketch, and hand it over: {name}(x + Lap(hole)); or write a known scale in the helper.",
    ),
    # ---- records
    "K153": Words(
        "`choose` needs a list of scores and a scale",
        "It draws a place of the list, the likelier the higher its score.",
        "Write choose(scores, hole).",
    ),
    "K154": Words(
        "`Pick` needs a scale and how many numbers there are",
        "It draws one of 0, 1, …, k - 1, and k is written out: a whole number from 2 to {most}.",
        "Write Pick(hole, 3).",
    ),
    "K156": Words(
        "`Noise` with a scale",
        "It leaves the family of the noise open, and the same scale means another noise in each family.",
        "Write Noise(hole), or name the family: {example}.",
    ),
    "K160": Words(
        "{relation} says how answers move, and the private input is a list of records",
        "Neighbouring lists of records differ by records: one more or fewer, or one changed. That is a factor of 2 for many programs.",
        "Write @sketch(adjacent=add_remove(1)), or replace(1) where the number of records is public.",
    ),
    "K161": Words(
        "{relation} says which records differ, and the private input is a list of answers",
        "How far an answer moves when a record does is not known here.",
        "Declare the records themselves, as in rows: Records, or write each_within(1).",
    ),
    "K162": Words(
        "{name} needs a whole number of records from 1 to {most}",
        "It says how many records one person may have.",
        "Write {name}(1).",
    ),
    "K163": Words(
        "records cannot hold {what}",
        "Records are numbers, or rows of a NamedTuple or dataclass at the top of the same file.",
        "Write Records, Records[Between(0, 1)], or Records[Row] with class Row(NamedTuple).",
    ),
    "K164": Words(
        "the field {name} has a type that records do not have: {what}",
        "A field is float, int, bool, Between(low, high), Between(low, high, whole=True), or Literal with texts.",
        "Give it one of these types.",
    ),
    "K165": Words(
        "`{thing}` has no place in a program over records",
        "{why}, so that a single record can be followed through the program.",
        "Write len(rows), sum(f(r) for r in rows if c(r)), max or min with default=, any, all, or a loop that adds up; no sorting, no rows[i].",
    ),
    "K166": Words(
        "{thing} carries a value from one record to the next",
        "A loop over records adds up: each record counts by itself, whatever the others are.",
        "Write total += f(r), with `if` and `continue`; for the largest value, max(f(r) for r in rows).",
    ),
    "K167": Words(
        "`{thing}` has no place in an aggregate: {reason}",
        "How far one record can move an aggregate is computed from what stands in it.",
        "Write it with + - * /, comparisons, if, max, min, abs and clip(x, low, high).",
    ),
    "K168": Words(
        "`{name}` is not known where an aggregate reads it",
        "An aggregate reads the record, numbers, constants of the file, public arguments, variables of loops, and numbers that the program has computed by then.",
        "Give it a number on every way to this place, make it a parameter, or write the number itself.",
    ),
    "K169": Words("the program reads more than {most} aggregates", "Each way in which they move together is looked at.", "Use fewer bins."),
    "K170": Words(
        "this cannot count in `{name}`: {reason}",
        "Where a record falls outside the list, Python stops with an error, and that would tell of the record.",
        "Make the list before the loop, as in {name} = [0] * 7, and declare the field Between(0, 6, whole=True); a dictionary has every label of its field.",
    ),
    "K171": Words(
        "how far one record moves the aggregates cannot be computed: {reason}",
        "Every way in which a record can fall into the conditions of the aggregates is looked at.",
        "Clip the values, or use fewer fields and conditions at once.",
    ),
    "K172": Words(
        "{name} of records needs a default",
        "Of no records there is none, and that a list is empty must not show.",
        "Write {name}((f(r) for r in rows), default=0).",
    ),
    "K173": Words(
        "`{name}` is used behind its loop, or changed in it",
        "The loop goes over written values, each of which has aggregates of its own; behind it only the last place is known.",
        "Write for i in range(3) with the place i, or give the value another name inside the loop.",
    ),
    "K174": Words(
        "`{thing}` cannot stand beside bins whose number is an argument",
        "{why}: then one record can be followed through any number of them.",
        "Write the number of bins, as in range(7), or read one list of bins alone.",
    ),
    "K175": Words(
        "`{thing}` depends on values of the run, and cannot be asked here",
        "{why}. Each such question is asked once, so that what one record moves can be followed from question to question.",
        "Ask it outside loops, or once a turn of `for i in range(K)`, with all that it needs in one sum.",
    ),
    "K176": Words(
        "this hole is added to a quotient by the number of records", "How much noise a mean needs depends on how many there are.",
        "Add the noise before: (sum(…) + Lap(hole)) / len(rows).",
    ),
    # ---- kinds of values, lists, and how a run ends
    "K201": Words(
        "`{name}` has no value",
        "It is neither a parameter nor assigned anywhere in the sketch.",
        "Check its spelling, assign it first, or make it a parameter.",
    ),
    "K202": Words("a number is needed here, not {kinds}", "Arithmetic and order are for numbers only.", "{fix}"),
    "K203": Words(
        "a truth value is needed here, not {kinds}",
        "Python's rules for what counts as true are easy to misread, so conditions are spelled out.",
        "{fix}",
    ),
    "K204": Words(
        "{left} cannot be compared with {right}",
        "Numbers are compared with numbers, and truth values with truth values.",
        "Compare values of one kind.",
    ),
    "K205": Words("`{name}` is not a list", "It holds {kinds}.", "Use a list here; a new one is {name} = []."),
    "K206": Words(
        "`{name}` is {kinds}",
        "A name is a list always or never, so that runs can be compared.",
        "Use two names.",
    ),
    "K207": Words(
        "a list stands where one value is needed",
        "Lists hold numbers, truth values and None, not other lists.",
        "Append its items one by one.",
    ),
    "K208": Words(
        "`{name}` belongs to the caller and cannot grow",
        "A sketch changes only lists that it made.",
        "Make a list of your own: out = [].",
    ),
    "K209": Words(
        "`{name}` and `{other}` would be the same list",
        "When one grows, the other does too, which is easy to miss.",
        "Copy it: {name} = [x for x in {other}].",
    ),
    "K210": Words(
        "`{name}` grows while the loop runs over it",
        "Such a loop may never end.",
        "Append to another list.",
    ),
    "K211": Words(
        "a run can end here without an output",
        "Every run of a sketch ends with `return`.",
        "Add a `return` at the end of the function.",
    ),
    "K212": Words(
        "a number is needed here, and this is always None",
        "Arithmetic and order are for numbers only.",
        "Give it a number first.",
    ),
    "K213": Words(
        "`{name}` is the privacy budget and cannot change",
        "Every scale refers to the budget that the caller gave.",
        "Use another name, such as {name}1 = {name} / 2.",
    ),
    "K214": Words(
        "this loop never ends",
        "It has no `break` and no `return`.",
        "Give it a condition, or leave it with `break`.",
    ),
    "K215": Words(
        "`{name}` of this comprehension hides a parameter",
        "Inside it, the parameter could no longer be read.",
        "Choose another name.",
    ),
    "K216": Words("the step of a range is 0", "Such a loop never moves.", "Write a step other than 0."),
    "K217": Words(
        "{place} must be a whole number",
        "This may be a fraction: it comes from noise, a division, or a float.",
        "Use whole numbers, and // instead of /.",
    ),
    "K218": Words(
        "`len({name})` is not fixed here",
        "A scale is the same for the whole run, and `{name}` is given a list of another length in this sketch.",
        "Use another name for the new list.",
    ),
    "K219": Words(
        "`{name}` may have no list here",
        "Not every way to this place assigns one.",
        "Write {name} = [] before the branch or loop.",
    ),
    "K220": Words(
        "this answer is {kind}, and that of line {line} is {other}",
        "Python tells (x, 1) from [x, 1], so which of the two comes back would be a part of the answer.",
        "Write all answers of several values with square brackets, or none.",
    ),
    "K221": Words(
        "{what} is a text in one place and a number in another",
        "To engines and proofs a text is one of finitely many values, which no number may be taken for.",
        "Answer with texts everywhere, or with numbers, or return both as (label, number).",
    ),
}
