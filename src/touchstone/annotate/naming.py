"""Pseudonyms: in exports and for adjudicators, annotators have numbers instead of names.

Everybody who begins an answer in a project gets a number at random, which stays the same. Managers see who has which.
"""

import random
from collections import Counter

from sqlalchemy import select
from sqlalchemy.orm import Session

from touchstone.annotate.accounts import Person
from touchstone.annotate.database import take_turn
from touchstone.annotate.tables import Account, Answer, Project, Pseudonym

SPARE = 9
"""How many numbers beyond the next one may be drawn, so that a number does not tell who came when."""


def give_pseudonym(session: Session, project: Project, account_id: int) -> None:
    """Give an account a number in a project, unless it has one."""
    if session.get(Pseudonym, (project.id, account_id)) is not None:
        return
    take_turn(session, f"pseudonym {project.id}")
    taken = set(session.scalars(select(Pseudonym.number).where(Pseudonym.project_id == project.id)))
    free = [number for number in range(1, len(taken) + 1 + SPARE) if number not in taken]
    number = random.SystemRandom().choice(free)
    session.add(Pseudonym(project_id=project.id, account_id=account_id, number=number))


def pseudonyms(session: Session, project: Project) -> dict[int, str]:
    """Return the pseudonym of each account that has one in a project."""
    query = select(Pseudonym.account_id, Pseudonym.number).where(Pseudonym.project_id == project.id)
    return {account: f"annotator-{number}" for account, number in session.execute(query)}


def display_names(session: Session, project: Project) -> dict[int, str]:
    """Return the pseudonyms of a project that hides names: who is called otherwise is called by name on all pages."""
    return pseudonyms(session, project) if hides_names(project) else {}


def real_names(session: Session, project: Project) -> dict[int, str]:
    """Return the name of each account that has answered in a project, followed by the address if two share it."""
    query = select(Account.id, Account.name, Account.email).join(Pseudonym, Pseudonym.account_id == Account.id)
    people = session.execute(query.where(Pseudonym.project_id == project.id)).all()
    counts = Counter(name for _, name, _ in people)
    return {account: name if counts[name] == 1 else f"{name} ({email})" for account, name, email in people}


def author_of(session: Session, project: Project, answer: Answer) -> str:
    """Return what the author of an answer is called for everybody: pages write it into the history, which others read.

    An imported answer keeps the name in its file.
    """
    if answer.account_id is None or answer.kind == "adjudicated" or not hides_names(project):
        return answer.author_name
    return _pseudonym(session, project, answer.account_id)


def name_for(session: Session, person: Person, project: Project, account_id: int | None, name: str) -> str:
    """Return what an account called *name* is called for a person: a pseudonym, unless the project shows names."""
    if account_id in (None, person.id) or not hides_names(project):
        return name
    return _pseudonym(session, project, account_id)


def _pseudonym(session: Session, project: Project, account_id: int | None) -> str:
    row = session.get(Pseudonym, (project.id, account_id))
    return f"annotator-{row.number}" if row else "somebody"


def hides_names(project: Project) -> bool:
    """Return whether exports and adjudicators get pseudonyms."""
    return bool(project.settings.get("pseudonyms", True))
