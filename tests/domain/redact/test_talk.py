"""A bare answer to a message that asks for a login."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.redact import Redactor
from libtool.domain.redact.rule import example
from libtool.domain.redact.talk import Talk, asks
from libtool.domain.session import ANSWER, ASSISTANT, CALL, HUMAN, RESULT

KEY = bytes(32)

TAKEN = """
What is the root password of the NAS? ~ «{a3}Nut{a4}l!x»
Please paste the API key. ~ «{a24}»
What is the passphrase? ~ it is «correct-Horse{n1}-batt»
Please paste the token: ~ ok, here you go:⏎«{a32}»
I need the database password to go on. ~ Sure:⏎```⏎«{a3}Nut{a4}l!x»⏎```
What is the wifi password? ~ «sunflower»
What is the wifi password? ~ it's «sunflower».
What is the passphrase? ~ «copper violin marsh engine»
What's the PIN of the card? ~ «4821»
Here is the password: ~ «hunter{n2}»
Wie lautet das Passwort für den Server? ~ «Tiger{n4}»
¿Cuál es la contraseña? ~ «Tiger{n4}»
Quel est le mot de passe ? ~ «Tiger{n4}»
密码是什么? ~ «Tiger{n4}»
What is the password? Without it I cannot mount the share. ~ «{a3}Nut{a4}l!x», and then go on with the backup as we said.
Send me the password ~ «{a3}Nut{a4}l"'`!x»
What is the password? ~ `«Tiger{n4}»`
What is the password? ~ «{a3}7Nut{a4}l!x» is what it was when I set the box up. MUCH MORE
"""

LEFT = """
What is the token limit? ~ 200000
What is the token limit? ~ Model4B8x9Q
What is the password? ~ yes
What is the password? ~ cancel
What is the password? ~ I don't know, look into the vault.
What is the password? ~ $NAS_PASSWORD
What is the password? ~ <your password>
Shall I change the password policy? ~ Version7Beta
The login test fails. Shall I fix it? ~ test_login2
I renamed the token parser. ~ Refactor2Done!
Which database do you want? ~ Postgres16!x
What is the key point? ~ Simplicity4All
Please paste the token: ~ please
Is the password in the vault? Then go on with step 4. All tests pass. ~ Walnut48x!Q
What's the PIN of the card? ~ it is pinned
What is the password? ~ The box has no password at all. MUCH MORE
What is the password? ~ ok⏎⏎go on⏎with the rest⏎of the work
What is the password? ~ ‎
"""


def both(template: str) -> tuple[str, str]:
    question, _, answer = template.replace("⏎", "\n").partition(" ~ ")
    return question, answer.replace("MUCH MORE", "But ask the others before you do anything with the box. " * 5)


def talked(*messages: tuple[str, str]) -> list[str]:
    talk = Talk(Redactor(KEY))
    return [talk.redact("s", kind, text) for kind, text in messages]


@pytest.mark.parametrize("template", TAKEN.strip().splitlines())
@pytest.mark.parametrize("kinds", [(ASSISTANT, HUMAN), (HUMAN, ASSISTANT)])
def test_taken(template: str, kinds: tuple[str, str]) -> None:
    question, answer = both(template)
    text, ((start, end),) = example(answer)
    out = talked((kinds[0], question), (kinds[1], text))[1]
    assert out.startswith(text[:start] + "[REDACTED:")
    assert out.endswith("]" + text[end:])
    assert "[REDACTED" not in Redactor(KEY).redact("sunflower")


@pytest.mark.parametrize("template", LEFT.strip().splitlines())
def test_left(template: str) -> None:
    question, answer = both(template)
    assert talked((ASSISTANT, question), (HUMAN, answer))[1] == answer


def test_what_stands_between_does_not_matter_and_what_another_session_asks_neither() -> None:
    login = "WalnutA2" + "Ndl!x"
    question = "What is the root password?"
    assert login not in talked((ASSISTANT, question), (CALL, "$ ls"), (RESULT, ""), (HUMAN, login))[3]
    assert talked((ASSISTANT, question), (HUMAN, "wait"), (HUMAN, login))[2] == login
    talk = Talk(Redactor(KEY))
    talk.redact("one", ASSISTANT, question)
    assert talk.redact("two", HUMAN, login) == login
    assert login not in talk.redact("one", HUMAN, login)


def test_a_record_of_an_answer_holds_its_question() -> None:
    login = "WalnutA2" + "Ndl!x"
    question = "What is the root password?"
    (out,) = talked((ANSWER, f"{question}\n\n{login}\nand more"))
    assert out.startswith(question + "\n\n[REDACTED:pw-")
    assert out.endswith("\nand more")
    assert login not in talked((ASSISTANT, question), (ANSWER, login))[1]
    assert login not in talked((ANSWER, question), (HUMAN, login))[1]
    assert talked((ANSWER, "Which colour?\nRed4Walnut!"))[0].endswith("Red4Walnut!")


def test_what_is_asked_can_be_carried_on() -> None:
    login = "WalnutA2" + "Ndl!x"
    talk = Talk(Redactor(KEY))
    talk.redact("s", ASSISTANT, "What is the root password?")
    assert talk.asked == {"s": "password?"}
    later = Talk(Redactor(KEY), talk.asked)
    assert login not in later.redact("s", HUMAN, login)
    assert later.asked == {}


def test_a_provider_keeps_its_name() -> None:
    token = "gh" + "p_" + example("{a36}")[0]
    assert talked((ASSISTANT, "Please paste the token."), (HUMAN, token))[1].startswith("[REDACTED:github-")


def test_what_is_asked_for() -> None:
    assert asks("What is the PIN?") == "pin?"
    assert asks("Give me the password, please.") == "password"
    assert asks("the password is long; " * 20 + "done. All is well. Bye.") == ""
    assert asks("") == ""


@given(st.text(max_size=300))
def test_a_text_without_a_question_is_redacted_as_ever(text: str) -> None:
    assert talked((HUMAN, text))[0] == Redactor(KEY).redact(text)
    out = talked((ASSISTANT, "What is the password?"), (HUMAN, text))[1]
    assert talked((ASSISTANT, "What is the password?"), (HUMAN, out))[1] == out


def test_the_texts_of_many_records_are_looked_at_in_one_pass() -> None:
    redactor = Redactor(bytes(32))
    Talk(redactor).prepare(["nothing here", "password: " + "Tiger" + "4821x"])
    assert redactor.is_clean("nothing here")


def test_a_word_beyond_ascii_alone_asks_too() -> None:
    assert asks("密钥是什么?") == "token"
