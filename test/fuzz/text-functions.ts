import { z } from 'zod'
import { shortName } from '../../src/contract/admin/user.ts'
import { ItemsIfMatch, SessionIfMatch, toPrecondition } from '../../src/contract/if-match.ts'
import * as documents from '../../src/contract/import-document.ts'
import { isInstant, isLocal, toDate, toMicroseconds, toUtc } from '../../src/contract/instant.ts'
import * as recordings from '../../src/contract/recording.ts'
import * as texts from '../../src/contract/text.ts'
import * as tokens from '../../src/features/access/token-format.ts'
import { sessionFolder } from '../../src/features/exports/session-folder.ts'
import { leaveOutNoSpeech } from '../../src/features/ingest/no-speech.ts'
import * as seams from '../../src/features/ingest/parts/seams.ts'
import { isPlaceholderTitle } from '../../src/features/ingest/placeholder-title.ts'
import { readFileName } from '../../src/features/ingest/uploads/metadata.ts'
import * as voices from '../../src/features/ingest/voices.ts'
import { cutPassages, joinPassages } from '../../src/features/library/index/passages.ts'
import {
  indexWordsOf,
  indexWordsOfLines,
  plainText,
  queryWordsOf,
  stemmerOf
} from '../../src/features/library/index/terms.ts'
import {
  titleTermsOf,
  titleWordsOf,
  titleWordTerm,
  wholeTitleTerm
} from '../../src/features/library/index/title-terms.ts'
import { moveDueDates } from '../../src/features/library/move-due-dates.ts'
import { keysIn, listSpeakers, rememberNameKeys } from '../../src/features/library/speakers.ts'
import { findKnownDocument } from '../../src/features/oauth/known-documents.ts'
import * as oauthSecrets from '../../src/features/oauth/secrets.ts'
import * as relabels from '../../src/features/people/relabel.ts'
import * as repeatedNames from '../../src/features/people/repeated-names.ts'
import { likelySame, toNamed } from '../../src/features/people/similar-names.ts'
import { cutAround } from '../../src/features/search/cut-around.ts'
import * as excerpts from '../../src/features/search/excerpts.ts'
import { findPeriod } from '../../src/features/search/period.ts'
import { asksAboutPresent } from '../../src/features/search/present.ts'
import { findNamed } from '../../src/features/search/query.ts'
import { editsOf, weighWords } from '../../src/features/search/query-terms.ts'
import { findPhrase, phrasesOf, quotedIn } from '../../src/features/search/quoted.ts'
import { idfsIn } from '../../src/features/search/sentence-terms.ts'
import * as snippets from '../../src/features/search/snippet.ts'
import { toCsv } from '../../src/features/sessions/action-items-csv.ts'
import * as secrets from '../../src/features/sharing/claim.ts'
import { readPosition, writePosition } from '../../src/features/sharing/cursor.ts'
import { toInviteMail } from '../../src/features/sharing/invite-mail.ts'
import * as linkSender from '../../src/features/sign-in/link-sender.ts'
import * as signInFlow from '../../src/features/sign-in/oidc/flow.ts'
import * as identities from '../../src/features/sign-in/oidc/identity.ts'
import * as signInCode from '../../src/features/sign-in/sign-in-code.ts'
import * as signInLinks from '../../src/features/sign-in/sign-in-link.ts'
import { parseSummary } from '../../src/features/summaries/parse-summary.ts'
import { readCsv as readTerms, toCsv as writeTerms } from '../../src/features/terms/terms-csv.ts'
import { toBesides } from '../../src/features/transcript-formats/besides.ts'
import * as captions from '../../src/features/transcript-formats/captions.ts'
import { parseClockTime, parseCueTime, parseLength } from '../../src/features/transcript-formats/clock-time.ts'
import * as cueSpeakers from '../../src/features/transcript-formats/cue-speakers.ts'
import * as cues from '../../src/features/transcript-formats/cues.ts'
import { decodeText } from '../../src/features/transcript-formats/decode.ts'
import { decodeLegacy } from '../../src/features/transcript-formats/encoding.ts'
import { sinceFirstHour } from '../../src/features/transcript-formats/first-hour.ts'
import { foldCues } from '../../src/features/transcript-formats/fold-cues.ts'
import { readAbout } from '../../src/features/transcript-formats/json/about.ts'
import { readAnyTool, withSpeakers } from '../../src/features/transcript-formats/json/any-tool.ts'
import { readAws } from '../../src/features/transcript-formats/json/aws.ts'
import * as clocks from '../../src/features/transcript-formats/json/clocks.ts'
import * as json from '../../src/features/transcript-formats/json/fields.ts'
import { findTurns } from '../../src/features/transcript-formats/json/find-turns.ts'
import * as keys from '../../src/features/transcript-formats/json/keys.ts'
import { readOTranscribe } from '../../src/features/transcript-formats/json/otranscribe.ts'
import { parseLenient, readToolJson } from '../../src/features/transcript-formats/json/read-json.ts'
import { findSpeakerNames } from '../../src/features/transcript-formats/json/speaker-names.ts'
import { describeKeys, describeUnread } from '../../src/features/transcript-formats/json/unread.ts'
import { readWhisper } from '../../src/features/transcript-formats/json/whisper.ts'
import { joinWords, turnsOfWords, withPunctuation } from '../../src/features/transcript-formats/json/words.ts'
import { readWrittenItems } from '../../src/features/transcript-formats/json/written-items.ts'
import { isTurnLine, parseJsonLines } from '../../src/features/transcript-formats/json-lines.ts'
import { readBold } from '../../src/features/transcript-formats/layouts/bold.ts'
import * as bracketTimes from '../../src/features/transcript-formats/layouts/bracket-times.ts'
import * as broadcast from '../../src/features/transcript-formats/layouts/broadcast.ts'
import { readChapters } from '../../src/features/transcript-formats/layouts/chapters.ts'
import { readDaytimes } from '../../src/features/transcript-formats/layouts/daytimes.ts'
import { readDeposition } from '../../src/features/transcript-formats/layouts/deposition.ts'
import { mayBeTitle, readFacts } from '../../src/features/transcript-formats/layouts/facts.ts'
import { readFrontMatter } from '../../src/features/transcript-formats/layouts/front-matter.ts'
import { readHead } from '../../src/features/transcript-formats/layouts/head.ts'
import { mayBeName } from '../../src/features/transcript-formats/layouts/header.ts'
import { readHeaders } from '../../src/features/transcript-formats/layouts/headers.ts'
import { readHeadings } from '../../src/features/transcript-formats/layouts/headings.ts'
import { rewriteTimes } from '../../src/features/transcript-formats/layouts/line-times.ts'
import * as markdownLines from '../../src/features/transcript-formats/layouts/markdown.ts'
import { readMeet } from '../../src/features/transcript-formats/layouts/meet.ts'
import { readMeetTitle } from '../../src/features/transcript-formats/layouts/meet-title.ts'
import { leftOut, readNoSpeech, withoutChat } from '../../src/features/transcript-formats/layouts/no-speech.ts'
import { readMarkdown, readText } from '../../src/features/transcript-formats/layouts/read-text.ts'
import { isScene } from '../../src/features/transcript-formats/layouts/scenes.ts'
import { readTableRows } from '../../src/features/transcript-formats/layouts/table-rows.ts'
import { isLrcTag, parseLrc } from '../../src/features/transcript-formats/lrc.ts'
import { parseVoices } from '../../src/features/transcript-formats/markup.ts'
import * as otherFormats from '../../src/features/transcript-formats/other-formats.ts'
import * as choice from '../../src/features/transcript-formats/parse.ts'
import { parseDocument } from '../../src/features/transcript-formats/parse.ts'
import { isPodcastHtml, parsePodcastHtml } from '../../src/features/transcript-formats/podcast-html.ts'
import { readAnswer } from '../../src/features/transcript-formats/read-answer.ts'
import { isSbvTiming, parseSbv } from '../../src/features/transcript-formats/sbv.ts'
import { parseDateLine, parseFileNameStart } from '../../src/features/transcript-formats/start-time.ts'
import { describeStrays } from '../../src/features/transcript-formats/strays.ts'
import * as tables from '../../src/features/transcript-formats/tables.ts'
import { parseText } from '../../src/features/transcript-formats/text.ts'
import * as transcript from '../../src/features/transcript-formats/transcript.ts'
import { parseTtml } from '../../src/features/transcript-formats/ttml.ts'
import * as turns from '../../src/features/transcript-formats/turns.ts'
import { readElements } from '../../src/features/transcript-formats/xml.ts'
import { parseYouTubeXml } from '../../src/features/transcript-formats/youtube-xml.ts'
import { columnsOf, splitText } from '../../src/features/transcripts/caption-text.ts'
import { correctLines, countLines } from '../../src/features/transcripts/correct-lines.ts'
import { readCueId } from '../../src/features/transcripts/cue-id.ts'
import { toCues } from '../../src/features/transcripts/cues.ts'
import { toPageLines } from '../../src/features/transcripts/page-lines.ts'
import * as labels from '../../src/features/transcripts/speaker-labels.ts'
import { toSrt } from '../../src/features/transcripts/subrip.ts'
import { toSharedTranscript, toTranscript, writeTranscript } from '../../src/features/transcripts/transcript-file.ts'
import { toPart } from '../../src/features/transcripts/transcript-part.ts'
import * as addresses from '../../src/features/webhooks/address.ts'
import * as faces from '../../src/interfaces/console/faces.ts'
import { readHeaderLines } from '../../src/interfaces/console/header-lines.ts'
import * as summaryMarkdown from '../../src/interfaces/console/markdown.ts'
import { openMarks } from '../../src/interfaces/console/marks.ts'
import { readTags, writeTags } from '../../src/interfaces/console/tags.ts'
import { findNearestName } from '../../src/interfaces/http/nearest-name.ts'
import {
  cutBlocks,
  pageBlocks,
  pageRows,
  placeOf,
  quote,
  quoteLines,
  sessionUrl,
  sharedUrl,
  shownTime
} from '../../src/interfaces/mcp/answer-text.ts'
import {
  fieldsInForm,
  inFormOf,
  placeId,
  placeUrl,
  readPlace,
  shownVersion
} from '../../src/interfaces/mcp/arguments.ts'
import * as oauthForms from '../../src/interfaces/oauth/form.ts'
import * as contentWords from '../../src/platform/ai/embedder/content-words.ts'
import { namesOf, openEvidence } from '../../src/platform/ai/openai/evidence.ts'
import { withoutRepeats } from '../../src/platform/ai/openai/items.ts'
import { openNames } from '../../src/platform/ai/openai/names.ts'
import { toPlainLine } from '../../src/platform/ai/openai/plain-text.ts'
import { followTemplate, templateInstructions } from '../../src/platform/ai/openai/template.ts'
import * as openai from '../../src/platform/ai/openai/text.ts'
import * as antecedent from '../../src/platform/ai/summarizer/antecedent.ts'
import * as clean from '../../src/platform/ai/summarizer/clean.ts'
import { detectLanguage } from '../../src/platform/ai/summarizer/detect-language.ts'
import * as evidence from '../../src/platform/ai/summarizer/english-evidence.ts'
import * as english from '../../src/platform/ai/summarizer/english-tasks.ts'
import * as items from '../../src/platform/ai/summarizer/items.ts'
import * as keyPoints from '../../src/platform/ai/summarizer/key-points.ts'
import * as language from '../../src/platform/ai/summarizer/language.ts'
import * as markdown from '../../src/platform/ai/summarizer/markdown.ts'
import { writeOverview } from '../../src/platform/ai/summarizer/overview.ts'
import * as purpose from '../../src/platform/ai/summarizer/purpose.ts'
import { MAX_SENTENCE_CHARACTERS, readSentences, type Sentence } from '../../src/platform/ai/summarizer/sentences.ts'
import { summarizeOffline } from '../../src/platform/ai/summarizer/summarize.ts'
import * as wording from '../../src/platform/ai/summarizer/wording.ts'
import { measureJson, readJson } from '../../src/platform/core/read-json.ts'
import { attachment, fileName } from '../../src/platform/net/attachment.ts'
import { isNamed } from '../../src/platform/net/entity-tag.ts'
import { toBrief } from '../../src/platform/text/brief.ts'
import * as dueDates from '../../src/platform/text/due-date.ts'
import { parseDates } from '../../src/platform/text/due-date-parser.ts'
import { escapeHtml, escapeMarkdown } from '../../src/platform/text/escape.ts'
import { factKind } from '../../src/platform/text/fact-name.ts'
import { folderKey, nameKey, wordKey } from '../../src/platform/text/fold.ts'
import { foldLetters, simplifyHan } from '../../src/platform/text/fold-letters.ts'
import { countValues, rankByFrequency } from '../../src/platform/text/frequency.ts'
import { initialsOf, voiceOf } from '../../src/platform/text/initials.ts'
import { languageCode, primaryLanguage } from '../../src/platform/text/language-code.ts'
import { nameInMail } from '../../src/platform/text/mail-name.ts'
import { isCostly, splitBlocks } from '../../src/platform/text/markdown-blocks.ts'
import { printable, printableJson } from '../../src/platform/text/printable.ts'
import { flatText, isTimed, readSegments, type Segment } from '../../src/platform/text/segment.ts'
import { splitSentences } from '../../src/platform/text/sentences.ts'
import * as names from '../../src/platform/text/speaker-name.ts'
import { numbersOf } from '../../src/platform/text/spoken-numbers.ts'
import { headingKey } from '../../src/platform/text/template.ts'
import { formKey, openTermMatcher } from '../../src/platform/text/term-matcher.ts'
import {
  charactersOf,
  isCharacter,
  plainWordsOf,
  sequenceOf,
  toWords,
  wordsOf,
  writtenWords
} from '../../src/platform/text/words.ts'
import { isWrittenDate, parseWrittenDate } from '../../src/platform/text/written-date.ts'

