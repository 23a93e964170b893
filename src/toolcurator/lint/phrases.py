"""The phrasings by which a text speaks to the model rather than describe a tool (TC602 to TC606), in several languages.

Each needs an imperative and its object: "ignore previous instructions" counts, "ignore case" and "system prompt" do not. The
forms are those of published attacks on MCP clients (tool poisoning) and of prompt injection; the sentences are our own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from toolcurator.lint.rules import Severity

_W = r"(?:[\w'’]+\s+)"
_NOT = r"(?:do\s+not|don['’]?t|never|must\s+not|shall\s+not|may\s+not|should\s+not|shouldn['’]?t|mustn['’]?t)\s+(?:ever\s+)?"
_USER = r"(?:the\s+|your\s+|any\s+)?(?:end[- ])?(?:users?|humans?|customers?|clients?|person|operators?)\b"
_OLD = r"(?:previous|prior|earlier|above|preceding|foregoing|former|your|other|system|original|initial|developer|past)"
_FILES = (
    r"(?:~/\.\w+|\.ssh\b|id_rsa|id_ed25519|\.aws/credentials|/etc/(?:passwd|shadow)|\.env\b|\.netrc|\.npmrc|"
    r"\.git-credentials|"
    r"mcp\.json|claude_desktop_config|\.kube/config|wallet\.dat|\.bash_history|(?:your|"
    r"the)\s+environment\s+variables|private\s+ssh\s+keys?)"
)
_GIVE = r"(?:pass|send|include|provide|put|append|attach|submit|paste|supply|forward|embed|share|copy)"
_READ = r"(?:read|open|cat|load|fetch|get|access|copy|print|dump|retrieve|view)"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A phrasing.

    Attributes:
        rule: The rule it belongs to.
        about: What such a text does; follows "that" or the name of a field.
        expression: Finds it, in text with single spaces, whatever the case.
        severity: Of a finding in a description.
        in_slots: Of one in the description of an argument, where people are told what to fill in.
    """

    rule: str
    about: str
    expression: re.Pattern[str]
    severity: Severity = "error"
    in_slots: Severity = "error"


def _pattern(
    rule: str, about: str, *forms: str, severity: Severity = "error", in_slots: Severity | None = None
) -> Pattern:
    expression = re.compile("|".join(f"(?:{form})" for form in forms), re.IGNORECASE)
    return Pattern(rule, about, expression, severity, in_slots or severity)


_DROPS = "tells the model to drop its instructions"
_KEEPS = "tells the model to keep something from the user"
_FIRST = "claims that the tool goes before all others"
_ASKS = "asks the model for files, secrets or the conversation"

