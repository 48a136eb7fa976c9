import * as tokens from '../../src/accounts/token.ts'
import * as clean from '../../src/ai/offline/clean.ts'
import * as english from '../../src/ai/offline/items-english.ts'
import * as foreign from '../../src/ai/offline/items-foreign.ts'
import * as language from '../../src/ai/offline/language.ts'
import * as markdown from '../../src/ai/offline/markdown.ts'
import * as passages from '../../src/ai/offline/passages.ts'
import * as people from '../../src/ai/offline/people.ts'
import * as spoken from '../../src/ai/offline/sentences.ts'
import { summarizeOffline } from '../../src/ai/offline/summarize.ts'
import * as tasks from '../../src/ai/offline/task-text.ts'
import * as whole from '../../src/ai/offline/whole.ts'
import { ENGLISH } from '../../src/ai/offline/words/en.ts'
import { lexiconOf } from '../../src/ai/offline/words/languages.ts'
import { itemsFrom, mergeItems } from '../../src/ai/openai/items.ts'
import * as openai from '../../src/ai/openai/text.ts'
import { shortName } from '../../src/contract/app/user.ts'
import * as documents from '../../src/contract/import-document.ts'
import { isInstant, toDate } from '../../src/contract/instant.ts'
import * as recordings from '../../src/contract/recording.ts'
import { IfMatch } from '../../src/contract/session-change.ts'
import * as texts from '../../src/contract/text.ts'
import { countedDay } from '../../src/core/counted-day.ts'
import * as dueDates from '../../src/core/due-date.ts'
import { dayPhrase } from '../../src/core/due-phrase.ts'
import { escapeHtml } from '../../src/core/escape.ts'
import { languageCode } from '../../src/core/language-code.ts'
import { flatText, type Segment } from '../../src/core/segment.ts'
import { cutChunks } from '../../src/ingest/chunks.ts'
import { secondsOf } from '../../src/ingest/parse/clock-time.ts'
import * as cues from '../../src/ingest/parse/cues.ts'
import { voicesIn } from '../../src/ingest/parse/markup.ts'
import * as files from '../../src/ingest/parse/parse.ts'
import { isPersonName } from '../../src/ingest/parse/person-name.ts'
import * as names from '../../src/ingest/parse/speaker.ts'
import { parseSrt } from '../../src/ingest/parse/srt.ts'
import { dateLine, startInName } from '../../src/ingest/parse/started.ts'
import { parseText } from '../../src/ingest/parse/text.ts'
import * as turns from '../../src/ingest/parse/turns.ts'
import { parseVtt } from '../../src/ingest/parse/vtt.ts'
import { weightsOfWords } from '../../src/search/asking.ts'
import { excerptsOf } from '../../src/search/excerpts.ts'
import * as shown from '../../src/search/sentences.ts'
import { bestSentences } from '../../src/search/snippet.ts'
import { bestStretches } from '../../src/search/stretches.ts'
import { heardIn } from '../../src/sessions/heard.ts'
import { redatedItems } from '../../src/sessions/redate.ts'
import { readCursor, writeCursor } from '../../src/sharing/cursor.ts'
import { inviteMail } from '../../src/sharing/invite-mail.ts'
import * as secrets from '../../src/sharing/secret.ts'
import { stemmerOf } from '../../src/terms/stemmers.ts'
import { mostFrequent, wordsOf } from '../../src/terms/words.ts'
import * as addresses from '../../src/webhooks/address.ts'

export type TextFunction = (text: string) => unknown

/** It takes what another function has made of the text, and is measured with the one that calls it. */
const BELOW = null

const DAY = '2026-03-04'
const OTHER_LANGUAGES = ['de', 'fr', 'es']

/** Said in one go. */
function oneSegment(text: string): Segment[] {
  return [{ speaker: 'Ada', start: 0, end: 10, text }]
}

/** Said in turns of sixty characters by two people. */
function manySegments(text: string): Segment[] {
  const said = text.match(/.{1,60}/gsu) ?? []
  return said.map((part, at) => ({ speaker: at % 2 ? 'Ada' : 'Ben', start: at, end: at + 1, text: part }))
}

