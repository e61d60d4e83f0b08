"""Projects: their settings and their members."""

from collections.abc import Mapping

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from touchstone.annotate import audit, qualifying
from touchstone.annotate.accounts import (
    InvitedRole,
    Person,
    account_with,
    checked_role,
    invitation_of,
    invite,
    use_invitation,
)
from touchstone.annotate.audit import Actor
from touchstone.annotate.database import stored, take_turn
from touchstone.annotate.refusals import Refusal, forbidden, invalid, not_found, required, visible
from touchstone.annotate.tables import Account, Assignment, Invitation, Item, Member, Project, now
from touchstone.annotate.tasks import TASKS
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.io.jsonl import Json

PASS_MARK = 0.8
"""The default share of a qualification test that must be correct."""

LONGEST_NOTE = 20_000


def create_project(
    session: Session, actor: Actor, name: str, task: str, settings: Mapping[str, Json] | None = None
) -> Project:
    """Create a project, with its creator as its manager.

    Parameters
    ----------
    session
        A session to write with.
    actor
        Who creates it.
    name
        A name that no other project has.
    task
        The name of the task.
    settings
        Settings; the others get their defaults.
    """
    if task not in TASKS:
        raise invalid(f"there is no task {task[:40]!r}", hint=f"tasks are {', '.join(TASKS)}")
    trimmed = check_name(session, name)
    row = Project(name=trimmed, task=task, settings=checked_settings(task, settings or {}), created_by=actor[0])
    project = stored(session, row)
    if actor[0] is not None:
        session.add(Member(project_id=project.id, account_id=actor[0], role="manager"))
    audit.record(session, actor, "create", "project", project.id, project_id=project.id, detail={"name": trimmed})
    return project


def checked_settings(task: str, settings: Mapping[str, Json]) -> dict[str, Json]:
    """Return checked settings with defaults: pass mark, note for annotators, pseudonyms, and those of the task."""
    task_settings = dict(settings)
    pass_mark = task_settings.pop("pass_mark", PASS_MARK)
    note = task_settings.pop("note", "")
    hidden = task_settings.pop("pseudonyms", True)
    if isinstance(pass_mark, bool) or not isinstance(pass_mark, int | float) or not 0 <= pass_mark <= 1:
        raise invalid("the pass mark must be a share from 0 to 1")
    if not isinstance(note, str) or len(note) > LONGEST_NOTE:
        raise invalid(f"the note must be a text of at most {LONGEST_NOTE:,} characters")
    if not isinstance(hidden, bool):
        raise invalid("pseudonyms must be true or false")
    return {"pass_mark": pass_mark, "note": note, "pseudonyms": hidden, **TASKS[task].settings(task_settings)}


def check_name(session: Session, name: str) -> str:
    """Return the name of a new project without superfluous blanks; refuse one that another project has."""
    trimmed = " ".join(name.split())
    if not visible(trimmed).strip() or len(trimmed) > 200:
        raise invalid("the name of a project has 1 to 200 characters")
    if session.scalar(select(Project.id).where(Project.name == trimmed)) is not None:
        raise Refusal(409, "taken", "there is already a project with this name", hint="choose another name")
    return trimmed


def change_project(
    session: Session,
    actor: Actor,
    project: Project,
    version: int,
    *,
    name: str | None = None,
    settings: Mapping[str, Json] | None = None,
    archived: bool | None = None,
) -> None:
    """Change a project, unless somebody else changed it since *version*.

    Parameters
    ----------
    session
        A session to write with.
    actor
        Who changes it.
    project
        The project.
    version
        The version that the change is based on.
    name
        The new name, if any.
    settings
        Settings to change; the others stay.
    archived
        Whether to archive or restore the project, if given.
    """
    changed: dict[str, Json] = {}
    if name is not None and name != project.name:
        changed["name"] = check_name(session, name)
    if settings is not None:
        fixed = {key for key in settings if key == "judgement" and _has_items(session, project)}
        if any(settings[key] != project.settings.get(key) for key in fixed):
            raise invalid("the kind of judgement is fixed once there are items")
        changed["settings"] = checked_settings(project.task, {**project.settings, **settings})
    if archived is not None:
        changed["archived_at"] = (project.archived_at or now()) if archived else None
    query = update(Project).where(Project.id == project.id, Project.version == version)
    done = session.execute(query.values(version=version + 1, **changed).execution_options(synchronize_session=False))
    if done.rowcount != 1:  # type: ignore[attr-defined]
        current: Json = {"version": project.version, "name": project.name, "settings": project.settings}
        raise Refusal(409, "conflict", "somebody else changed this project", beside={"current": current})
    session.refresh(project)
    audit.record(session, actor, "change", "project", project.id, project_id=project.id, detail=changed)


def _has_items(session: Session, project: Project) -> bool:
    return session.scalar(select(Item.id).where(Item.project_id == project.id).limit(1)) is not None


