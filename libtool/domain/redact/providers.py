"""Tokens that a provider issues with a prefix of its own: the prefix is enough, whatever stands around it."""

from __future__ import annotations

import re

from libtool.domain.lazy import lazy
from libtool.domain.redact.guards import TOKEN
from libtool.domain.redact.rule import END, START, Rule
from libtool.domain.redact.values import is_wordy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_WORDS = lazy(r"[-_.]?(?:[a-z]{3,}[-_.]){2,}[a-z]{2,}", re.IGNORECASE)
_MASK = lazy(r"[xX]{6,}|\*{3,}|•{2,}|\.{3}|…|(.)\1{6,}$")
_EXAMPLE = lazy(
    r"(?i:your|example|placeholder|redacted|dummy|sample|secret|token|here|insert|replace|change|paste|goes|test|fake|demo|"
    r"not[-_]?real|do[-_]?not[-_]?use|abcdefg?h?i?j?k?l?m?n?o?p?q?r?s?t?u?v?w?x?y?z?|0?123456?7?8?9?0?)"
)
_SNAKE = lazy(r"(?:[a-z]{1,14}\d{0,3}[_-])+[a-z]{1,14}\d{0,3}")
"""A name of code, as `create_string_latin1` is."""
_LEAST_EXAMPLE = 7
_LEAST_SECRET = 16
_LEAST_BODY = 14
_CAMEL = lazy(r"[a-z]{3,}\d{0,4}(?:[A-Z][a-z]{2,}\d{0,4})*|(?:[A-Z][a-z]{2,}\d{0,4})+")
_PIECE = lazy(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def issued(value: str) -> bool:
    """Not an example: some variety in it, no mask, no words strung together.

    It is judged as a whole: one token in some thousands holds a word such as `your` by chance, so words must make up a third of it.
    """
    if len(set(value)) < 8 or _MASK.search(value) or (_WORDS.fullmatch(value) and _is_spelled(value)):
        return False
    words = sum(len(match[0]) for match in _EXAMPLE.finditer(value))
    return words < max(_LEAST_EXAMPLE, len(value) / 3)


def _is_spelled(value: str) -> bool:
    """Whether letters make words: of random ones in both cases many pieces are too short for that."""
    if not is_wordy(value):
        return False
    pieces = _PIECE.findall(value)
    return value.islower() or sum(len(piece) <= 2 for piece in pieces) * 4 < len(pieces)


def _no_name(value: str) -> bool:
    """Issued, where the prefix alone says little: with a digit, or not to be read aloud."""
    return issued(value) and (any(map(str.isdigit, value)) or not _is_spelled(value)) and _SNAKE.fullmatch(value) is None


def _ends_issued(value: str) -> bool:
    """Issued, where numbers of a workspace and a user stand before the secret: 1234567890 is one as well as any other."""
    secret = value.rpartition("-")[2]
    return issued(secret if len(secret) >= _LEAST_SECRET else value)


def _mixed_body(value: str) -> bool:
    """Issued, where what stands before the body is anyone's word: its longest part is no name with numbers in it."""
    body = max(value.split("_"), key=len)
    return issued(value) and len(body) >= _LEAST_BODY and not _CAMEL.fullmatch(body)


def _row(  # noqa: PLR0913 - a row of a table
    name: str, kind: str, trigger: str, body: str, example: str, *, left: str = "", note: str = "", check: Callable[[str], bool] = issued
) -> Rule:
    """A rule from a prefix (several: `a|b`) and a pattern of all that follows it; `left` is what stands before a mark in the middle."""
    triggers = tuple(part.lower() for part in trigger.split("|"))
    prefix = "|".join(re.escape(part) for part in trigger.split("|"))
    pattern = rf"{'' if left else START}(?P<v>(?:{prefix})(?:{body}))"
    hits, misses = (f"run with «{example}» now",), (f"run with {trigger.split('|', maxsplit=1)[0]}... now",)
    guard = None if left or " " in trigger else TOKEN
    return Rule(name, kind, triggers, pattern, check, left=left, hits=hits, misses=misses, note=note, guard=guard)


_W = r"[A-Za-z0-9_-]"
_A = r"[A-Za-z0-9]"
_H = r"[0-9a-f]"

RULES: tuple[Rule, ...] = (
    _row("aws-key-id", "aws-id", "AKIA|ASIA|ABIA|ACCA", rf"[A-Z0-9]{{16}}{END}", "AKIA{b16}"),
    _row("aws-session", "aws", "IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz", r"[A-Za-z0-9+/=_%-]{60,}", "IQoJb3JpZ2lu{B120}=="),
    _row("aws-bedrock", "aws", "ABSK|bedrock-api-key-", r"[A-Za-z0-9+/=_-]{60,}", "ABSK{B120}=="),
    _row("google-api", "gcp", "AIza", rf"{_W}{{35}}", "AIza{u35}"),
    _row("google-oauth", "gcp", "GOCSPX-", rf"{_W}{{20,}}", "GOCSPX-{u28}"),
    _row("google-access", "gcp", "ya29.", r"[A-Za-z0-9_.-]{20,}", "ya29.{u120}"),
    _row("google-refresh", "gcp", "1//0", rf"{_W}{{30,}}", "1//0{u60}"),
    _row("github", "github", "ghp_|gho_|ghu_|ghs_|ghr_", rf"{_A}{{30,}}", "ghp_{a36}"),
    _row("github-app", "github", "v1.", rf"{_H}{{40}}{END}", "v1.{x40}"),
    _row("github-fine", "github", "github_pat_", r"[A-Za-z0-9_]{30,}", "github_pat_{a22}_{a59}"),
    _row(
        "gitlab",
        "gitlab",
        "glpat-|gldt-|glrt-|glcbt-|glptt-|glft-|glimt-|glagent-|gloas-|glsoat-|glffct-|GR1348941",
        r"[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_.-]+\b)?",
        "glpat-{u20}",
    ),
    _row(
        "slack",
        "slack",
        "xoxb-|xoxp-|xoxa-|xoxr-|xoxs-|xoxc-|xoxd-|xoxo-|xoxe-|xoxe.xoxp-|xoxe.xoxb-",
        r"[A-Za-z0-9%+/=-]{20,}",
        "xoxb-{n12}-{n13}-{a24}",
        check=_ends_issued,
    ),
    _row("slack-app", "slack", "xapp-", r"\d-[A-Z0-9]+-\d+-[a-z0-9]{20,}", "xapp-1-A{U10}-{n13}-{x64}"),
    _row(
        "slack-hook",
        "slack",
        "https://hooks.slack.com/",
        r"(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}",
        "https://hooks.slack.com/services/T{U10}/B{U10}/{a24}",
    ),
    _row(
        "discord-hook",
        "discord",
        "https://discord.com/api/webhooks/|https://discordapp.com/api/webhooks/|https://canary.discord.com/api/webhooks/|https://ptb.discord.com/api/webhooks/",
        rf"\d{{16,20}}/{_W}{{40,}}",
        "https://discord.com/api/webhooks/{n18}/{u68}",
    ),
    _row(
        "teams-hook",
        "hook",
        ".webhook.office.com/webhookb2/",
        r"[0-9a-f@-]{30,}/IncomingWebhook/[0-9a-zA-Z/-]{30,}",
        "https://acme.webhook.office.com/webhookb2/{x36}/IncomingWebhook/{x32}/{x36}",
        left=START + r"https://[\w.-]{2,60}",
    ),
    _row(
        "stripe",
        "stripe",
        "sk_live_|sk_test_|rk_live_|rk_test_|sk_prod_|rk_prod_|sk_org_live_|sk_org_test_",
        rf"{_A}{{16,}}",
        "sk_live_{a24}",
    ),
    _row("stripe-hook", "stripe", "whsec_", r"[A-Za-z0-9+/=_-]{24,}", "whsec_{a32}"),
    _row("npm", "npm", "npm_", rf"{_A}{{36}}{END}", "npm_{a36}"),
    _row("pypi", "pypi", "pypi-AgE|pypi-AgN", rf"{_W}{{40,}}", "pypi-AgEIcHlwaS5vcmc{u120}"),
    _row("anthropic", "anthropic", "sk-ant-", rf"{_W}{{20,}}", "sk-ant-api03-{u93}AA"),
    _row("openrouter", "openrouter", "sk-or-v1-|sk-or-", rf"{_A}{{32,}}", "sk-or-v1-{x64}"),
    _row("langfuse", "langfuse", "sk-lf-", r"[0-9a-f-]{30,}", "sk-lf-{x8}-{x4}-{x4}-{x4}-{x12}"),
    _row("openai", "openai", "sk-proj-|sk-svcacct-|sk-admin-|sk-service-|sk-None-", rf"{_W}{{20,}}", "sk-proj-{u74}T3BlbkFJ{u74}"),
    _row(
        "sk",
        "api",
        "sk-",
        rf"(?!ssh|ecdsa)(?:[a-z]{{2,8}}-)?{_A}{_W}{{18,}}",
        "sk-{a48}",
        note="OpenAI's old form, DeepSeek, Together, Moonshot, LiteLLM ...",
        check=_no_name,
    ),
    _row(
        "sk-underscore",
        "api",
        "sk_|pk_live_|api_",
        rf"(?:[a-z]{{2,8}}_)?{_A}{{24,}}{END}",
        "sk_{x48}",
        note="ElevenLabs, Clerk, Fal ...",
        check=_no_name,
    ),
    _row("huggingface", "hf", "hf_|api_org_", rf"{_A}{{30,}}", "hf_{a34}"),
    _row("groq", "groq", "gsk_", rf"{_A}{{40,}}", "gsk_{a52}"),
    _row("replicate", "replicate", "r8_", rf"{_A}{{37,}}", "r8_{a37}"),
    _row("xai", "xai", "xai-", rf"{_A}{{60,}}", "xai-{a80}"),
    _row("perplexity", "pplx", "pplx-", rf"{_A}{{40,}}", "pplx-{a48}"),
    _row("langsmith", "langsmith", "lsv2_pt_|lsv2_sk_|ls__", r"[0-9a-f]{32}(?:_[0-9a-f]+)?", "lsv2_pt_{x32}_{x10}"),
    _row("pinecone", "pinecone", "pcsk_", r"[A-Za-z0-9_]{40,}", "pcsk_{a6}_{a63}"),
    _row(
        "ai-providers",
        "api",
        "fw_|tgp_v1_|csk-|nvapi-|jina_|tvly-|fc-|voyage-|pa-|r8-|esecret_|cbr_|apify_api_|exa-|e2b_|sntryu_|mem0-|m0-|bb_live_|cpk_|AQ.Ab|vck_|phx_|phc_|wandb_v1_",
        rf"{_W}{{22,}}{END}",
        "nvapi-{u64}",
        note="Fireworks, Together, Cerebras, NVIDIA, Jina, Tavily, Firecrawl, Voyage, Apify, E2B, Vercel, PostHog ...",
        check=_no_name,
    ),
    _row("telegram", "telegram", ":AA", rf"{_W}{{32,36}}(?![\w-])", "{n10}:AA{u33}", left=START + r"\d{8,10}"),
    _row("sendgrid", "sendgrid", "SG.", rf"{_W}{{16,30}}\.{_W}{{30,60}}", "SG.{u22}.{u43}"),
    _row("mailgun", "mailgun", "key-", rf"{_H}{{32}}{END}", "key-{x32}"),
    _row("mailchimp", "mailchimp", "-us", r"\d{1,2}(?![\w-])", "{x32}-us14", left=START + r"[0-9a-f]{32}"),
    _row("brevo", "brevo", "xkeysib-|xsmtpsib-", r"[0-9a-f]{60,}-[A-Za-z0-9]{12,}", "xkeysib-{x64}-{a16}"),
    _row("twilio", "twilio", "SK0|SK1|SK2|SK3|SK4|SK5|SK6|SK7|SK8|SK9|SKa|SKb|SKc|SKd|SKe|SKf", rf"{_H}{{31}}{END}", "SK{x32}"),
    _row("digitalocean", "do", "dop_v1_|doo_v1_|dor_v1_", rf"{_H}{{64}}", "dop_v1_{x64}"),
    _row("supabase", "supabase", "sbp_|sb_secret_", rf"{_W}{{20,}}", "sbp_{x40}"),
    _row("databricks", "databricks", "dapi", rf"{_H}{{32}}(?:-\d+)?{END}", "dapi{x32}-2"),
    _row("heroku", "heroku", "HRKU-", rf"{_W}{{30,}}", "HRKU-AA{u58}"),
    _row("netlify", "netlify", "nfp_|nfc_|nfo_|nfu_|nfb_", rf"{_A}{{30,}}", "nfp_{a36}"),
    _row("linear", "linear", "lin_api_|lin_oauth_", rf"{_A}{{32,}}", "lin_api_{a40}"),
    _row("notion", "notion", "ntn_|secret_", rf"{_A}{{40,}}{END}", "ntn_{a46}", check=_no_name),
    _row("sentry", "sentry", "sntrys_", r"[A-Za-z0-9+/=_-]{40,}", "sntrys_eyJpYXQiO{a100}"),
    _row("grafana", "grafana", "glsa_|glc_", r"[A-Za-z0-9+/=_]{32,}", "glsa_{a32}_{x8}"),
    _row("newrelic", "newrelic", "NRAK-|NRJS-|NRII-|NRRA-|NRIQ-", rf"{_W}{{19,}}", "NRAK-{U27}"),
    _row("shopify", "shopify", "shpat_|shpca_|shppa_|shpss_|shptka_|shpua_|shprt_", r"[0-9a-fA-F]{32,}", "shpat_{x32}"),
    _row("square", "square", "EAAA|sq0atp-|sq0csp-|sq0idp-", rf"{_W}{{22,}}{END}", "EAAA{u60}"),
    _row(
        "facebook",
        "facebook",
        "EAACEdEose0cBA|EAAG|EAAB|EAAC|EAAD|EAAE|EAAF|EAAH|EAAJ|EAAM|EAAQ|EAAU|EAAW|EAAX|EAAY|EAAZ|IGQV",
        rf"{_A}{{60,}}{END}",
        "EAAG{a120}",
        check=_no_name,
    ),
    _row("figma", "figma", "figd_|figo_|figp_|figor_", rf"{_W}{{36,}}", "figd_{u40}"),
    _row("atlassian", "atlassian", "ATATT3|ATCTT3|ATBB|ATSTT3|ATOA", r"[A-Za-z0-9_=-]{24,}", "ATATT3xFfGF0{u170}={X8}"),
    _row("airtable", "airtable", "pat", rf"{_A}{{14}}\.{_H}{{64}}{END}", "pat{a14}.{x64}"),
    _row("tailscale", "tailscale", "tskey-", rf"[a-z]+-{_A}{{8,}}(?:-{_A}{{16,}})?", "tskey-auth-{a16}-{a32}"),
    _row("doppler", "doppler", "dp.pt.|dp.st.|dp.ct.|dp.sa.|dp.scim.|dp.audit.", r"(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,}", "dp.pt.{a43}"),
    _row("vault", "vault", "hvs.|hvb.|hvr.", rf"{_W}{{24,}}", "hvs.CAESI{u90}"),
    _row("age", "age", "AGE-SECRET-KEY-|AGE-PLUGIN-", r"[0-9A-Z-]{40,}", "AGE-SECRET-KEY-1{U58}"),
    _row("docker", "docker", "dckr_pat_|dckr_oat_", rf"{_W}{{20,}}", "dckr_pat_{u27}"),
    _row("terraform", "terraform", ".atlasv1.", rf"{_W}{{60,70}}", "{a14}.atlasv1.{u67}", left=START + r"[A-Za-z0-9]{14}"),
    _row("postman", "postman", "PMAK-|PMAT-", r"[0-9A-Za-z]{20,}(?:-[0-9a-f]{30,})?", "PMAK-{x24}-{x34}"),
    _row("rubygems", "rubygems", "rubygems_", rf"{_H}{{40,}}", "rubygems_{x48}"),
    _row("planetscale", "planetscale", "pscale_tkn_|pscale_pw_|pscale_oauth_|pscale_", r"[A-Za-z0-9_.=-]{30,}", "pscale_tkn_{u43}"),
    _row("render", "render", "rnd_", rf"{_A}{{24,}}{END}", "rnd_{a32}"),
    _row(
        "fly",
        "fly",
        "FlyV1 |fm1_|fm2_|fm1a_|fm1r_|fo1_",
        r"(?:fm[12][ar]?_)?[A-Za-z0-9+/=_-]{40,}(?:,fm[12][ar]?_[A-Za-z0-9+/=_-]{20,}){0,8}",
        "FlyV1 fm2_{B140}",
    ),
    _row("twitter", "twitter", "AAAAAAAAAAAAAAAAAAAAA", r"[A-Za-z0-9%]{50,}", "AAAAAAAAAAAAAAAAAAAAA{a30}%2B{a40}%3D{a20}"),
    _row("dropbox", "dropbox", "sl.", rf"(?:u\.)?{_W}{{60,}}", "sl.{u136}", check=_no_name),
    _row("sourcegraph", "sourcegraph", "sgp_|slk_|sgph_|sgd_", rf"(?:(?:[0-9a-f]{{16}}|local)_)?{_H}{{40,64}}{END}", "sgp_{x40}"),
    _row("buildkite", "buildkite", "bkua_|bkct_|bkaj_|bkpt_", rf"{_A}{{32,}}", "bkua_{x40}"),
    _row("circleci", "circleci", "CCIPAT_|CCIPRJ_", r"[A-Za-z0-9]{20,}_[0-9a-f]{40}", "CCIPAT_{a22}_{x40}"),
    _row("azure-client", "azure", "Q~", r"[A-Za-z0-9_.~-]{31,34}(?![A-Za-z0-9_~-])", "{a3}8Q~{u34}", left=START + r"[A-Za-z0-9_.~-]{3}\d"),
    _row("azure-pat", "azure", "AZDO", rf"{_A}{{4}}{END}", "{a76}AZDO{a4}", left=START + r"[A-Za-z0-9]{76}"),
    _row("vercel", "vercel", "vcp_|vci_|vca_|vcr_", rf"{_A}{{24,}}", "vcp_{a56}"),
    _row("cloudflare", "cloudflare", "v1.0-|cfut_|cfat_|cfk_|cfoat_", rf"{_W}{{40,}}", "v1.0-{x24}-{x146}"),
    _row("onepassword", "onepass", "ops_eyJ|A3-", r"[A-Za-z0-9+/=_-]{24,}", "ops_eyJ{a250}"),
    _row("pulumi", "pulumi", "pul-", rf"{_H}{{40}}{END}", "pul-{x40}"),
    _row(
        "more-providers",
        "api",
        "pnu_|pnb_|dt0c01.|dt0s16.|EZAK|EZTK|duffel_live_|duffel_test_|CLOJARS_|shippo_live_|shippo_test_|AKCp|cmVmdGtu|rdme_|oy2|waka_|ubl_|LTAI",
        rf"[A-Za-z0-9_.-]{{20,}}{END}",
        "pnu_{a36}",
        note="Prefect, Dynatrace, EasyPost, Duffel, Clojars, Shippo, Artifactory, ReadMe, NuGet, WakaTime, Alibaba ...",
        check=_no_name,
    ),
    _row(
        "named-parts",
        "api",
        "sqp_|squ_|sqa_|napi_|rpa_|tfp_|pina_|hcaik_|hcbik_|hcamk_|xaat-|xapt-|xau_|polar_oat_|polar_pat_|mdb_sa_sk_|CCDB1_|llx-|flp_|fpk_|nk-|vtwn_|"
        "ddp_|ddo_|depot_|chpt_|sktsec_|snyk_uat.|mka_|zpka_|ucat_|retool_|rootly_|samsara_api_|unkey_|lmb_|vercel_blob_rw_|sm_aat_|sm_pat_|pts_|ico-|dnkey-|essu_|"
        "FLWSECK-|FLWSECK_TEST-|SWMTKN-1-|os_v2_app_|os_v2_org_|mlsn.|akab-|AQVN|AKLT|nsec1|xprv9|gitpod_pat_|ctx7sk-|tr_dev_|tr_prod_|signkey-prod-|signkey-test-|"
        "st.prod.|bws.|sk_car_|smp_|cnvca|aio_|pat.acct.|tk-us-|wsec_",
        rf"{_W}[A-Za-z0-9_.=-]{{19,}}{END}",
        "sqp_{x40}",
        note="SonarQube, Neon, RunPod, Typeform, Pinterest, Honeycomb, Axiom, Polar, MongoDB Atlas, CockroachDB, OneSignal ...",
        check=_no_name,
    ),
    _row("resend", "api", "re_", rf"{_A}{{6,10}}_{_A}{{20,}}{END}", "re_{a8}_{a24}", check=_no_name),
    _row("clickup", "api", "pk_", rf"\d{{6,10}}_[A-Z0-9]{{28,36}}{END}", "pk_{n8}_{U32}"),
    _row(
        "proxmox",
        "api",
        "PVEAPIToken=",
        r"[\w.-]{1,60}@\w{1,30}![\w.-]{1,60}=[0-9a-f-]{36}",
        "PVEAPIToken=root@pam!ci={x8}-{x4}-{x4}-{x4}-{x12}",
    ),
    _row("k3s", "api", "K10", rf"{_H}{{64}}::(?:\w{{1,20}}:)?{_W}{{8,}}", "K10{x64}::server:{x32}"),
    _row(
        "marked",
        "api",
        "_live_|_prod_|_pat_|_tkn_|_sk_|_secret_|_apikey_|_token_|_pw_",
        rf"(?:{_A}{{1,12}}_)?{_A}{{14,}}(?:_{_A}{{6,}})?{END}",
        "acme_live_{l32}",
        left=START + r"[a-z][a-z0-9]{1,14}(?:_[a-z0-9]{1,12}){0,2}",
        note="any provider that says in the token what it is",
        check=_mixed_body,
    ),
    _row("gcp-hmac", "gcp", "GOOG1E|GOOG", rf"[A-Z0-9]{{20,}}{END}", "GOOG1E{b58}"),
    _row(
        "discord-bot",
        "discord",
        ".G|.X|.Y|.Z",
        rf"{_A}{_W}{{4}}\.{_W}{{27,40}}(?![\w-])",
        "M{a24}.G{a5}.{u38}",
        left=START + r"[MNO][A-Za-z0-9_-]{23,27}",
    ),
    _row("mapbox", "mapbox", "sk.eyJ", r"[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{16,}", "sk.eyJ{a60}.{a22}"),
    _row("contentful", "contentful", "CFPAT-", rf"{_W}{{40,}}", "CFPAT-{u43}"),
    _row("hubspot", "hubspot", "pat-na|pat-eu", r"\d-[0-9a-f-]{36}", "pat-na1-{x8}-{x4}-{x4}-{x4}-{x12}"),
    _row("intercom", "intercom", "dG9rO", r"[A-Za-z0-9+/]{50,}={0,2}", "dG9rO{B60}="),
    _row("okta", "okta", "SSWS 00", rf"{_W}{{36,44}}", "SSWS 00{u40}"),
    _row(
        "zapier-hook",
        "hook",
        "https://hooks.zapier.com/hooks/catch/|https://hook.eu1.make.com/|https://hook.us1.make.com/|https://hook.eu2.make.com/",
        r"[A-Za-z0-9/]{12,}",
        "https://hooks.zapier.com/hooks/catch/{n7}/{l7}",
    ),
)