PATTERNS: tuple[Pattern, ...] = (
    _pattern(
        "TC602",
        _DROPS,
        rf"\b(?:ignore|disregard|forget|discard|neglect|set\s+aside|stop\s+following|(?:do\s+not|"
        rf"don['’]?t)\s+follow)\s+{_W}{{0,3}}?"
        rf"{_OLD}\s+{_W}{{0,2}}?(?:instructions?|prompts?|guidelines?|directives?|directions|programming|training|"
        rf"guardrails)\b",
        r"\b(?:ignore|disregard|forget)\s+(?:all|any)\s+(?:of\s+)?(?:the\s+|your\s+|these\s+)?(?:instructions|"
        r"guidelines|directives|guardrails)\b"
        r"(?!\s+(?:in|from|of|for|within)\b)",
        r"\b(?:ignore|disregard|forget)\s+(?:everything|anything|all|what)\s+(?:that\s+)?(?:above[.,;!]|"
        r"you\s+(?:were|have\s+been|know|learned)\b"
        r"|I\s+(?:said|told))",
        r"\b(?:overrides?|supersedes?|replaces?|cancels?|takes?\s+precedence\s+over)\s+(?:any\s+|all\s+)?(?:of\s+)?"
        r"(?:previous|prior|earlier|your|other|system)\s+(?:\w+\s+)?(?:instructions|directives|guidelines)\b",
        rf"\b(?:ignore|disregard|forget|pay\s+no\s+attention\s+to)\s+{_W}{{0,3}}?(?:instructions|rules|directives|"
        rf"guidelines)\s+(?:\w+\s+)?"
        r"(?:given|stated|set|mentioned|listed)?\s*(?:before|above|earlier|previously)\b",
        r"\bnew\s+system\s+(?:instructions?|message)\s*:",
        r"\b(?:all|any|your)\s+(?:safety|security)\s+(?:rules|guidelines|restrictions|filters|policies)\s+(?:are|"
        r"have\s+been)\s+(?:now\s+)?"
        r"(?:suspended|lifted|disabled|off|removed)\b",
        r"\b(?:act|behave|respond|answer)\s+as\s+(?:if|though)\s+you\s+(?:had|have)\s+no\s+(?:restrictions|limits|"
        r"rules|guidelines)\b",
        r"\byou\s+are\s+now\s+(?:an?\s+(?:\w+\s+)?(?:assistant|ai|agent|bot|model|hacker)\b|DAN\b|unrestricted|"
        r"free\s+(?:from|of)|"
        r"in\s+(?:developer|god|jailbreak|admin|root)\s+mode)",
        r"\byou\s+are\s+no\s+longer\s+(?:bound|restricted|limited|an?\s+(?:\w+\s+)?(?:assistant|ai)|subject)\b",
        r"\b(?:tag|label|rate|rank|score|mark|classify)\s+this\s+(?:tool|function|description)\s+(?:with|as|the|at)\b",
        # German, Dutch
        rf"\b(?:ignoriere|ignorieren\s+sie|vergiss|vergessen\s+sie|missachte|missachten\s+sie)\s+{_W}{{0,3}}?"
        rf"(?:vorherigen?|vorigen?|bisherigen?|früheren?|obigen?|deine|ihre|alle)\s+{_W}{{0,2}}?"
        r"(?:anweisungen|instruktionen|befehle|vorgaben|systemanweisungen)\b",
        rf"\b(?:negeer|vergeet)\s+{_W}{{0,3}}?(?:vorige|eerdere|bovenstaande|je|jouw|"
        rf"alle)\s+{_W}{{0,2}}?(?:instructies|opdrachten)\b",
        # French, Spanish, Portuguese, Italian
        rf"\b(?:ignore[zr]?|oublie[zr]?|ne\s+(?:tiens|tenez)\s+pas\s+compte\s+d\w+)\s+{_W}{{0,4}}?(?:instructions|"
        rf"consignes|directives)\s+"
        r"(?:précédentes|antérieures|ci-dessus|du\s+système|système)",
        rf"\b(?:ignora|ignore|ignorar|olvida|olvide|olvidar|descarta)\s+{_W}{{0,4}}?(?:instrucciones|indicaciones|"
        rf"órdenes)\s+"
        r"(?:anteriores|previas|del\s+sistema)",
        rf"\b(?:ignore|ignora|esqueça|desconsidere)\s+{_W}{{0,4}}?(?:instruções|orientações)\s+(?:anteriores|"
        rf"prévias|do\s+sistema)",
        rf"\b(?:ignora|ignorate|dimentica)\s+{_W}{{0,4}}?istruzioni\s+(?:precedenti|di\s+sistema)",
        # Estonian, Polish, Russian
        rf"\b(?:ignoreeri(?:ge)?|unusta(?:ge)?|eira(?:ge)?)\s+{_W}{{0,3}}?(?:eelne\w+|eelmis\w+|varase\w+|kõi\w+|"
        rf"oma|ülaltoodud)\s+{_W}{{0,2}}?"
        r"(?:juhis\w+|korraldus\w*|käske|käsud|instruktsioon\w+)\b",
        rf"\b(?:zignoruj|ignoruj|zapomnij(?:\s+o)?)\s+{_W}{{0,3}}?(?:poprzednie|wcześniejsze|swoje|wszystkie|"
        rf"poprzednich)\s+{_W}{{0,2}}?"
        r"(?:instrukcje|polecenia|instrukcjach|wytyczne)\b",
        rf"(?:игнорируй(?:те)?|забудь(?:те)?|не\s+обращай(?:те)?\s+внимания\s+на)\s+{_W}{{0,3}}?"
        rf"(?:предыдущ\w+|прежн\w+|прошл\w+|свои|твои|ваши|все|вышеуказанн\w+)\s+{_W}{{0,2}}?(?:инструкци\w+|"
        rf"указани\w+|команд\w*)",
        # Chinese, Japanese, Korean, Arabic
        r"(?:忽略|无视|無視|忘记|忘記|不要理会)[^。\n]{0,8}(?:之前|先前|以上|上述|前面|此前|你的|系统|系統)[^。\n]{0,6}(?:指令|指示|提示词|提示詞|规则|規則)",
        r"(?:以前|これまで|上記|前述|すべて|全て|今まで)の[^。\n]{0,8}(?:指示|命令|プロンプト)[^。\n]{0,4}(?:無視|忘れ)",
        r"(?:이전|앞선|위의|모든|기존)[^.\n]{0,8}(?:지시|명령|지침)[^.\n]{0,6}(?:무시|잊)",
        r"تجاهل\s+(?:\S+\s+){0,3}?(?:التعليمات|الأوامر|تعليماتك)",
    ),
    _pattern(
        "TC603",
        _KEEPS,
        rf"\b{_NOT}(?:tell|inform)\s+{_USER}(?=\s+(?:about|of|anything|that\s+(?:you|this|the\s+tool|it))\b|"
        rf"\s*[.,;:!)]|\s*$)"
        r"(?![^.]{0,80}\b(?:until|unless|before|yet)\b)",
        rf"\b{_NOT}let\s+{_USER}\s+(?:know|see|find\s+out|notice)",
        rf"\b{_NOT}(?:mention|reveal|disclose|admit|report|explain)\s+(?:this|these|it|that\s+you|"
        rf"any\s+of\s+(?:this|it)|"
        rf"the\s+(?:call|instructions?|existence)|what\s+you)\b[^.]{{0,40}}?\b(?:to\s+(?:anyone|anybody|{_USER})|"
        rf"first|have|need|did|read|sent|do)\b",
        rf"\b(?:keep|hide|conceal)\s+(?:this|it|that|these\s+\w+|the\s+\w+(?:\s+\w+)?)\s+(?:\w+\s+)?(?:secret\s+|"
        rf"hidden\s+)from\s+{_USER}",
        rf"\b(?:hide|conceal)\s+(?:this|it|that|these)\s+(?:instructions?\s+|steps?\s+|calls?\s+)?from\s+{_USER}",
        rf"\b{_USER}\s+(?:must|should|may)\s+(?:not|never)\s+(?:know|be\s+(?:told|aware|informed)|find\s+out|"
        rf"notice|learn)\b",
        r"\b(?:secretly|covertly)\s+(?:send|read|copy|forward|upload|call|collect|include|append|transmit|add|"
        r"record)\b",
        r"\b(?:sage?|erzähle?|verrate|sagen\s+sie)\s+(?:dem|der|den)\s+(?:benutzer|nutzer|anwender|"
        r"kunden)(?:in)?\s+(?:davon\s+|das\s+|dies\s+)?nichts?\b",
        r"\binformiere(?:n\s+sie)?\s+(?:den|die)\s+(?:benutzer|nutzer|kunden)\s+nicht\b",
        r"\bne\s+(?:dis|dites|révèle[zr]?|mentionne[zr]?|parle[zr]?)\s+(?:rien|pas|jamais)\b[^.]{0,30}\butilisateur",
        r"\bn['’](?:informe[zr]?|en\s+parle[zr]?|avertis|avertissez)\s+(?:pas|jamais)\b[^.]{0,30}\butilisateur",
        r"\bno\s+(?:le\s+|se\s+lo\s+)?(?:digas?|menciones?|informes?|reveles?|cuentes?)\b[^.]{0,30}\b(?:usuario|"
        r"cliente)\b",
        r"\bnão\s+(?:diga|conte|mencione|informe|revele)\b[^.]{0,30}\b(?:usuário|utilizador|cliente)\b",
        r"\bära\s+(?:ütle|räägi|maini|avalda|teata)\b[^.]{0,30}\b(?:kasutaja|kliendi)",
        r"не\s+(?:говори|сообщай|рассказывай|упоминай|раскрывай)(?:те)?\b[^.]{0,40}(?:пользовател|клиент)",
        r"(?:不要|不得|切勿|禁止|千万别)(?:告诉|告知|透露给|向|让|告訴)[^。\n]{0,12}?(?:用户|用戶|使用者|客户)(?:知道|[^。\n]{0,6}(?:提及|透露|说明))?",
        r"(?:ユーザー|利用者)に(?:は)?[^。\n]{0,12}(?:伝え|教え|知らせ|言わ|話さ)(?:ない|ず|ては)",
    ),
    _pattern(
        "TC603",
        "tells the model to act without the user's knowledge or consent",
        rf"\b{_NOT}ask\s+{_USER}\s+for\s+(?:\w+\s+)?(?:confirmation|permission|approval|consent)\b",
        rf"\b(?:must|should)\s+never\s+(?:tell|inform)\s+{_USER}",
        rf"\b(?:without|instead\s+of)\s+(?:telling|informing|asking|alerting)\s+{_USER}",
        r"\bwithout\s+the\s+(?:user|customer)['’]?s?\s+(?:knowledge|consent|permission|knowing)\b",
        r"\b(?:silently|quietly)\s+(?:send|forward|upload|collect|transmit|append|include)\b",
        rf"\b{_NOT}(?:show|display|expose)\s+(?:this|these)\s+(?:instructions?|notes?|steps?)\s+to\s+{_USER}",
        r"\bohne\s+(?:den|die)\s+(?:benutzer|nutzer|kunden)(?:in)?\s+zu\s+(?:informieren|fragen)\b",
        r"\bsans\s+(?:en\s+)?(?:informer|prévenir|avertir|demander\s+à)\s+l['’]utilisateur\b",
        r"\bsin\s+(?:informar|avisar|preguntar|decir)\s+al\s+usuario\b",
        severity="warning",
    ),
    _pattern(
        "TC604",
        _FIRST,
        r"\b(?:before|instead\s+of|over|rather\s+than|prior\s+to)\s+(?:using\s+|calling\s+|invoking\s+|"
        r"you\s+(?:use|call)\s+)?"
        r"(?:any|all|every|each)\s+(?:of\s+the\s+)?other\s+(?:\w+\s+)?(?:tools?|functions?|servers?|apis?)\b",
        rf"\b{_NOT}(?:use|call|invoke|consider|choose)\s+(?:any\s+|the\s+)?other\s+(?:\w+\s+)?(?:tools?|functions?|"
        rf"servers?)\b",
        r"\b(?:this\s+(?:tool|function|server)|it)\s+(?:always\s+)?(?:takes?|has|must\s+(?:take|have)|"
        r"should\s+(?:take|have))\s+(?:absolute\s+|"
        r"(?:the\s+)?highest\s+|top\s+)?(?:priority|precedence)\s+over\s+(?:all|any|every|the|"
        r"other)\s+(?:\w+\s+){0,2}?(?:tools?|functions?|servers?|instructions)\b",
        r"\b(?:prefer|choose|favou?r|use|select|call)\s+this(?:\s+(?:tool|function))?\s+(?:over|above|instead\s+of|"
        r"rather\s+than)\s+"
        r"(?:all|any|every)\b(?:\s+other)?",
        r"\b(?:always|must)\s+(?:call|use|invoke|run|choose|select)\s+this(?:\s+(?:tool|function))?\b[^.]{0,30}"
        r"\b(?:for\s+(?:every|all|any)\s+(?:kinds?\s+of\s+)?(?:requests?|questions?|tasks?|quer(?:y|ies)|messages?|"
        r"purposes?)|no\s+matter\s+what|"
        r"regardless\s+of\s+(?:what|the\s+(?:user|request|question|task)))",
        r"\b(?:always|must)\s+(?:call|use|invoke|run)\s+this(?:\s+(?:tool|function))?\s+(?:first|"
        r"before)\b[^.]{0,20}\b(?:anything|everything)\s+else",
        r"\b(?:all\s+)?(?:the\s+)?other\s+tools\s+(?:are|have\s+been|were)\s+(?:all\s+)?(?:deprecated|broken|"
        r"unsafe|outdated|compromised|disabled|"
        r"unreliable|insecure)",
        r"\bthis\s+is\s+the\s+(?:best|only|most\s+(?:useful|important|powerful))\s+(?:tool|"
        r"function)\s+(?:you\s+(?:need|should)|for\s+(?:every|all|any)"
        r"|to\s+(?:use|call))\b",
        r"\b(?:rufe|nutze|verwende)\s+(?:immer\s+)?(?:dieses\s+(?:werkzeug|tool)|"
        r"diese\s+funktion)\b[^.]{0,20}\bvor\s+allen\s+anderen\b",
        r"\b(?:utilise[zr]?|appelle[zr]?)\s+(?:toujours\s+)?cet\s+outil\b[^.]{0,20}\bavant\s+tous\s+les\s+autres\b",
        r"\b(?:usa|llama|utiliza)\s+(?:siempre\s+)?esta\s+(?:herramienta|función)\b[^.]{0,20}\bantes\s+(?:que|"
        r"de)\s+(?:todas|cualquier)\b",
        r"(?:всегда\s+)?(?:вызывай|используй)(?:те)?\s+этот\s+инструмент[^.]{0,30}(?:прежде|раньше|"
        r"вместо)\s+(?:всех\s+)?(?:других|остальных)",
        r"(?:在|先于|优先于)[^。\n]{0,6}(?:任何|所有)其他工具",
        severity="warning",
    ),
    _pattern(
        "TC604",
        "presses the model to call it",
        r"\b(?:must|always)\W{1,3}(?:always\s+|first\s+)?(?:call|use|invoke|run)\s+this\b(?!(?:\s+(?:tool|"
        r"function))?\s+(?:(?:to|after|with|if|for|again)\b|"
        r"before\s+(?:calling\s+|using\s+|you\s+(?:call|use)\s+)?(?:['\"`“]|\w+[-_]\w)))",
        r"\b(?:call|use|invoke|run)\s+this(?:\s+(?:tool|function))?\s+(?:first|before\s+anything|before\s+any|"
        r"proactively|as\s+often\s+as|whenever\s+possible|"
        r"at\s+the\s+(?:start|beginning)\s+of\s+(?:every|each|any|all))\b",
        severity="note",
    ),
    _pattern(
        "TC605",
        "imitates the tokens of a chat template",
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|end_header_id|eot_id|begin_of_text)\|>",
        r"\[/?INST\]|<</?SYS>>|<start_of_turn>|<end_of_turn>",
    ),
    _pattern(
        "TC605",
        "imitates the turns or the markup of a conversation",
        r"<(?P<t1>system|system[-_ ]?(?:prompt|message|instructions?|reminder|override)|assistant|developer|"
        r"human)>[^<]{10,}</(?P=t1)>",
        r"(?:^|[.!?:>}\])\-*]\s)(?:#{1,4}\s*)?\[?(?:system|assistant|human|developer)\]?\s*(?:prompt|message|note|"
        r"instructions?|override)?\s*:\s+"
        r"(?:you\s+(?:are|must|will)|ignore|disregard|always|from\s+now\s+on|the\s+assistant\s+(?:must|should|will))\b",
    ),
    _pattern(
        "TC605",
        "sets a text apart by tags as if it came from someone else than the tool's author",
        r"<(?P<t2>important|critical|secret|hidden|urgent|mandatory|override|"
        r"instructions?_?for_?(?:the_?)?(?:model|assistant|ai))>[^<]{10,}",
        r"\bsystem\s+override\s*[:!]",
        r"(?-i:\[(?:SYSTEM|ADMIN|DEVELOPER)(?: (?:OVERRIDE|NOTE|MESSAGE|PROMPT|INSTRUCTIONS?))?\]\s*[:\w])",
        severity="warning",
    ),
    _pattern(
        "TC606",
        _ASKS,
        rf"\b{_READ}\b[^.]{{0,60}}?{_FILES}.{{0,240}}?\b{_GIVE}\b[^.]{{0,60}}?\b(?:as|in|to|into|via|through|"
        rf"with)\s+(?:the\s+|this\s+|a\s+|an\s+)?"
        r"[`'\"“]?\w+[`'\"”]?(?:\s+(?:parameter|argument|field|slot|input|param|tool))?",
        rf"\bbefore\s+(?:using|calling|you\s+(?:use|call))\s+(?:this|the)\s+(?:tool|"
        rf"function)\b.{{0,60}}?\b{_READ}\b[^.]{{0,60}}?{_FILES}",
        rf"\b{_GIVE}\s+{_W}{{0,4}}?(?:contents?|text|values?|data|output)\s+of\s+{_W}{{0,3}}?[`'\"]?{_FILES}",
        r"\b(?:lies|lese|öffne|lee|lea|abre|lis|lisez|ouvre|leggi|leia|loe|ava|прочитай(?:те)?|"
        r"открой(?:те)?)\s[^.]{0,50}?(?:~/\.\w+|\.ssh\b|id_rsa"
        r"|\.aws/credentials|/etc/(?:passwd|shadow)|\.env\b|mcp\.json)",
        r"(?:读取|读出|打开|讀取|開啟)[^。\n]{0,20}(?:~/\.\w+|\.ssh\b|id_rsa|\.aws/credentials|/etc/(?:passwd|shadow)|\.env\b|"
        r"mcp\.json)",
        in_slots="warning",
    ),
    _pattern(
        "TC606",
        "asks the model for its own instructions",
        rf"\b(?:{_GIVE}|reveal|repeat|output|print|disclose|leak|write)\s+{_W}{{0,4}}?(?:your|"
        rf"its\s+own)\s+{_W}{{0,2}}?(?:system\s+(?:prompt|message|"
        r"instructions)|initial\s+(?:prompt|instructions)|hidden\s+(?:prompt|instructions)|original\s+instructions|"
        r"developer\s+message)\b",
    ),
    _pattern(
        "TC606",
        "sends secrets or the conversation to an address",
        r"\b(?:send|forward|upload|post|transmit|exfiltrate|extract|collect|bcc|e-?mail|"
        r"copy)\s+[^.]{0,60}?\b(?:conversation|chat\s+history|passwords?|secrets|"
        r"private\s+keys?|system\s+prompt|credentials|environment\s+variables|"
        r"api\s+keys)\b[^.]{0,60}?\bto\s+(?:https?://|[\w.+-]+@[\w-]+\.\w|\d{1,3}\.\d{1,3}\.)",
    ),
    _pattern(
        "TC606",
        "asks for the whole conversation",
        rf"\b{_GIVE}\s+{_W}{{0,3}}?(?:entire|full|whole|complete|all\s+(?:of\s+)?(?:the|your|previous|"
        rf"prior))\s+{_W}{{0,2}}?(?:conversation|chat|dialogue|"
        r"message)\b(?:\s+(?:history|log|transcript|messages|so\s+far))?",
        r"\b(?:everything|all\s+messages|every\s+message)\s+(?:that\s+)?the\s+user\s+(?:has\s+)?(?:said|written|"
        r"wrote|sent|typed)\b",
        severity="warning",
        in_slots="note",
    ),
)
"""All phrasings, the worst of a rule first."""
