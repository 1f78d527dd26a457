"""Words for a password and for a token, by language: tables to extend."""

from __future__ import annotations

PASSWORD_WORDS = {
    "en": ("pass", "pwd", "pw", "p/w", "psk", "access code", "secret phrase", "secret word"),
    "de": ("kennwort", "zugangscode", "losung", "geheimwort"),
    "es": ("contraseña", "contrasena", "clave"),
    "fr": ("mot de passe", "mots de passe", "mdp", "code d'accès", "code secret", "phrase secrète", "phrase de passe"),
    "pt": ("senha", "palavra-passe", "palavra passe"),
    "it": ("parola d'ordine", "parola chiave"),
    "nl": ("wachtwoord", "toegangscode"),
    "pl": ("hasło", "haslo", "hasła", "hasłem", "haśle"),
    "cs": ("heslo", "heslem", "hesla"),
    "tr": ("şifre", "sifre", "parola"),
    "sv": ("lösenord", "losenord"),
    "da": ("adgangskode", "kodeord"),
    "fi": ("salasana",),
    "hu": ("jelszó", "jelszo", "jelszav"),
    "ro": ("parolă", "parola"),
    "hr": ("lozinka", "zaporka"),
    "sl": ("geslo",),
    "lt": ("slaptažodis",),
    "lv": ("parole",),
    "et": ("salasõna", "parool"),
    "vi": ("mật khẩu", "mat khau"),
    "id": ("kata sandi", "sandi"),
    "ca": ("contrasenya",),
    "ru": ("пароль", "пароля", "паролем", "Пароль", "ПАРОЛЬ", "пасс"),
    "bg": ("парола", "Парола", "лозинка", "Лозинка"),
    "el": ("κωδικός", "Κωδικός", "κωδικος", "συνθηματικό"),
    "he": ("סיסמה", "סיסמא", "סיסמת", "ססמה"),
    "ar": ("كلمة المرور", "كلمة مرور", "كلمة السر", "الرقم السري"),
    "fa": ("رمز عبور", "گذرواژه", "پسورد"),
    "hi": ("पासवर्ड",),
    "ur": ("پاس ورڈ",),
    "ta": ("கடவுச்சொல்",),
    "ka": ("პაროლი",),
    "eu": ("pasahitza",),
    "gl": ("contrasinal",),
    "is": ("lykilorð",),
    "ms": ("kata laluan",),
    "sw": ("nenosiri",),
    "bn": ("পাসওয়ার্ড",),
    "th": ("รหัสผ่าน",),
    "zh": ("密码", "密碼", "口令", "密钥", "密鑰"),
    "ja": ("パスワード", "パスフレーズ", "パスコード", "暗証番号", "合言葉"),
    "ko": ("비밀번호", "비밀 번호", "암호", "패스워드", "비번"),
    "uk": ("паролю", "гасло"),
}
"""Words for a password by language; a table to extend. Non-ASCII words are matched as they stand."""


def _shortest(words: list[str]) -> list[str]:
    """Sorted words without those that begin with another one, which stands right before them."""
    out: list[str] = []
    for word in words:
        if not out or not word.startswith(out[-1]):
            out.append(word)
    return out


_ALL = {word for words in PASSWORD_WORDS.values() for word in words}
WAKING_PASSWORDS = tuple(word.lower() if word.isascii() else word for word in _shortest(sorted(_ALL)))
"""The words for a password by which a text is searched: none that begins with another one, which stands at the same place."""

KEY_WORDS = (
    "key",
    "chave",
    "chiave",
    "klucz",
    "sleutel",
    "anahtar",
    "nyckel",
    "nøkkel",
    "nøgle",
    "klíč",
    "kulcs",
    "cheie",
    "avain",
    "kunci",
)
"""Words for a key of any kind, be it of a lock or of a table."""
FOREIGN_TOKENS = (
    *KEY_WORDS[1:],
    "clé", "schlüssel", "令牌", "トークン", "キー", "토큰", "키", "токен", "ключ", "מפתח", "مفتاح", "κλειδί",
)  # fmt: skip
"""Words for a token or a key in other languages."""
TOKEN_WORDS = ("cookie", "secret", "token", "key", "cred", "auth", *FOREIGN_TOKENS)
"""Words for a token, a key or other credentials."""

PASSWORD_STEMS = tuple(sorted(_ALL, key=lambda word: (-len(word), word)))
"""All words for a password, the longest first."""

STOCK_ANSWERS = frozenset(
    "continue cancel nothing whatever thanks please proceed approved forgot forgotten nevermind correct unchanged another because "
    "different neither anything something nobody everything absolutely certainly definitely exactly probably possibly perhaps maybe "
    "sorry cannot refused denied skipped ignore ignored option default hello indeed finished expired wrong unsure working".split()
)
"""What people answer instead of giving a login."""
