"""``lpcfg help``."""

from __future__ import annotations

import signal

import click

from lpcfg_cli.cli.groups import nearest
from lpcfg_cli.cli.main import COMMANDS, TOPICS, cli
from lpcfg_cli.storage.files import read_shipped_text


@click.command()
@click.argument("topic", required=False)
def command(topic: str | None) -> None:
    """Show the page on TOPIC, or the options of the command of that name.

    Without TOPIC, list the topics.  In a terminal, a page is shown through the pager.
    """
    if topic is None:
        click.echo(topic_list())
    elif topic in TOPICS:
        show(page(topic))
    elif topic in COMMANDS:
        click.echo(command_help(topic))
    else:
        known = [*TOPICS, *COMMANDS]
        raise click.UsageError(f"No such topic or command {topic!r}.{nearest(topic, known)}\n\n{topic_list()}")


def topic_list() -> str:
    """The topics, one on each line."""
    width = max(map(len, TOPICS))
    lines = [f"  {topic:{width}}  {line}" for topic, line in TOPICS.items()]
    return "\n".join(["`lpcfg help TOPIC` shows a page:", "", *lines, "", "`lpcfg help COMMAND` shows its options."])


def page(topic: str) -> str:
    """The text of a topic's page."""
    return read_shipped_text("lpcfg_cli.cli", f"pages/{topic}.txt")


def show(text: str) -> None:
    """Print a text, through the pager if standard output is a terminal; the pager then handles Ctrl-C."""
    before = signal.signal(signal.SIGINT, lambda signum, frame: None)
    try:
        click.echo_via_pager(text)
    finally:
        signal.signal(signal.SIGINT, before)


def command_help(name: str) -> str:
    """The output of ``lpcfg NAME --help``."""
    parent = click.Context(cli, info_name="lpcfg", **cli.context_settings)
    found = cli.get_command(parent, name)
    assert found is not None, "name is in the table of commands"
    with click.Context(found, info_name=name, parent=parent) as context:
        return found.get_help(context)