export type TextFunction = (text: string) => unknown

/** It takes what another function has made of the text, and is measured with the one that calls it. */
const BELOW = null
const SURROUNDINGS = { isDated: true, isNearStart: true, isNearEnd: true, isAsked: true, isThanked: true }

const DAY = '2026-03-04'
const FORMATS = ['txt', 'md', 'vtt', 'srt'] as const
const OTHER_LANGUAGES = ['de', 'fr', 'es']
const [ENGLISH, GERMAN] = [language.openLanguage('en'), language.openLanguage('de')]

/** Said in one go. */
function oneSegment(text: string): Segment[] {
  return [{ speaker: 'Ada', start: 0, end: 10, text }]
}

function pieces(text: string) {
  return text.match(/.{1,6}/gsu) ?? []
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
  const piece = new RegExp(`.{1,${MAX_SENTENCE_CHARACTERS}}`, 'gsu')
  return text => text.match(piece)?.map(take)
}

/** Which other language a text is taken for: the same at every length, for the text repeats itself. */
function otherLanguageOf(text: string) {
  return OTHER_LANGUAGES[text.charCodeAt(1) % OTHER_LANGUAGES.length]!
}

function minutesOf(text: string) {
  return {
    overview: { text, lines: [] },
    topics: [],
    decisions: [sentenceOf(text)],
    questions: [],
    items: [],
    participants: [{ name: text, line: 0 }],
    isComplete: true
  }
}

