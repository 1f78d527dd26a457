"""Logins as people and programs write them, beyond the example of each rule; and what only looks like them."""

# ruff: noqa: RUF001 - full-width punctuation is what is tested

from __future__ import annotations

import pytest

from libtool.domain.redact import Redactor
from libtool.domain.redact.rule import example

KEY = bytes(32)

TAKEN = """
My password is «{a3}!{w3}#Q.»
recovery codes: «{n4}-{n4}» «{n4}-{n4}» and so on
You can get into the box using alice and then type «{w6}{n4}» when it asks for the password.
I reset it, it's «{w6}{n4}» now (the db password I mean)
old password was «{w6}{n4}», the new one «{a3}R{a5}7k!{a3}»
password got rotated, new one = «{w6}{n4}»
Password --> «{w5}_{w6}5»
password's «{w6}{n4}»
I changed bob's password from «{w5}_{w5}7» to something else
heads up, bob's pass on nas.local was reset to «{a12}Q7» this morning
my passwd: «{w5}!Q.{n3}#»
login bob password «{w5}1»
passphrase: «{w5} {w6} {w5} {w4}»
password «{w5}-{w6}-{w5}-{w4}» works
password: "«{w5} {w4} {w6} {w5}»"
password: "«{w4} Q7!{n3}»"
password: "«48129375»"
pw: «5f4dcc3b»
password: «{x32}»
PASSWORD="«{w7}»" ./deploy.sh
password: !!str «{w6}{n4}»
password = $'«{w6}{n4}»'
let password: String = "«{w6}_{w5}6»"
<password type="plain">«{w6}{n4}»</password>
<add key="ServicePassword" value="«{w5}{n4}#»" />
- name: ADMIN_PASSWORD⏎  value: «{w6}{n4}»
define('DB_PASSWORD', '«{w6}{n4}»');
wget --password=«{w8}» https://x
wget --password «{w8}» https://x
keytool -storepass «{w6}{n3}» -list
String dbPass = "«{w6}{n4}»";
const dbPw = "«{w6}{n4}»"
Password⏎«{a12}»⏎
The password is:⏎⏎    «{a10}+V3#»⏎
password: \\⏎  «{w6}{n4}»⏎
"password":⏎    "«{a14}»"
password:\\n«{w5}{n4}»\\nuser
Das Passwort für 10.20.30.40 lautet «{a20}»
lösenordet är «{w6}{n4}»
le mdp c'est «{w6}{n4}»
пароль от сервера «{w6}{n4}»
密码为«{w6}{n4}»。
パスワードは「«{w6}{n4}»」です
비밀번호는 «{w6}{n4}» 입니다
密码：«{w6}»
secret: «{w6}{n4}»
client secret «{a32}»
The API key I use is «{a32}»
my openai key «{a48}»
STRIPE_KEY=«{a32}»
"key": "«{a32}»"
AppKey: «{x32}»
session cookie: «{a40}»
access_token: "«{a300}»"
the token is «{a300}».
X-Auth-Token: «{a32}»
Cookie: auth=«{a6}7{w3}»; theme=dark
http -a bob:«{w6}{n4}» GET x
curl -su bob:«{w6}{n4}» https://x
ssh bob@nas.local / «{w6}{n4}»
bob / «{w6}{n4}» on the nas
kwame / «{a3}7{a9}» on wiki.acme.com
10.1.2.3 kwame «{a3}7{a9}»
nas.local - bob - «{w6}{n4}»
git.acme.dev: bob/«{w6}{n4}»
u: bob p: «{w5}.{w5}2»
creds for the nas: bob / «{w6}{n4}»
Temporary credentials: bob «{w6}{n4}»
logged in with bob/«{w5}_{w6}3»
https://acme:«{w6}»@git.acme.io/x
| Service | Token |⏎|---|---|⏎| ci | «{a32}» |⏎| none | - |⏎
name,login,password⏎x,bob,«{w6}{n4}»⏎
host	user	pw⏎nas	bob	«{w6}{n4}»⏎
the alarm code is «{n6}»
backup codes:⏎1. «{n4}-{n4}»⏎2. «{n4}-{n4}»⏎
unlock the archive with «{w6}{n4}»
my master pass phrase is "«{w5} {w6} {w5} {w4}»"
the old pass was «{w6}{n4}», new one «{a3}R!{a5}7k»
$ cloud secrets access latest --secret=mailer⏎«{a4}#{n3}{w3}»
In [7]: cfg.api_secret⏎Out[7]: '«{a32}»'
Please use the following password to proceed to the installation:⏎⏎«{x32}»⏎⏎This may also be found elsewhere
https://api.acme.io/v1/weather?q=Bonn&appid=«{x32}»
expect "assword:"⏎send "«{w6}.{w6}24$»\\r"
twilio: the auth token for AC{x32} is «{x32}»
search: admin key «{x32}»
unlock key: «{a40}»
""".strip().splitlines()

