"""A taxonomy with the interface that NLTK's reader of WordNet has."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Sense:
    """A sense of words."""

    key: str
    above: list[Sense] = field(default_factory=list)
    instance_of: list[Sense] = field(default_factory=list)
    gloss: str = ""

    def name(self):
        return self.key

    def pos(self):
        return self.key.split(".")[-2]

    def hypernyms(self):
        return self.above

    def instance_hypernyms(self):
        return self.instance_of

    def definition(self):
        return self.gloss


ENTITY = Sense("entity.n.01", gloss="that which is")
ANIMAL = Sense("animal.n.01", [ENTITY], gloss="a living being that moves")
THING = Sense("thing.n.01", [ENTITY], gloss="what has no life")
DOG = Sense("dog.n.01", [ANIMAL], gloss="an animal that barks")
PET = Sense("pet.n.01", [ANIMAL], gloss="an animal kept at home")
POODLE = Sense("poodle.n.01", [DOG, PET], gloss="a dog with curls")
SAUSAGE = Sense("dog.n.02", [THING], gloss="a sausage in bread")
REX = Sense("rex.n.01", [], [DOG], gloss="the dog next door")
MOVE = Sense("move.v.01", gloss="change place")
RUN = Sense("run.v.01", [MOVE], gloss="move fast on feet")
DOG_VERB = Sense("dog.v.01", [MOVE], gloss="follow as a dog does")
THINK = Sense("think.v.01", gloss="use the mind")
FAST = Sense("fast.a.01", gloss="which moves at speed")

WORDS = {
    "entity": [ENTITY], "animal": [ANIMAL], "thing": [THING], "dog": [DOG, SAUSAGE, DOG_VERB], "pet": [PET],
    "poodle": [POODLE], "rex": [REX], "move": [MOVE], "run": [RUN], "think": [THINK], "fast": [FAST],
}  # fmt: skip
SENSES = list({sense.name(): sense for senses in WORDS.values() for sense in senses}.values())


class ToyReader:
    """Looks up senses."""

    def synsets(self, word, pos=None):
        return [sense for sense in WORDS.get(word, []) if pos in (None, sense.pos())]