function sentenceOf(text: string): Sentence {
  const words = language.lowerCaseWords(text)
  return {
    speaker: 'Ada',
    segment: 0,
    lines: [0],
    index: 0,
    text,
    isQuestion: false,
    isFluent: true,
    isSound: true,
    isComplete: true,
    words,
    terms: words
  }
}

const DAYS = { from: DAY, to: '2026-03-11' }

function relabelsOf(text: string) {
  return [...new Set(manySegments(text).map(({ speaker }) => nameKey(speaker)))]
    .slice(0, 2)
    .map(key => ({ key, label: 'Ben', isKnown: true }))
}

function itemOf(text: string) {
  const times = { created_at: 0, updated_at: 0, user_edited_at: null, source_start: null }
  return {
    id: 'ai_1',
    text: text.slice(0, 2_000),
    completed: false,
    source: 'agent' as const,
    due_date: '2026-03-06',
    ...times
  }
}

const WEBHOOKS = { allowHttp: false, allowedCidrs: [], lookup: async () => [] }

function excerptsFrom(written: string, said: string) {
  const item = { id: 'ses_1', title: 'Weekly review', timestamp: null, type: 'meeting' as const, phone: null }
  const best = [{ start: null, end: null, text: said, score: 1 }]
  return excerpts.selectExcerpts([{ ...item, summary: null, notes: written, best }], PLAN, [])
}

const PLAN = [{ term: 'plan', byPassage: 1, bySession: 1 }]

/**
 * By file of src and name: every exported function there that is given text that users write. What it takes besides is fixed, and a
 * file whose functions are private is reached through the one that calls them.
 */
