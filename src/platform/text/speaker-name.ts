const MAX_NAME = 60
// Parliaments add office and constituency to the name.
const MAX_LABEL = 140

/** Words before a colon that are not names. */
const NOT_NAMES = new Set(
  `note notes nb n.b. p.s. ps warning caution tip tips hint example examples e.g. i.e. todo to-do action actions agenda summary overview
  question questions answer answers date time day duration length subject re fwd cc title topic topics location place venue attendees
  participants present absent invitees recording transcript meeting call link links url website email e-mail mail phone tel source sources
  important remember reminder update updates decision decisions conclusion result results reason problem solution fact pros cons spoiler
  breaking correction edit disclaimer background context goal goals objective risks issues status plan idea point lunch break standup
  ok okay yes no well so and but or also first firstly second secondly third finally lastly now then look listen see right again anyway
  basically actually honestly thanks hello hi hey monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday`.split(
    /\s+/
  )
)
const NOT_A_NAME = [
  /^(?:action (?:items?|points?)|next steps?|fun fact|bottom line|for (?:example|instance)|to do|spoiler alert)$/i,
  /^(?:my|our|one|key|another|this|that) /i,
  /^(?:q|step|part|chapter|section|item|point|option|phase|day|week|month|year|number|rule|lesson|slide|question|figure|table|page|line)[ #.]*\d+$/i
]
const PARTICLES = new Set(
  'van von de da di do du del der den des la le el al bin ibn ben bint af av ter ten y e und and et of'.split(' ')
)

const NAME_WORD = /^[\p{L}\p{N}@+&#][\p{L}\p{M}\p{N}.'’_@&+/#・\u200c-\u200d-]*$/u
// Scripts without case have no capitals.
const CAPITAL_OR_DIGIT = /[\p{Lu}\p{Lt}\p{Lo}\p{N}]/u
const PHONE_NUMBER = /^\+?\d[\d ().-]{4,20}$/

/** Returns whether a text may label a speaker: "Dr. Ada Lovelace (Acme)", "SPEAKER_00", "+1 555 0100", but not "Note". */
export function isName(label: string) {
  if (label.length === 0 || label.length > MAX_LABEL) return false
  if (PHONE_NUMBER.test(label)) return true
  const bare = withoutRemarks(label)
  if (bare.length > MAX_NAME) return false
  if (!/\p{L}/u.test(bare) || isHeading(bare)) return false
  const words = bare.split(/,? +/)
  return words.length <= 6 && words.every(word => isNameWord(word) || PARTICLES.has(word)) && words.some(isNameWord)
}

/** Returns whether a text before a colon usually opens a remark: "Note", "Step 2". */
export function isHeading(label: string) {
  return NOT_NAMES.has(label.toLowerCase()) || NOT_A_NAME.some(pattern => pattern.test(label))
}

/** Removes parentheses, including nested ones. */
function withoutRemarks(label: string) {
  const innermost = /\([^()]*\)/g
  return label.replace(innermost, ' ').replace(innermost, ' ').trim()
}

// A long word with a full stop ends a sentence; a short one is an initial or a title.
function isNameWord(word: string) {
  return NAME_WORD.test(word) && CAPITAL_OR_DIGIT.test(word) && !(word.endsWith('.') && word.length > 5)
}

/** Direction marks and invisible characters that a recorder may put around a name. */
const AROUND = String.raw`[\s\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]`
const LEADING_MARKS = new RegExp(`^${AROUND}+`)
const TRAILING_MARKS = new RegExp(`(?<!${AROUND})${AROUND}+$`)

/** Removes blanks, direction marks and joiners around a text. Those within a name are a part of its spelling. */
export function trimMarks(text: string) {
  return text.replace(LEADING_MARKS, '').replace(TRAILING_MARKS, '')
}

/** Parses a label such as `[SPEAKER_00]` of WhisperX or `>> ADA` of captions. Returns null if it is not a name. */
export function parseName(label: string) {
  const bare = label.replace(/^\s*>>\s*/, '').trim()
  const name = /^[[(][^[\]()]*[\])]$/.test(bare) ? bare.slice(1, -1).trim() : bare
  return isName(name) ? name : null
}

/** Labels of unknown speakers and of groups. */
const NOBODY = new Set(
  `speaker speakers participant participants guest guests host hosts cohost co-host user caller callers callee agent customer client support service sales rep representative
  interviewer interviewee moderator operator narrator presenter attendee attendees audience member members everyone everybody all both several others other
  unknown unidentified unnamed anonymous inaudible crosstalk silence music applause laughter noise voice voices man woman male female person people
  me you i we he she they them doctor patient teacher student assistant bot ai recorder recording system room phone iphone ipad dialin
  sprecher sprecherin teilnehmer teilnehmerin unbekannt unbekannter moderatorin gast ich intervenant intervenante locuteur locutrice inconnu
  inconnue participante animateur invité hablante orador oradora interlocutor desconocido desconocida locutor locutora falante participante
  desconhecido desconhecida parlante relatore sconosciuto sconosciuta partecipante spreker onbekend deelnemer talare okänd deltagare taler
  ukjent ukendt puhuja mówca nieznany спикер участник неизвестный неизвестно говорящий 話者 発言者 不明 参加者 说话人 說話人 发言人 發言人 讲话者 未知 화자 참석자`.split(
    /\s+/
  )
)

/** Returns whether a label names a person: "Ada Lovelace", but not "Speaker 1", "SPEAKER_00", "Unknown", "Guest A" or "+1 555 0100". */
export function isPersonName(label: string) {
  const bare = withoutRemarks(trimMarks(label).slice(0, MAX_LABEL))
  if (!/\p{L}/u.test(bare) || /[\p{N}@]/u.test(bare) || [...bare].length < 2 || isHeading(bare)) return false
  return !wordsOfLabel(bare).every(word => NOBODY.has(word) || [...word].length === 1)
}

/** Offices and parts in a meeting. Only a label of nothing else names no person: "Minister" does not, "Minister Smith" does. */
const ROLES = new Set(
  `project product program programme marketing sales account office general managing senior junior chief executive operating financial
  technical technology information industrial interface user experience ux ui quality human resources development research
  manager designer director engineer developer analyst architect consultant expert officer coordinator scientist
  chair chairman chairwoman chairperson president secretary treasurer minister clerk facilitator scribe notetaker
  professor postdoc phd grad undergraduate`.split(/\s+/)
)
/** Programs that take part in a call to record it. */
const BOT =
  /\b(?:zoom|meet|teams|webex|fireflies|otter|fathom|read|tl;?dv|grain|avoma|gong|chorus|sembly|meetgeek|recall|ai|meeting|recording) ?(?:\.ai)?['’]?s? (?:bot|assistant|notetaker|note ?taker|recorder)\b|\b(?:note ?taker|otterpilot|meeting notes|ai companion)\b|^(?:fireflies|otter|read|fathom|tldv)(?:\.ai|\.video|\.io)\b/i

/** Returns whether a label is a role or a program instead of somebody's name: "Project Manager", "EF Zoom Bot". */
export function isRoleOrBot(label: string) {
  const bare = withoutRemarks(trimMarks(label).slice(0, MAX_LABEL))
  const words = wordsOfLabel(bare)
  return (
    BOT.test(bare) ||
    (words.length > 0 && words.every(word => ROLES.has(word) || NOBODY.has(word) || [...word].length === 1))
  )
}

/** Returns whether a label is the name of somebody: "Ada Lovelace", but not "Speaker 1", "Project Manager" or "EF Zoom Bot". */
export function isNameOfSomebody(label: string) {
  return isPersonName(label) && !isRoleOrBot(label)
}

function wordsOfLabel(bare: string) {
  return bare
    .toLowerCase()
    .split(/[\s_#.,&/-]+/)
    .filter(Boolean)
}

/** Words for a voice of which nothing is known. */
const VOICE_WORDS = new Set(
  `speaker speakers spk unknown unidentified unattributed participant sprecher sprecherin unbekannt intervenant locuteur inconnu hablante
  desconocido falante desconhecido parlante sconosciuto spreker onbekend talare okänd taler ukjent ukendt puhuja спикер неизвестный 話者 不明
  说话人 說話人 发言人 發言人 未知 화자`.split(/\s+/)
)

/** Returns whether a label was made up for an unknown voice: "Speaker", "Speaker 1", "SPEAKER_00", "spk_1", "Speaker A". */
export function isVoiceLabel(label: string) {
  const words = wordsOfLabel(trimMarks(label).slice(0, MAX_LABEL)).map(word =>
    word.replace(/(?<!\p{N})[№]?\p{N}+$/u, '')
  )
  const isMade = words.some(word => VOICE_WORDS.has(word))
  return isMade && words.every(word => VOICE_WORDS.has(word) || /^\p{L}?$/u.test(word))
}

const NAMELESS = /^(?:[?？\-–—*.]+|(?:speaker|spk)[ _]?\?+|(?:unknown|unidentified|unattributed)(?:[ _]speaker)?)$/i

/** Returns the name of a speaker, or null if the label says that nobody is known. */
export function knownSpeaker(label: string | null | undefined) {
  const name = trimMarks(label ?? '')
  if (name === '' || NAMELESS.test(name)) return null
  return /^speaker \d+$/.test(name) ? `S${name.slice(1)}` : name
}

const PRONOUN = `(?:${'she her hers he him his they them theirs ze zir hir xe xem it its any all sie er dey elle il iel ella él hún hann hán hon hen han ona ono on'.replaceAll(' ', '|')})`
const PRONOUNS = String.raw`(?:\p{L}{1,8}\s*[/,|]\s*){0,3}${PRONOUN}(?:\s*[/,|]\s*\p{L}{1,8}){0,3}`
const SUFFIX = new RegExp(String.raw`(?<!\s)\s*[([（](?:guest|external|extern|unverified|${PRONOUNS})[)\]）]$`, 'iu')

/** Returns the name of a person without what Teams and Zoom put behind it: "(Guest)", "(External)", "(she/her)". */
export function withoutSuffix(name: string): string {
  if (name.length > MAX_LABEL || !/[)\]）]$/.test(name)) return name
  const bare = name.replace(SUFFIX, '')
  return bare === '' || bare === name ? name : withoutSuffix(bare)
}