LEFT = """
"token": "x", "secret": "y7y7y7y7": 1
-----BEGIN RSA PRIVATE KEY-----
password: [see the wiki]
password: )
密码：。
| Password |⏎|---|⏎| "" |⏎
| Token | x |⏎|---|---|⏎| <b> | y |⏎
## Logins⏎
password: required
password: string
password: your_password_here
password: ""
password: 7
password: user@example.org
password: "Enter your password to go on"
password = user.password
password=password, username=username
password = get_password()
password == other
the password is incorrect
the password is the same as before
please enter the password for the account again
if the password is too short, the form says so
password: src/app/login.py
password: https://wiki.acme.io/reset
"password", "email", "name"
"password": "email": 1
"PASS", "message": "x1y2z3w4"
--- PASS: TestLogin/with_a_name2 (0.00s)
tests passed: 41, failed: 0
PASSED: test_7a
we pass --debug-level7 to the tool
pass `auto=true` to it
bypass Web3Auth entirely
${PW:?must be set}
compass: N45e7x
token: 4168
token: true
the token is expired since 2024
next_token: {a40}
cache_key={x40}
client_token = {x8}-{x4}-{x4}-{x4}-{x12}
gpg --recv-keys {X40}
arn:aws:secretsmanager:eu:1:secret:Name-a1b2c3
"token": "user1@acme.io"
token = "abc123abc123"
key: value
keys: a, b, c
tokens: antlr4.BufferedTokenStream.Stream
authorization = base64.decodebytes(x)
authkey=authkey
secret = keypair[:32]
sign in at https://wiki.acme.io/start
login as root on nas.local
read/write
input: user / output: admin
10.1.2.3 GET /index7.html
nas.local is up since 2024
git@github.com:npm/cli.git#v1.0.27
see acme.com: bob wrote x1 there
account {"name":"x"}
creds: {\\"user\\":\\"bob7\\",\\"x\\":\\"y7\\"}
| Password | Notes |⏎|---|---|⏎| required | yes |⏎
| Password |⏎
password;x⏎
password, token and key are (all) words
login: admin⏎- see the docs / manual
PIN 4 of the chip
recovery codes: none
backup code xxxxx-xxxxx
https://a:b@xn--g6w251d/?a
https://user:password@acme.io/
https://user:secret-value@example.com/
https://token@github.com/a/b
postgres://postgres:postgres@localhost/db
Cookie: theme=dark-mode; lang=en
cookies: yes
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB{a30} me@laptop
"integrity": "sha512-{B86}=="
  --password-stdin   Take the password from stdin
kubectl describe secret default-token-x2v9k
Auth Token for AC{x32} expired
send "$password\\r"
example of a token of the type⏎    oauthlib.oauth2.BearerToken.⏎
the token for this commit:⏎{x40}⏎
$ git rev-parse token-branch⏎{a12}x{a4}⏎
min key {x32}
lock_key: {a40}
DB_PASSWORD=⏎DB_USER=app
""".strip().splitlines()


@pytest.mark.parametrize("template", TAKEN)
def test_taken(template: str) -> None:
    text, spans = example(template.replace("⏎", "\n"))
    found = [(one.start, one.end) for one in Redactor(KEY).scan(text)]
    assert found == spans, [text[a:b] for a, b in found]


@pytest.mark.parametrize("template", LEFT)
def test_left(template: str) -> None:
    text, _ = example(template.replace("⏎", "\n"))
    assert [text[one.start : one.end] for one in Redactor(KEY).scan(text)] == []


def test_a_list_of_codes_ends_somewhere() -> None:
    text, spans = example("recovery codes:" + "".join(f" «{{n{4 + i % 2}}}-{{n5}}»" for i in range(45)))
    found = [(one.start, one.end) for one in Redactor(KEY).scan(text)]
    assert found == spans[:40]


def test_a_list_of_logins_ends_somewhere() -> None:
    text = "## Logins\n" + "".join(example(f"- box{i}: bob / «{{a14}}»\n")[0] for i in range(70))
    assert 55 <= len(Redactor(KEY).scan(text)) <= 70


def test_a_long_table_ends_somewhere() -> None:
    text = "host,password\n" + "".join(example(f"h{i},«{{w6}}{{n4}}»\n")[0] for i in range(70))
    assert len(Redactor(KEY).scan(text)) == 60