export const TEXT_FUNCTIONS: Record<string, Record<string, TextFunction | null>> = {
  'features/people/similar-names.ts': {
    toNamed: text => toNamed({ id: 'a', name: text }),
    likelySame: text => likelySame(toNamed({ id: 'a', name: text }), [toNamed({ id: 'b', name: text })])
  },
  'features/people/repeated-names.ts': {
    withoutRepeatedNames: text => repeatedNames.withoutRepeatedNames(text, new Set(['Ada', 'a'])),
    mergeRepeatedNames: BELOW
  },
  'features/sign-in/sign-in-code.ts': {
    readCode: signInCode.readCode,
    signInByCode: BELOW,
    signInCode: text => signInCode.signInCode('key', text)
  },
  'features/sign-in/sign-in-link.ts': {
    linkSecret: text => signInLinks.linkSecret('key', text),
    linkIdOf: text => signInLinks.linkIdOf('key', text),
    signInUrl: text => signInLinks.signInUrl('https://example.com', text),
    makeCookieSecret: BELOW,
    hashCookie: signInLinks.hashCookie,
    readCookie: signInLinks.readCookie
  },
  'features/sign-in/link-sender.ts': {
    knownCookie: text => linkSender.knownCookie('key', text),
    linkSenderOf: text => linkSender.linkSenderOf('key', text, { browser: '', known: text, clientAddress: '192.0.2.1' })
  },
  'interfaces/mcp/answer-text.ts': {
    placeOf,
    cutBlocks: text => cutBlocks([{ text, quoted: true }], { room: 24_000 }),
    pageBlocks: text => pageBlocks({ head: [], blocks: [{ text, quoted: true }], cursor: undefined, tool: 'tool' }),
    pageRows: text => pageRows('Rows', 1, async () => ({ rows: [text], next: null }), quote),
    quote,
    quoteLines,
    shownTime: text => shownTime(text.length),
    sessionUrl: text => sessionUrl('https://parlance.test', text),
    sharedUrl: text => sharedUrl('https://parlance.test', text, text)
  },
  'interfaces/mcp/arguments.ts': {
    shownVersion: text => shownVersion('get_session').safeParse(text),
    readPlace,
    placeId: text => placeId({ id: text, owner: text }),
    placeUrl: text => placeUrl('https://parlance.test', { id: text, owner: text }),
    inFormOf: text => inFormOf(ItemsIfMatch, text),
    fieldsInForm: text => fieldsInForm(z.object({ text: ItemsIfMatch }), { text })
  },
  'features/oauth/known-documents.ts': { findKnownDocument },
  'features/oauth/secrets.ts': {
    readSecret: oauthSecrets.readSecret,
    hashSecret: oauthSecrets.hashSecret,
    makeSecret: BELOW,
    tokensAfter: text => oauthSecrets.tokensAfter('key', 'usr_1', text)
  },
  'interfaces/oauth/errors.ts': { answerOAuthError: BELOW },
  'interfaces/oauth/form.ts': {
    readForm: oauthForms.readForm,
    required: BELOW,
    readCredentials: text => {
      try {
        oauthForms.readCredentials({ headers: { authorization: `Basic ${text}` } }, new Map())
      } catch {}
    }
  },
  'features/sign-in/oidc/flow.ts': {
    startFlow: text => signInFlow.startFlow('key', text, new Date(0)),
    readFlow: text => signInFlow.readFlow('key', 'browser', text, new Date(0))
  },
  'features/sign-in/oidc/identity.ts': {
    isVerified: text => identities.isVerified(text, { xms_edov: text }),
    readIdentity: text =>
      attempt(() =>
        identities.readIdentity({ iss: text, sub: text }, { email: text, email_verified: true, name: text }, [])
      )
  },
  'features/exports/session-folder.ts': {
    sessionFolder: text => sessionFolder({ session: { sessionId: 'ses_1', title: text, timestamp: null } })
  },
  'platform/net/attachment.ts': { attachment, fileName: text => fileName(text, 'vtt') },
  'interfaces/console/header-lines.ts': { readHeaderLines },
  'interfaces/console/markdown.ts': {
    markdown: summaryMarkdown.markdown,
    markdownInSteps: summaryMarkdown.markdownInSteps
  },
  'interfaces/console/faces.ts': { face: text => faces.face(text) },
  'platform/text/initials.ts': { voiceOf, initialsOf },
  'platform/text/brief.ts': { toBrief: text => toBrief(text, 240) },
  'interfaces/console/marks.ts': { openMarks: text => openMarks(text).mark(text, 'excerpt') },
  'interfaces/console/tags.ts': { readTags, writeTags: text => writeTags([text]) },
  'features/access/token-format.ts': {
    isWellFormed: tokens.isWellFormed,
    makeToken: BELOW,
    tokenFrom: BELOW,
    hashToken: tokens.hashToken
  },
  'platform/ai/embedder/content-words.ts': {
    selectContentWords: contentWords.selectContentWords,
    isLatin: contentWords.isLatin
  },
  'platform/ai/summarizer/clean.ts': {
    stripMarkup: clean.stripMarkup,
    isBroken: clean.isBroken,
    cleanSentence: eachSentence(text => [ENGLISH, GERMAN].map(each => clean.cleanSentence(text, each)))
  },
  'platform/ai/summarizer/detect-language.ts': { detectLanguage },
  'platform/ai/summarizer/antecedent.ts': {
    resolveObject: eachSentence(text => antecedent.resolveObject(`send it ${text}`, [{ text, lines: [] }], ENGLISH))
  },
  'platform/ai/summarizer/english-evidence.ts': {
    isLater: eachSentence(evidence.isLater),
    beginsWith: eachSentence(text => evidence.beginsWith(text, 'any')),
    scoreWork: eachSentence(text => evidence.scoreWork(text, text, 'direct', true, SURROUNDINGS))
  },
  'platform/ai/summarizer/english-tasks.ts': {
    mayCommit: eachSentence(english.mayCommit),
    readEnglishTask: eachSentence(text => english.readEnglishTask(text, SURROUNDINGS)),
    taskText: eachSentence(text => english.taskText(text, 'by Friday', 'Ada', 'Ben'))
  },
  'platform/ai/summarizer/items.ts': { findItems: BELOW, withoutRemark: items.withoutRemark },
  'platform/ai/summarizer/key-points.ts': {
    pickKeyPoints: BELOW,
    pickFrequent: BELOW,
    listCandidates: BELOW,
    isReadable: eachSentence(text => keyPoints.isReadable({ text }))
  },
  'platform/ai/summarizer/keywords.ts': { findKeywords: BELOW },
  'platform/ai/summarizer/language.ts': {
    openLanguage: BELOW,
    lowerCaseWords: language.lowerCaseWords,
    splitWords: language.splitWords,
    isTerm: BELOW,
    termsOf: BELOW,
    stem: language.stem
  },
  'platform/ai/summarizer/markdown.ts': {
    renderMinutes: text =>
      markdown.renderMinutes(minutesOf(text), 'en', [
        { heading: text, part: 'overview' },
        { heading: text, part: 'decisions' }
      ]),
    selectSections: text =>
      markdown.selectSections(minutesOf(text), 'en', {
        sections: [{ heading: text, content: text, part: 'decisions' }]
      }),
    listTopics: BELOW,
    headingOf: text => markdown.headingOf([text])
  },
  'platform/ai/summarizer/wording.ts': { wordingOf: BELOW, nameOf: wording.nameOf },
  'platform/ai/summarizer/overview.ts': {
    writeOverview: text =>
      writeOverview(
        {
          speakers: [text],
          subjects: [{ text, lines: [] }],
          purpose: undefined,
          decisions: [sentenceOf(text)],
          items: []
        },
        ENGLISH
      )
  },
  'platform/ai/summarizer/purpose.ts': {
    findPurpose: BELOW,
    readSubject: eachSentence(text => purpose.readSubject(`today we discuss ${text}`, ENGLISH)),
    toTitle: text => purpose.toTitle(undefined, [text], ENGLISH),
    joinWords: text => purpose.joinWords([text, text])
  },
  'platform/ai/summarizer/decisions.ts': { pickDecisions: BELOW },
  'platform/ai/summarizer/picking.ts': { pickQuestions: BELOW, pickBest: BELOW, overlap: BELOW },
  'platform/ai/summarizer/ranker.ts': { openRanker: BELOW },
  'platform/ai/summarizer/sentences.ts': {
    readSentences: text => [ENGLISH, GERMAN].map(each => readSentences(manySegments(text), each))
  },
  'platform/ai/summarizer/summarize.ts': {
    summarizeOffline: text => summarizeOffline(conversationOf(oneSegment(text), 'en')),
    'summarizeOffline, of many segments': text => summarizeOffline(conversationOf(manySegments(text), null)),
    'summarizeOffline, in another language': text =>
      summarizeOffline(conversationOf(oneSegment(text), otherLanguageOf(text)))
  },
  'platform/ai/openai/evidence.ts': {
    namesOf: text => [namesOf(text, 'en'), namesOf(text, 'pl'), namesOf(text, 'de')],
    openEvidence: text => openEvidence(oneSegment(text))({ spoken: 'en', written: 'pl' }).supports(text, [0]),
    'openEvidence, of many segments': text =>
      openEvidence(manySegments(text))({ spoken: 'en', written: 'en' }).supports(text.slice(0, 500), [0, 1])
  },
  'platform/text/template.ts': { headingKey },
  'platform/ai/openai/template.ts': {
    followTemplate: text => {
      const points = [{ text, speaker: null, sources: [] }]
      const outline = { overview: null, sections: [{ heading: text, points }], decisions: [], questions: [] }
      return followTemplate({ outline, items: [] }, { sections: [{ heading: text, content: '', part: null }] }, 'en')
    },
    templateInstructions: text => templateInstructions({ sections: [{ heading: text, content: text, part: null }] })
  },
  'platform/ai/openai/items.ts': {
    withoutRepeats: text => withoutRepeats([{ text, assignee: null, dueDate: null, sourceStart: null }]),
    readItems: BELOW,
    completeItem: BELOW
  },
  'platform/ai/openai/names.ts': { openNames: text => openNames([text, 'Ada'])(text) },
  'platform/ai/openai/plain-text.ts': { toPlainLine: text => toPlainLine(text, text.length) },
  'platform/ai/openai/text.ts': { toLine: text => openai.toLine(text, 1_000), clip: text => openai.clip(text, 1_000) },
  'contract/admin/user.ts': { shortName: text => shortName.safeParse(text) },
  'contract/import-document.ts': {
    storable: documents.storable,
    fitsTranscript: text => documents.fitsTranscript(manySegments(text)),
    ImportDocument: text =>
      documents.ImportDocument.safeParse({
        title: text.slice(0, 100),
        summary: text,
        segments: [{ speaker: text.slice(0, 100), text }]
      })
  },
  'contract/instant.ts': {
    isInstant,
    isLocal,
    toDate,
    toMicroseconds,
    toUtc: text => (isInstant(text) ? toUtc(text) : text)
  },
  'contract/recording.ts': {
    recordingExtension: recordings.recordingExtension,
    isUrl: recordings.isUrl,
    isBeside: recordings.isBeside
  },
  'contract/if-match.ts': {
    ItemsIfMatch: text => ItemsIfMatch.safeParse(text),
    SessionIfMatch: text => SessionIfMatch.safeParse(text),
    toPrecondition
  },
  'contract/text.ts': { isBlank: texts.isBlank, oneLine: texts.oneLine },
  'platform/text/calendar-day.ts': { daysAfter: BELOW, existingDay: BELOW, localDay: BELOW },
  'platform/text/due-date.ts': {
    normalizeDueDate: text => dueDates.normalizeDueDate(text, DAY),
    findDueWords: eachSentence(text => ['en', ...OTHER_LANGUAGES].map(code => dueDates.findDueWords(text, DAY, code)))
  },
  'platform/text/due-date-parser.ts': { parseDates: eachSentence(text => parseDates(text, DAY)) },
  'features/transcripts/cue-id.ts': { readCueId, writeCueId: BELOW },
  'features/transcripts/cues.ts': {
    toCues: text => [oneSegment, manySegments].map(segments => toCues(segments(text).filter(isTimed)))
  },
  'platform/net/entity-tag.ts': { isNamed: text => isNamed('"tag"', text) },
  'platform/text/escape.ts': { escapeHtml, escapeMarkdown },
  'platform/text/printable.ts': { printable, printableJson },
  'platform/text/mail-name.ts': { nameInMail },
  'features/transcripts/caption-text.ts': { columnsOf, splitText: text => splitText(text, 84) },
  'platform/text/frequency.ts': {
    countValues: text => countValues(wordsOf(text)),
    rankByFrequency: text => rankByFrequency(wordsOf(text))
  },
  'platform/text/language-code.ts': { languageCode, primaryLanguage },
  'interfaces/http/nearest-name.ts': {
    findNearestName: text => findNearestName(text, ['tag', 'tag_mode', 'cursor', 'updated_since'])
  },
  'features/search/query.ts': {
    findNamed: text => findNamed(text, [{ id: 'per_1', name: 'Ada Lovelace', known: 'Ada Lovelace' }], null),
    allowedSessions: BELOW,
    interpretQuery: BELOW,
    listInterpreted: BELOW,
    countMeant: BELOW
  },
  'features/search/quoted.ts': {
    phrasesOf,
    findPhrase: text => findPhrase(text, text.slice(0, 100)),
    quotedIn: text => quotedIn(text, [text.slice(0, 100)]),
    findQuoted: BELOW
  },
  'platform/text/fact-name.ts': { factKind },
  'platform/text/fold-letters.ts': { foldLetters, simplifyHan },
  'platform/text/written-date.ts': { isWrittenDate, parseWrittenDate },
  'platform/text/fold.ts': { nameKey, folderKey, wordKey },
  'platform/text/term-matcher.ts': {
    formKey,
    openTermMatcher: text => [
      openTermMatcher([{ heard: [text.slice(0, 2_000)], meant: 'Parlance' }]).correct(text),
      openTermMatcher([{ heard: ['a', 'a a'], meant: 'b' }], [text.slice(0, 200)]).correct(text)
    ]
  },
  'platform/text/words.ts': { wordsOf, writtenWords, toWords, charactersOf, sequenceOf, isCharacter, plainWordsOf },
  'features/search/period.ts': { findPeriod: text => findPeriod(text, DAY) },
  'platform/text/segment.ts': {
    flatText: text => [oneSegment, manySegments].map(segments => flatText(segments(text))),
    isTimed: BELOW,
    readSegments: text => readSegments(JSON.stringify(oneSegment(text)))
  },
  'platform/text/spoken-numbers.ts': { numbersOf },
  'platform/text/sentences.ts': { splitSentences: text => ['en', 'de'].map(code => splitSentences(text, code)) },
  'features/transcripts/speaker-labels.ts': {
    assignSpeakers: text =>
      [[text], text.split('\n'), text.match(/.{1,60}/gsu) ?? []].map(units => labels.assignSpeakers(units)),
    findTurns: text => labels.findTurns(text.split('\n')),
    hasMarkedLabel: labels.hasMarkedLabel,
    markLabel: labels.markLabel,
    readsAs: text => labels.readsAs(text.split('\n').map(line => ({ speaker: 'Ada', line })))
  },
  'platform/text/speaker-name.ts': {
    isRoleOrBot: names.isRoleOrBot,
    isHeading: names.isHeading,
    isName: names.isName,
    isPersonName: names.isPersonName,
    isNameOfSomebody: names.isNameOfSomebody,
    isVoiceLabel: names.isVoiceLabel,
    knownSpeaker: names.knownSpeaker,
    parseName: names.parseName,
    trimMarks: names.trimMarks,
    withoutSuffix: names.withoutSuffix
  },
  'features/transcripts/subrip.ts': {
    toSrt: text => [oneSegment, manySegments].map(segments => toSrt(segments(text).filter(isTimed)))
  },
  'features/transcripts/page-lines.ts': {
    toPageLines: text =>
      [oneSegment, manySegments].map(segments =>
        toPageLines(segments(text), {
          speaker: text,
          chapters: [{ heading: text, start: 1 }],
          correctAt: '/s/correct?line='
        })
      )
  },
  'features/ingest/placeholder-title.ts': { isPlaceholderTitle },
  'features/summaries/parse-summary.ts': { parseSummary },
  'platform/text/markdown-blocks.ts': { splitBlocks, isCostly },
  'features/terms/terms-csv.ts': {
    toCsv: text => writeTerms([{ id: 'trm_1', heard: [text], meant: text, created_at: '', updated_at: '' }]),
    readCsv: text => attempt(() => readTerms(Buffer.from(`heard,meant\n${text}`)))
  },
  'features/transcripts/correct-lines.ts': {
    toLine: BELOW,
    countLines: text =>
      countLines({
        segments: JSON.stringify(manySegments(text)),
        terms: [{ heard: [text.slice(0, 2_000)], meant: 'Parlance' }],
        kept: []
      }),
    correctLines: text =>
      correctLines({
        segments: JSON.stringify(manySegments(text)),
        speakers: [],
        changes: [{ index: 0, text: `${text}.`, speaker: `${text.slice(0, 100)}.` }],
        now: '2026-03-02T10:00:00.000Z'
      })
  },
  'features/transcripts/transcript-part.ts': {
    toPart: text => [oneSegment, manySegments].map(segments => toPart(segments(text), { first: 0, characters: 1e9 }))
  },
  'features/transcripts/transcript-file.ts': {
    preferredFormat: BELOW,
    toSharedTranscript: text => [oneSegment, manySegments].map(segments => toSharedTranscript(segments(text))),
    toTranscript: text => [oneSegment, manySegments].map(segments => toTranscript(segments(text))),
    hasTimes: BELOW,
    segmentsWithin: BELOW,
    writeTranscript: text =>
      FORMATS.map(format =>
        [oneSegment, manySegments].map(segments =>
          writeTranscript(format, { title: text, segments: segments(text) }, {})
        )
      ),
    'writeTranscript, read again': text =>
      captions.parseVtt(writeTranscript('vtt', { title: '', segments: oneSegment(`Said: ${text}`) }, {}))
  },
  'features/library/index/passages.ts': {
    cutPassages: text => Promise.all([oneSegment, manySegments].map(segments => cutPassages(segments(text)))),
    listPassages: BELOW,
    joinPassages: text => joinPassages(`Ada: ${text}`, `Ada: ${text}`)
  },
  'features/transcript-formats/besides.ts': {
    toBesides: text =>
      toBesides({
        segments: [],
        language: null,
        durationSeconds: null,
        tags: [text, ...pieces(text)],
        summary: text,
        actionItems: [{ text, assignee: text, completed: false }]
      })
  },
  'features/transcript-formats/cue-speakers.ts': {
    speakersOfIds: text => cueSpeakers.speakersOfIds([cueOf(text, text), ...pieces(text).map(id => cueOf(id, id))]),
    readMetadata: text => [
      cueSpeakers.readMetadata([cueOf('', `{${text}`)]),
      cueSpeakers.readMetadata([
        cueOf('', JSON.stringify({ spokenText: text, speakerName: text, startDateTime: text }))
      ])
    ]
  },
  'features/transcript-formats/first-hour.ts': { sinceFirstHour: text => sinceFirstHour(manySegments(text)) },
  'features/transcript-formats/json/about.ts': {
    readAbout: text => readAbout({ title: text, date: text, summary: text, action_items: text, tags: pieces(text) })
  },
  'features/transcript-formats/json/any-tool.ts': {
    readAnyTool: text =>
      [text, ...pieces(text).slice(0, 1)].map(said =>
        attempt(() =>
          readAnyTool(
            {
              speakers: [{ id: 1, name: said }],
              turns: pieces(text).map(part => ({ speaker: 1, text: part, start: said.slice(0, 9) }))
            },
            null
          )
        )
      ),
    withSpeakers: text => withSpeakers(manySegments(text), manySegments(text))
  },
  'features/transcript-formats/json/aws.ts': {
    readAws: text =>
      readAws({
        results: {
          transcripts: [{ transcript: text }],
          items: pieces(text).map(content => ({ type: 'pronunciation', start_time: '0', alternatives: [{ content }] }))
        }
      })
  },
  'features/transcript-formats/json/clocks.ts': {
    findTimes: text => attempt(() => clocks.findTimes({ start: text, end: text, [text]: 1 }, [])),
    countMilliseconds: BELOW
  },
  'features/transcript-formats/json/find-turns.ts': {
    findTurns: text => findTurns({ [text]: pieces(text).map(part => ({ text: part, speaker: text })) }),
    partsOf: BELOW
  },
  'features/transcript-formats/json/keys.ts': {
    plainKey: keys.plainKey,
    findKeys: text => keys.findKeys({ [text]: text }, [text]),
    findText: text => keys.findText({ text }),
    findSpeaker: text => keys.findSpeaker({ speaker: { name: text } })
  },
  'features/transcript-formats/json/otranscribe.ts': {
    readOTranscribe: text => attempt(() => readOTranscribe({ text: `<p>${text}</p>`, media: '' }))
  },
  'features/transcript-formats/json/speaker-names.ts': {
    findSpeakerNames: text => findSpeakerNames({ speakers: pieces(text).map((name, id) => ({ id, name })) })
  },
  'features/transcript-formats/json/unread.ts': {
    describeUnread: text =>
      attempt(() =>
        describeUnread({ [text]: [text] }, new Set(), { segments: [], language: null, durationSeconds: null })
      ),
    describeKeys: text => describeKeys({ [text]: { [text]: text } })
  },
  'features/transcript-formats/json/written-items.ts': { readWrittenItems },
  'features/transcript-formats/json-lines.ts': {
    parseJsonLines: text =>
      [
        text,
        pieces(text)
          .map(part => JSON.stringify({ text: part }))
          .join('\n')
      ].map(parseJsonLines),
    isTurnLine: text => [text, JSON.stringify({ text, start: 1 })].map(isTurnLine)
  },
  'features/transcript-formats/layouts/bracket-times.ts': {
    withoutBracketTimes: text => [text, `[${text}`].map(bracketTimes.withoutBracketTimes),
    leadingBracketTime: text => [text, `[${text}`].map(bracketTimes.leadingBracketTime)
  },
  'features/transcript-formats/layouts/broadcast.ts': {
    readBroadcast: text =>
      [text, `(${text})`, `Mr. A. b\nMr. B. c\n${text}`].map(said => broadcast.readBroadcast(said.split('\n'))),
    withoutRoles: text =>
      broadcast.withoutRoles({
        segments: [
          { speaker: text, start: null, end: null, text: '' },
          { speaker: `ADA, ${text}`, start: null, end: null, text: '' },
          ...manySegments(text)
        ],
        language: null,
        durationSeconds: null
      })
  },
  'features/transcript-formats/layouts/chapters.ts': {
    readChapters: text => [text, `0:01\na\n0:02\n${text}`].map(said => readChapters(said.split('\n')))
  },
  'features/transcript-formats/layouts/daytimes.ts': {
    readDaytimes: text => [text, `[10:02 AM] a\n[10:03 AM] ${text}`].map(said => readDaytimes(said.split('\n')))
  },
  'features/transcript-formats/layouts/deposition.ts': {
    readDeposition: text =>
      [text, `Q. a\nA. b\nQ. ${text}\nA. ${text}\n${text}`].map(said => readDeposition(said.split('\n')))
  },
  'features/transcript-formats/layouts/front-matter.ts': {
    readFrontMatter: text =>
      [text, `---\n${text}\n---\na`, `---\ntitle: ${text}\n---\na`, `---\na: [${text}]\n---\na`].map(said =>
        readFrontMatter(said.split('\n'))
      ),
    withFrontMatter: BELOW
  },
  'features/transcript-formats/layouts/headings.ts': {
    readHeadings: text =>
      [text, `# ${text}`, `## Ada\n${text}\n## Ada\n${text}`].map(said => readHeadings(said.split('\n')))
  },
  'features/transcript-formats/layouts/line-times.ts': {
    rewriteTimes: text =>
      [
        text,
        `#00:00:01-0# ${text}\n#00:00:02-0#`,
        `0:01 a\n0:02 ${text}`,
        `[0:01] a\n[0:02] ${text}`,
        `0:01 - 0:02 ${text}\n0:02 - 0:03 ${text}`
      ].map(said => rewriteTimes(said.split('\n')))
  },
  'features/transcript-formats/layouts/scenes.ts': { isScene },
  'features/transcript-formats/layouts/table-rows.ts': {
    readTableRows: text =>
      [text, `0:01\ta\n0:02\t${text}`, `|0:01|a|\n|0:02|${text}|`].map(said => readTableRows(said.split('\n')))
  },
  'features/transcript-formats/read-answer.ts': {
    readAnswer: text =>
      [{ text }, { segments: pieces(text).map(part => ({ text: part, start: 0, end: 1 })) }].map(answer =>
        attempt(() => readAnswer(answer))
      )
  },
  'features/transcript-formats/youtube-xml.ts': {
    parseYouTubeXml: text =>
      [text, `<transcript><text start="1">${text}</text></transcript>`].map(xml => attempt(() => parseYouTubeXml(xml)))
  },
  'features/transcript-formats/clock-time.ts': { parseClockTime, parseCueTime, parseLength },
  'features/transcript-formats/captions.ts': {
    parseSrt: text => attempt(() => captions.parseSrt(text)),
    parseVtt: text => attempt(() => captions.parseVtt(text))
  },
  'features/transcript-formats/encoding.ts': { decodeLegacy: text => decodeLegacy(Buffer.from(text, 'utf16le')) },
  'features/transcript-formats/cues.ts': {
    isCueTiming: cues.isCueTiming,
    isStrictVtt: text => cues.isStrictVtt(text.split('\n')),
    readLooseCues: text => attempt(() => cues.readLooseCues(text.split('\n'))),
    readVttCues: text => attempt(() => cues.readVttCues(text.split('\n'))),
    withoutComments: text => cues.withoutComments(text.split('\n'))
  },
  'platform/core/read-json.ts': {
    readJson: text =>
      [text, JSON.stringify(text), `{"${text.replaceAll(/["\\\p{Cc}]/gu, '')}":1}`].map(json =>
        attempt(() => readJson(Buffer.from(json), { maxValues: Number.POSITIVE_INFINITY, repairsText: false }))
      ),
    measureJson: text => measureJson(Buffer.from(text))
  },
  'features/transcript-formats/decode.ts': {
    decodeText: text =>
      [Buffer.from(text), Buffer.from(`${text}\xff`, 'latin1')].map(bytes => attempt(() => decodeText(bytes)))
  },
  'features/transcript-formats/fold-cues.ts': {
    foldCues: text =>
      [text.split('\n'), text.match(/.{1,60}/gsu) ?? []].map(said =>
        foldCues(said.map((part, at) => [{ speaker: null, start: at, end: at + 1, text: part }]))
      )
  },
  'features/transcript-formats/markup.ts': { parseVoices },
  'features/transcript-formats/parse.ts': {
    parseDocument: text =>
      ['a.vtt', 'a.srt', 'a.txt', 'a.md', 'a.csv', 'a.xml', 'a.json', text].map(name =>
        attempt(() => parseDocument(name, text))
      ),
    parseArchivedDocument: text => attempt(() => choice.parseArchivedDocument(text)),
    chooseParser: text =>
      ['txt', 'xml', 'csv', 'odd'].map(extension => attempt(() => choice.chooseParser(extension, text))),
    isOtherThanText: choice.isOtherThanText,
    extensionOf: choice.extensionOf
  },
  'features/transcript-formats/json/fields.ts': {
    isRecord: BELOW,
    objectsOf: BELOW,
    someObjects: BELOW,
    areMilliseconds: BELOW,
    stringOrNull: BELOW,
    readEach: text => json.readEach(json.speaker, [text]),
    read: text => [json.secondsField, json.millisecondsField].map(time => attempt(() => json.read(time, text)))
  },
  'features/transcript-formats/json/read-json.ts': {
    parseLenient: text => attempt(() => parseLenient(`{"text": NaN, "${text}`)),
    readToolJson: text => attempt(() => readToolJson({ output: { [text]: text } }))
  },
  'features/transcript-formats/json/whisper.ts': {
    readWhisper: text =>
      [{ text }, { chunks: pieces(text).map(piece => ({ text: piece, timestamp: [0, 1] })) }].map(readWhisper)
  },
  'features/transcript-formats/json/words.ts': {
    turnsOfWords: text => turnsOfWords(wordsOf(text).map(word => ({ speaker: null, start: 0, end: 1, text: word }))),
    joinWords: text => joinWords(pieces(text).map(word => ({ speaker: null, start: 0, end: 1, text: word }))),
    withPunctuation: text =>
      withPunctuation(
        pieces(text).map(word => ({ speaker: null, start: 0, end: 1, text: word })),
        text
      )
  },
  'features/transcript-formats/docx.ts': { isZip: BELOW, readDocx: BELOW },
  'features/transcript-formats/layouts/bold.ts': {
    readBold: text => [text, `**Ada** (0:01): ${text}`, `**${text}**: a`].map(said => readBold(said.split('\n')))
  },
  'features/transcript-formats/layouts/facts.ts': {
    mayBeTitle,
    readFacts: text =>
      [text, `Title: a\nDate: ${text}`, `Participants:\n${text}`].map(said => readFacts(said.split('\n')))
  },
  'features/transcript-formats/layouts/head.ts': { readHead: text => readHead(text.split('\n')) },
  'features/transcript-formats/layouts/header.ts': { mayBeName },
  'features/transcript-formats/layouts/headers.ts': {
    readHeaders: text =>
      [text, `0:01 - Ada\n${text}`, `[Ada] 14:00:00\n${text}`].map(said => readHeaders(said.split('\n')))
  },
  'features/transcript-formats/layouts/markdown.ts': {
    plainMarkdown: markdownLines.plainMarkdown,
    withoutEscapes: markdownLines.withoutEscapes
  },
  'features/transcript-formats/layouts/meet.ts': {
    readMeet: text =>
      [text, `00:00:00\nAda: ${text}\n${text}`, `a - Transcript\n${text}`].map(said => readMeet(said.split('\n')))
  },
  'features/transcript-formats/layouts/meet-title.ts': { readMeetTitle: text => readMeetTitle(text, [text]) },
  'features/transcript-formats/layouts/no-speech.ts': {
    leftOut: text => leftOut(1, text),
    readNoSpeech,
    withoutChat: text => withoutChat(text.split('\n'))
  },
  'features/transcript-formats/layouts/read-text.ts': { readText, readMarkdown },
  'features/transcript-formats/lrc.ts': { isLrcTag, parseLrc: text => [text, `[00:01.00]${text}`].map(parseLrc) },
  'features/transcript-formats/other-formats.ts': {
    refuseOtherContent: text => attempt(() => otherFormats.refuseOtherContent(text, text)),
    refuseOtherXml: text => attempt(() => otherFormats.refuseOtherXml(text)),
    refuseOtherExtension: text => attempt(() => otherFormats.refuseOtherExtension(text, text))
  },
  'features/transcript-formats/podcast-html.ts': {
    isPodcastHtml,
    parsePodcastHtml: text =>
      [text, `<cite>Ada</cite><time>0:00</time><p>${text}`].map(page => attempt(() => parsePodcastHtml(page)))
  },
  'features/transcript-formats/sbv.ts': {
    isSbvTiming,
    parseSbv: text => attempt(() => parseSbv(`0:00:01.000,0:00:02.000\n${text}`))
  },
  'features/transcript-formats/tables.ts': {
    parseTable: text =>
      (['\t', ',', ';'] as const).map(separator =>
        attempt(() =>
          tables.parseTable(`start${separator}text\n0${separator}${text}\n0${separator}"${text}"`, separator)
        )
      ),
    separatorIn: tables.separatorIn,
    isLabelTrack: text => tables.isLabelTrack(text.split('\n')),
    parseLabelTrack: text => attempt(() => tables.parseLabelTrack(`0.0\t1.0\t${text}`))
  },
  'features/transcript-formats/ttml.ts': {
    parseTtml: text =>
      [
        text,
        `<tt><body><p begin="0s">${text}</p></body></tt>`,
        `<tt><p begin="${text}"/></tt>`,
        `<tt><agent xml:id="a"><name> ${text}</name></agent>${pieces(text)
          .map(() => '<p begin="0s" ttm:agent="a">said</p>')
          .join('')}</tt>`
      ].map(xml => attempt(() => parseTtml(xml)))
  },
  'features/transcript-formats/turns.ts': {
    completeTranscript: BELOW,
    untimed: BELOW,
    withLabels: text => turns.withLabels(pieces(text).map(said => ({ speaker: null, start: 0, end: 1, text: said })))
  },
  'features/transcript-formats/xml.ts': {
    readElements: text => [true, false].map(xml => attempt(() => readElements(text, {}, { xml })))
  },
  'features/transcript-formats/start-time.ts': { parseDateLine, parseFileNameStart },
  'features/ingest/uploads/metadata.ts': { readFileName: text => attempt(() => readFileName(text)) },
  'features/transcript-formats/strays.ts': { describeStrays: text => describeStrays([{ line: 1, text }]) },
  'features/transcript-formats/text.ts': { parseText },
  'features/transcript-formats/transcript.ts': {
    toSegments: text => transcript.toSegments([{ speaker: text, start: 0, end: 1, text }]),
    lastEnd: BELOW
  },
  'features/search/sentence-terms.ts': { idfsIn: text => [idfsIn([text], PLAN), idfsIn(pieces(text), PLAN)] },
  'features/library/titled.ts': { findTitled: BELOW },
  'features/library/index/title-terms.ts': { titleTermsOf, titleWordsOf, titleWordTerm, wholeTitleTerm },
  'features/library/index/terms.ts': {
    plainText,
    indexWordsOf,
    indexWordsOfLines: text => [indexWordsOfLines([text]), indexWordsOfLines(pieces(text))],
    queryWordsOf,
    stemmerOf,
    stemWords: BELOW,
    stemByLibrary: BELOW
  },
  'features/search/query-terms.ts': {
    weighWords: text => weighWords(wordsOf(text)),
    findQueryTerms: BELOW,
    editsOf: text => editsOf(text.slice(0, 20))
  },
  'features/search/candidates.ts': {
    findLexicalCandidates: BELOW,
    listQueryTerms: BELOW,
    idfOf: BELOW,
    scoreSessions: BELOW,
    scorePostings: BELOW
  },
  'features/search/similarities.ts': {
    listNearest: BELOW,
    findSimilarities: BELOW
  },
  'features/search/present.ts': { asksAboutPresent, withNewest: BELOW },
  'features/search/heading-bits.ts': { withHeadingBits: BELOW, allBits: BELOW },
  'features/search/excerpts.ts': {
    findFound: BELOW,
    selectExcerpts: text => [excerptsFrom(text, ''), excerptsFrom('', text)],
    bestParts: text => excerpts.bestParts(text, PLAN)
  },
  'features/search/cut-around.ts': {
    cutAround: text => cutAround(text, { speaker: text.slice(0, 100), text: text.slice(-300) }, 400)
  },
  'features/search/snippet.ts': {
    scoreSentences: text => snippets.scoreSentences(snippets.sentencesOf(text), PLAN, [text.slice(0, 100)]),
    sentencesOf: snippets.sentencesOf,
    splitLines: text => snippets.splitLines(text.split('\n').map(line => ({ speaker: '', text: line }))),
    bestSentences: text =>
      snippets.bestSentences(
        snippets
          .sentencesOf(text)
          .map(sentence => ({ ...sentence, idf: new Map(wordsOf(sentence.text).map(word => [word, 1])) }))
      )
  },
  'features/sessions/action-items-csv.ts': {
    toCsv: text => toCsv([{ ...itemOf(text), session: { id: 'ses_1', title: text, timestamp: null }, version: 1 }])
  },
  'features/people/relabel.ts': {
    relabelSegments: text => relabels.relabelSegments(manySegments(text), relabelsOf(text)),
    relabelItems: text =>
      relabels.relabelItems([itemOf(text)], {
        segments: manySegments(text),
        relabels: relabelsOf(text),
        now: new Date(0)
      }),
    listRenames: text => [...relabels.listRenames(manySegments(text), relabelsOf(text))],
    renameInText: text => [
      relabels.renameInText(text, new Map([[text.slice(0, 100), 'Ben']])),
      relabels.renameInText('Ada '.repeat(text.length / 4), new Map([['Ada', text.slice(0, 100)]]))
    ]
  },
  'features/ingest/no-speech.ts': {
    leaveOutNoSpeech: text => leaveOutNoSpeech([{ speaker: 'Speaker', start: 0, end: 1, text }], () => false)
  },
  'features/ingest/parts/seams.ts': {
    placeSegments: BELOW,
    joinSeams: text => {
      const segments = [{ speaker: 'Ada', start: 0, end: 9, text }]
      return seams.joinSeams([
        { startMs: 0, endMs: 9_000, segments },
        { startMs: 6_000, endMs: 15_000, segments }
      ])
    }
  },
  'features/ingest/voices.ts': {
    nameVoices: text => voices.nameVoices([{ speaker: text, start: null, end: null, text }]),
    nameVoicesOfPart: text => voices.nameVoicesOfPart([{ speaker: text, start: null, end: null, text }], [text]),
    toLabel: voices.toLabel,
    chooseSamples: BELOW
  },
  'features/library/speakers.ts': {
    listSpeakers: text => [oneSegment, manySegments].map(segments => listSpeakers(segments(text), [])),
    keysIn: text => [oneSegment, manySegments].map(segments => keysIn(segments(text))),
    rememberNameKeys: text => rememberNameKeys()(text),
    groupByPerson: BELOW
  },
  'features/library/move-due-dates.ts': {
    moveDueDates: text =>
      [oneSegment, manySegments].map(segments => moveDueDates([itemOf(text)], segments(text), DAYS, new Date(0)))
  },
  'features/sharing/cursor.ts': {
    readPosition: text => attempt(() => readPosition(text)),
    writePosition: text => writePosition([text, text, text])
  },
  'features/sharing/invite-mail.ts': {
    sendInvite: BELOW,
    toInviteMail: text =>
      toInviteMail({
        id: 'inv_1',
        to: 'ada@example.com',
        sender: { name: text, email: text },
        message: text,
        url: text
      })
  },
  'features/sharing/claim.ts': {
    claimSecret: BELOW,
    claimPlace: BELOW,
    findSecretPlace: BELOW,
    findKnownInvites: BELOW,
    findOffer: BELOW,
    makeSecret: BELOW,
    inviteSecret: text => secrets.inviteSecret('key', text),
    hashSecret: secrets.hashSecret,
    isSecret: secrets.isSecret,
    joinUrl: text => secrets.joinUrl('https://example.com', text),
    secretOf: secrets.secretOf
  },
  'features/webhooks/address.ts': {
    checkUrl: text => addresses.checkUrl(text, WEBHOOKS),
    checkTarget: text => addresses.checkTarget(text, WEBHOOKS),
    hostOf: text => addresses.hostOf({ hostname: text }),
    isPublic: text => addresses.isPublic(text, []),
    lookupWith: text => addresses.lookupWith(WEBHOOKS)(text)
  }
}

function cueOf(id: string, text: string) {
  return { start: 0, end: 1, lines: [text], place: null, id }
}

/** A refusal is an answer, too. */
function attempt(work: () => unknown) {
  try {
    return work()
  } catch (refusal) {
    return refusal
  }
}