function conversationOf(segments: Segment[], code: string | null) {
  return { title: '', type: 'meeting', segments, language: code, day: DAY }
}

/** A function of one sentence, called for each that the text has: none is longer than a sentence may be. */
function eachSentence(take: TextFunction): TextFunction {
  const piece = new RegExp(`.{1,${spoken.LONGEST_SENTENCE}}`, 'gsu')
  return text => text.match(piece)?.map(take)
}

/** Which other language a text is taken for: the same at every length, for the text repeats itself. */
function otherLanguageOf(text: string) {
  return OTHER_LANGUAGES[text.charCodeAt(1) % OTHER_LANGUAGES.length]!
}

function sentenceOf(text: string): spoken.Sentence {
  const words = spoken.wordsOf(text, 'en')
  return { speaker: 'Ada', segment: 0, turn: 0, at: 0, text, question: false, sound: true, whole: true, words, terms: words }
}

const DAYS = { from: DAY, to: '2026-03-11' }

function itemOf(text: string) {
  const times = { created_at: 0, updated_at: 0, user_edited_at: null, source_start: null }
  return { id: 'ai_1', text: text.slice(0, 2_000), completed: false, source: 'agent' as const, due_date: '2026-03-06', ...times }
}

const WEBHOOKS = { allowHttp: false, allowedCidrs: [], lookup: async () => [] }

const CONTEXT = { due: true, dueToday: false, people: people.peopleOf(['Ada Lovelace', 'Ben']), objects: () => 2 }

function excerptsFrom(written: string, said: string) {
  const item = { id: 'ses_1', title: 'Weekly review', timestamp: null, type: 'meeting' }
  const passage = { start: null, end: null, text: said, score: written === '' ? 1 : 0, likeness: 0 }
  const found = { item, language: 'en', summary: null, notes: written, passages: [passage] }
  return excerptsOf([found], [{ stem: 'plan', byPassage: 1, bySession: 1 }], () => 1, {
    find: async (_, texts) => new Map([...texts].flat().map(word => [word, word]))
  })
}

/**
 * By file of src and name: every exported function there that is given text that users write. What it takes besides is fixed, and a
 * file whose functions are private is reached through the one that calls them.
 */
