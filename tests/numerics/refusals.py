"""How every command refuses: with one line."""


def refused(capsys, command, says):
    """Nothing is printed but one line on stderr, which begins with the command and says this."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"largeprompt {command}: ")
    assert err.count("\n") == 1
    assert says in err