def project_named(session: Session, name: str) -> Project:
    """Return the project with a name; an error names the most similar one."""
    project = session.scalar(select(Project).where(Project.name == " ".join(name.split())))
    if project is None:
        names = session.scalars(select(Project.name)).all()
        hint = f"projects: {', '.join(names[:10])}" if names else "there are none yet: use project create"
        raise TouchstoneError(
            "no such project", value=name, near=nearest(name, names), code=Code.UNKNOWN_NAME, hint=hint
        )
    return project


def add_member(session: Session, actor: Actor, project: Project, account_id: int, role: str = "annotator") -> None:
    """Add an account to a project with a role, unless it is a member; an annotator gets its test items at once."""
    account = session.get(Account, account_id)
    if account is None or account.disabled_at:
        raise not_found("account")
    if session.get(Member, (project.id, account_id)) is None:
        stored(session, Member(project_id=project.id, account_id=account_id, role=checked_role(role)))
        audit.record(session, actor, "add member", "account", account_id, project_id=project.id, detail={"role": role})
        _assign_tests(session, project, account_id, role)


def invite_member(
    session: Session, actor: Actor, secret: bytes, project: Project, email: str, role: str
) -> tuple[Invitation, str]:
    """Return a new invitation into a project and its token; whoever has an account joins by opening its link, too.

    An address alone proves nothing: somebody else may have created the account. The link goes to the address itself.

    Parameters
    ----------
    session
        A session to write with.
    actor
        Who invites.
    secret
        The secret of the installation, which tokens are hashed with.
    project
        The project.
    email
        The address of the person.
    role
        The role in the project.
    """
    account = account_with(session, email)
    if account is not None and account.disabled_at:
        raise forbidden("the account with this address is disabled", "an administrator can enable it")
    if account is not None and session.get(Member, (project.id, account.id)) is not None:
        raise Refusal(409, "taken", "this person is already a member", hint="change the role in the list of members")
    return invite(session, actor, secret, email, InvitedRole(project.id, checked_role(role)))


def join(session: Session, secret: bytes, person: Person, token: str) -> Project:
    """Make a person a member of the project of an invitation to their address, and return the project."""
    invitation = invitation_of(session, secret, token)
    if invitation.email != person.email:
        raise forbidden("this invitation is for another address", f"log in as {invitation.email}")
    if invitation.project_id is None:
        raise Refusal(409, "taken", "there is already an account with this address")
    use_invitation(session, invitation)
    project = session.get_one(Project, invitation.project_id)
    add_member(session, person.actor, project, person.id, str(invitation.role))
    return project


def change_member(session: Session, actor: Actor, project: Project, account_id: int, role: str) -> None:
    """Change the role of a member; at least one manager must remain."""
    member = required(session.get(Member, (project.id, account_id)), "member")
    if checked_role(role) != "manager":
        _check_managed(session, project, member)
    member.role = role
    audit.record(session, actor, "change role", "account", account_id, project_id=project.id, detail={"role": role})
    _assign_tests(session, project, account_id, role)


def _check_managed(session: Session, project: Project, leaving: Member) -> None:
    """Refuse to take its role from the last manager of a project who can log in."""
    take_turn(session, f"managers {project.id}")
    # Somebody else may have changed the role while this waited for its turn.
    session.refresh(leaving)
    others = select(Member.account_id).join(Account, Member.account_id == Account.id)
    others = others.where(Member.project_id == project.id, Member.role == "manager", Account.disabled_at.is_(None))
    is_last = session.scalar(others.where(Member.account_id != leaving.account_id).limit(1)) is None
    if leaving.role == "manager" and is_last:
        raise forbidden("this is the last manager of the project", "make another member a manager first")


def _assign_tests(session: Session, project: Project, account_id: int, role: str) -> None:
    if role == "annotator":
        qualifying.assign_tests(session, project, {account_id})


def remove_member(session: Session, actor: Actor, project: Project, account_id: int) -> None:
    """Remove an account from a project; its answers stay, and its open assignments are deleted.

    At least one manager must remain.
    """
    member = required(session.get(Member, (project.id, account_id)), "member")
    _check_managed(session, project, member)
    session.delete(member)
    open_duties = (
        select(Assignment)
        .join(Item, Assignment.item_id == Item.id)
        .where(Item.project_id == project.id, Assignment.account_id == account_id, Assignment.finished_at.is_(None))
    )
    for duty in session.scalars(open_duties):
        session.delete(duty)
    audit.record(session, actor, "remove member", "account", account_id, project_id=project.id)


def members(session: Session, project: Project) -> list[tuple[Account, str]]:
    """Return the members of a project with their roles, sorted by name."""
    query = select(Account, Member.role).join(Member).where(Member.project_id == project.id)
    return [(account, role) for account, role in session.execute(query.order_by(Account.name, Account.id))]
