"""At which numbers of answers and at which arguments a complete mechanism is tested."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from kolahal.engine.engines import choose_engine
from kolahal.engine.faults import RunError
from kolahal.engine.outputs import NUMBER, Outputs
from kolahal.engine.tape import Tape
from kolahal.inputs.arguments import MOST_ASKED, ArgumentValues, typical_values
from kolahal.lang.places import answers_needed, reads_fixed_places_alone
from kolahal.lang.sketch import Sketch, Type
from kolahal.model import Arguments
from kolahal.settings import TesterSettings
from kolahal.tester.runs import Question, afford, cost_of_a_run, run_all

ENDLESS = "K404"
AT_ONCE = 2  # settings of the arguments at the smallest size


def enumerate_questions(sketch: Sketch, epsilon: Fraction, settings: TesterSettings, seed: int) -> tuple[Question, ...]:
    """Questions at the sizes and arguments that are most likely to show a violation."""
    engine = choose_engine(sketch, total_runs=10 * settings.test_runs).name
    whole, declared = {p.name for p in sketch.arguments if p.type is Type.INT}, sketch.private.count

    def at(size: int, values: ArgumentValues) -> Question:
        """A cut-off after N answers costs its full price only where there are more answers than that."""
        more = [2 * int(value) + 1 for name, value in values if name in whole]
        size = max([size, *(length for length in more if length <= MOST_ASKED)]) if declared is None else size
        return Question(sketch, (), Arguments(epsilon, size, values), settings, seed, engine)

    usual = sketch.sizes(settings.sizes)
    values = typical_values(sketch, epsilon, usual[0])
    sizes = sketch.sizes(settings.joint_sizes) if _is_joint(_sample(at(usual[0], values[0]))) else usual
    needed = answers_needed(sketch)
    sizes = sketch.sizes((*sizes, needed) if max(sizes) < needed <= MOST_ASKED else sizes)
    # Several arguments at the smallest size, and one after the other at the larger ones, which take longer.
    small = [at(sizes[0], chosen) for chosen in values[:AT_ONCE]]
    large = [at(size, values[(turn + AT_ONCE) % len(values)]) for turn, size in enumerate(sizes[1:])]
    asked = tuple(dict.fromkeys((*small, *large)))
    # A program that stops with a fault on some sizes is asked about the others; one that always does says so itself.
    fit = tuple(question for question in asked if _sample(question) is not None) or asked
    cost = max(cost_of_a_run(sketch, (), question.arguments) for question in fit)
    return (*(replace(question, settings=afford(settings, cost)) for question in fit), *_look_further(fit))


def _look_further(fit: tuple[Question, ...]) -> tuple[Question, ...]:
    """A look at many more answers, with less effort; StatDP has none."""
    first = fit[0]
    longer = first.settings.longer if first.settings.method == "paired" else 0
    if first.sketch.private.count is not None or not longer or reads_fixed_places_alone(first.sketch):
        return ()
    arguments = replace(first.arguments, size=longer * max(question.arguments.size for question in fit))
    far = replace(first, arguments=arguments)
    if not arguments.kept_by(first.sketch) or _sample(far) is None:
        return ()
    little = replace(first.settings, bases=1, climbed=1, climbs=4)
    return (replace(far, settings=afford(little, cost_of_a_run(first.sketch, (), arguments))),)


def _sample(question: Question) -> Outputs | None:
    """A few answers, or None where the program stops with a fault."""
    try:
        cost_of_a_run(question.sketch, question.scales, question.arguments)  # one run without an end takes less than 64
        return run_all(question, (Fraction(0),) * question.arguments.size, Tape((question.seed, 0, 0), 64))
    except RunError as error:
        if any(diagnostic.code == ENDLESS for diagnostic in error.diagnostics):
            raise
        return None


def _is_joint(outputs: Outputs | None) -> bool:
    """Whether every answer is a list of several numbers, on which only joint events show the whole loss."""
    if outputs is None or (outputs.lengths < 2).any():
        return False
    return bool((outputs.kinds[:2] == NUMBER).all())