export const TEXT_FUNCTIONS: Record<string, Record<string, TextFunction | null>> = {
  'accounts/token.ts': { isWellFormed: tokens.isWellFormed, makeToken: BELOW, hashToken: tokens.hashToken },
  'ai/offline/clean.ts': {
    stripMarkup: text => [true, false].map(spaced => clean.stripMarkup(text, spaced)),
    isSpaced: text => clean.isSpaced([text]),
    cleanSentence: eachSentence(text => [ENGLISH, lexiconOf(otherLanguageOf(text))].map(lexicon => clean.cleanSentence(text, lexicon)))
  },
  'ai/offline/items.ts': { findItems: BELOW },
  'ai/offline/items-english.ts': { englishTask: eachSentence(text => english.englishTask(sentenceOf(text), CONTEXT)) },
  'ai/offline/items-foreign.ts': {
    inEnglish: eachSentence(text => ['de', 'fr', 'es'].map(code => foreign.inEnglish(text, code))),
    foreignTask: eachSentence(text => ['de', 'fr', 'es'].map(code => foreign.foreignTask(sentenceOf(text), code, CONTEXT)))
  },
  'ai/offline/key-points.ts': { pickPoints: BELOW, countTerms: BELOW, alike: BELOW },
  'ai/offline/language.ts': { detectLanguage: language.detectLanguage },
  'ai/offline/markdown.ts': {
    renderMinutes: text =>
      markdown.renderMinutes(
        { speakers: [text], topics: [], decisions: [sentenceOf(text)], questions: [], items: [], complete: true },
        ENGLISH.words
      ),
    nameOf: markdown.nameOf
  },
  'ai/offline/outcomes.ts': { pickDecisions: BELOW, pickQuestions: BELOW },
  'ai/offline/passages.ts': {
    partsOf: passages.partsOf,
    shortenQuery: passages.shortenQuery,
    meanDirection: BELOW
  },
  'ai/offline/people.ts': { peopleOf: text => people.peopleOf([text]), withoutRemark: people.withoutRemark },
  'ai/offline/phrases.ts': { phrasesOf: BELOW },
  'ai/offline/sentences.ts': {
    sentencesOf: BELOW,
    wordsOf: text => spoken.wordsOf(text, 'en'),
    termsOf: BELOW,
    stem: spoken.stem
  },
  'ai/offline/summarize.ts': {
    summarizeOffline: text => summarizeOffline(conversationOf(oneSegment(text), 'en')),
    'summarizeOffline, of many segments': text => summarizeOffline(conversationOf(manySegments(text), null)),
    'summarizeOffline, in another language': text => summarizeOffline(conversationOf(oneSegment(text), otherLanguageOf(text)))
  },
  'ai/offline/task-text.ts': {
    taskText: eachSentence(text => tasks.taskText(text, 'by Friday', { speaker: 'Ada', addressee: 'Ben' }, true)),
    baseForm: eachSentence(tasks.baseForm),
    plainAction: eachSentence(tasks.plainAction),
    verbStrength: eachSentence(tasks.verbStrength)
  },
  'ai/offline/topics.ts': { cutTopics: BELOW },
  'ai/offline/whole.ts': {
    isSound: eachSentence(text => whole.isSound(text, spoken.wordsOf(text, 'en'), ENGLISH)),
    isWhole: eachSentence(text => whole.isWhole(text, spoken.wordsOf(text, 'en'), ENGLISH))
  },
  'ai/openai/items.ts': {
    itemsFrom: text => itemsFrom([{ text, assignee: text, due_date: text, line: null }], [], conversationOf([], null)),
    mergeItems: text => mergeItems([{ text, assignee: null, dueDate: null, sourceStart: null }], [[0]])
  },
  'ai/openai/text.ts': { clean: openai.clean, oneLine: openai.oneLine, clip: text => openai.clip(text, 1_000) },
  'contract/app/user.ts': { shortName: text => shortName.safeParse(text) },
  'contract/import-document.ts': {
    storable: documents.storable,
    readImportDocument: text =>
      attempt(() =>
        documents.readImportDocument({ title: text.slice(0, 100), summary: text, segments: [{ speaker: text.slice(0, 100), text }] })
      )
  },
  'contract/instant.ts': { isInstant, toDate },
  'contract/recording.ts': {
    recordingExtension: recordings.recordingExtension,
    isUrl: recordings.isUrl,
    isBeside: recordings.isBeside
  },
  'contract/session-change.ts': { IfMatch: text => IfMatch.safeParse(text) },
  'contract/text.ts': { isBlank: texts.isBlank, oneLine: texts.oneLine },
  'core/calendar-day.ts': { existingDay: BELOW, weekdayOf: BELOW, addDays: BELOW, addMonths: BELOW, dateInMonth: BELOW },
  'core/counted-day.ts': { countedDay: text => countedDay(text.slice(0, 200), DAY) },
  'core/due-date.ts': {
    normalizeDueDate: text => dueDates.normalizeDueDate(text, DAY),
    findDueDate: eachSentence(text => dueDates.findDueDate(text, DAY)),
    findDueWords: eachSentence(text => dueDates.findDueWords(text, DAY)),
    localDay: BELOW
  },
  'core/due-phrase.ts': { dayPhrase: text => dayPhrase(text.slice(0, 200)) },
  'core/escape.ts': { escapeHtml },
  'core/language-code.ts': { languageCode },
  'core/segment.ts': {
    flatText: text => [oneSegment, manySegments].map(segments => flatText(segments(text))),
    isTimed: BELOW
  },
  'ingest/chunks.ts': { cutChunks: text => [oneSegment, manySegments].map(segments => cutChunks(segments(text))) },
  'ingest/parse/clock-time.ts': { secondsOf },
  'ingest/parse/cues.ts': {
    isCueTiming: cues.isCueTiming,
    readCues: text => [true, false].map(blankEnds => cues.readCues(text.split('\n'), { blankEnds })),
    transcriptOf: text => cues.transcriptOf([{ start: 0, end: 1, lines: text.split('\n') }], null)
  },
  'ingest/parse/markup.ts': { voicesIn },
  'ingest/parse/parse.ts': {
    decodeText: text => files.decodeText(Buffer.from(text)),
    parseTranscript: text => ['a.vtt', 'a.srt', 'a.txt', 'a.json', text].map(name => attempt(() => files.parseTranscript(name, text))),
    parseDocument: text => attempt(() => files.parseDocument('a.txt', text))
  },
  'ingest/parse/person-name.ts': { isPersonName },
  'ingest/parse/started.ts': { dateLine, startInName },
  'ingest/parse/speaker.ts': { isName: names.isName, nameIn: names.nameIn, splitName: names.splitName },
  'ingest/parse/srt.ts': { parseSrt: text => attempt(() => parseSrt(text)) },
  'ingest/parse/text.ts': { parseText },
  'ingest/parse/turns.ts': {
    segmentsOf: text => turns.segmentsOf([{ speaker: text, start: 0, end: 1, text }]),
    lastEnd: BELOW
  },
  'ingest/parse/vtt.ts': { parseVtt: text => attempt(() => parseVtt(text)) },
  'search/asking.ts': { weightsOfWords: text => weightsOfWords(wordsOf(text)) },
  'search/excerpts.ts': { excerptsOf: text => [excerptsFrom(text, ''), excerptsFrom('', text)] },
  'search/sentences.ts': { sentencesOf: shown.sentencesOf, splitSentences: shown.splitSentences },
  'search/snippet.ts': {
    bestSentences: text =>
      bestSentences(
        shown.sentencesOf(text).map(sentence => ({ ...sentence, worth: new Map(wordsOf(sentence.text).map(word => [word, 1])) }))
      )
  },
  'search/stretches.ts': { bestStretches: text => bestStretches(text, [{ stem: 'plan', byPassage: 1, bySession: 1 }]) },
  'sessions/heard.ts': {
    heardIn: text => [oneSegment, manySegments].map(segments => heardIn(segments(text), [])),
    together: BELOW
  },
  'sessions/redate.ts': {
    redatedItems: text => [oneSegment, manySegments].map(segments => redatedItems([itemOf(text)], segments(text), DAYS, new Date(0))),
    isRedated: BELOW
  },
  'sharing/cursor.ts': { readCursor: text => attempt(() => readCursor(text)), writeCursor: text => writeCursor([text, text, text]) },
  'sharing/invite-mail.ts': {
    inviteMail: text => inviteMail({ id: 'inv_1', to: 'ada@example.com', sender: { name: text, email: text }, message: text, url: text })
  },
  'sharing/secret.ts': {
    makeSecret: BELOW,
    inviteSecret: text => secrets.inviteSecret('key', text),
    hashSecret: secrets.hashSecret,
    isSecret: secrets.isSecret,
    joinUrl: text => secrets.joinUrl('https://example.com', text),
    secretOf: secrets.secretOf
  },
  'terms/stemmers.ts': { stemmerOf },
  'terms/words.ts': { wordsOf, mostFrequent: text => mostFrequent(wordsOf(text), 100) },
  'webhooks/address.ts': {
    checkUrl: text => addresses.checkUrl(text, WEBHOOKS),
    checkTarget: text => addresses.checkTarget(text, WEBHOOKS),
    hostOf: text => addresses.hostOf({ hostname: text }),
    isPublic: text => addresses.isPublic(text, []),
    lookupWith: text => addresses.lookupWith(WEBHOOKS)(text)
  }
}

/** A refusal is an answer, too. */
function attempt(work: () => unknown) {
  try {
    return work()
  } catch (refusal) {
    return refusal
  }
}
