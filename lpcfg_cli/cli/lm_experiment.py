import click


@click.command("experiment")
def command() -> None:
    """x"""
