import type { Lexicon } from './words/lexicon.ts'

const FEWEST_WORDS = 6
const MOST_WORDS = 40
const FEWEST_CHARACTERS = 12
const MOST_CHARACTERS = 280

/** Whether a cleaned sentence is torn at neither end, nor begun twice. */
export function isSound(text: string, words: readonly string[], lexicon: Lexicon) {
  const [first, last] = [words[0] ?? '', words.at(-1) ?? '']
  const question = /[?？]$/.test(text)
  if (lexicon.badEnds.has(last) || /[,;:–—-][.?!]$/u.test(text)) return false
  if (lexicon.badStarts.has(first) && !question) return false
  return isBalanced(text) && !(lexicon.code === 'en' && isMuddled(text, words))
}

/** Whether a sound sentence can be shown alone: it has a fit length, and a verb where one can be recognized. */
export function isWhole(text: string, words: readonly string[], lexicon: Lexicon) {
  if (!hasFitLength(text, words) || !hasVerb(words, lexicon)) return false
  return lexicon.code !== 'en' || (/[?？]$/.test(text) ? isAsked(words) : isStated(text, words))
}

const AUXILIARY =
  "(?:is|are|was|were|do|does|did|can|could|should|shall|would|will|has|have|had|might|may|isn't|aren't|don't|doesn't|didn't|can't|couldn't|shouldn't|wouldn't|won't|hasn't|haven't)"
const ASKED = new RegExp(
  `^(?:if .*, )?(?:${AUXILIARY}|what|which|who|whose|how (?:many|much|long|far|often|big|do|does|did|about)|(?:how|why|where|when)(?:'s| ${AUXILIARY})|(?:in|on|at|for|by|to|with|of) (?:what|which|whom|whose))\\b`
)

/** Questions put as such, not statements with a rising voice. */
function isAsked(words: readonly string[]) {
  const line = words.join(' ')
  return ASKED.test(line) || new RegExp(`, ${AUXILIARY} (?:we|it|they|you|there|the|this|that)\\b`).test(line)
}

/** Not without its subject: "need to check that", "how I would go about it", "as opposed to the other". */
function isStated(text: string, words: readonly string[]) {
  const first = words[0] ?? ''
  if (/^(?:who|who's|how|how's|where|where's|why|when|as|having|being|if|while|after|before|once)$/.test(first))
    return text.includes(',') && !/^(?:who|how|why|where)/.test(first)
  if (/^what/.test(first)) return /\b(?:is|was|are)\b/.test(words.slice(3).join(' '))
  return !BARE_VERBS.has(first)
}

const BARE_VERBS = new Set(
  'need want know try think make get give take put see say mean seem let go come keep find tell ask look have shall not find use pay hope guess wonder imagine remember suppose depends means seems makes looks says trying going looking making getting thinking talking saying just opposed based according ran went got had did said saw came'.split(
    ' '
  )
)

function hasFitLength(text: string, words: readonly string[]) {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(text)) {
    return text.length >= FEWEST_CHARACTERS - 2 && text.length <= MOST_CHARACTERS / 2
  }
  return words.length >= FEWEST_WORDS && words.length <= MOST_WORDS && text.length <= MOST_CHARACTERS
}

function hasVerb(words: readonly string[], { verbs, nounVerbs }: Lexicon) {
  if (verbs.size === 0) return true
  return words.some((word, at) => {
    if (verbs.has(word) || /(?:'(?:m|re|ve|ll|d)|n't)$/.test(word) || isContractedIs(word)) return true
    const subject = /^(?:i|we|you|they|he|she|it|who|people)$/.test(words[at - 1] ?? '')
    return subject && (nounVerbs?.has(word) || /[^e]ed$/.test(word))
  })
}

function isContractedIs(word: string) {
  return /^(?:it|that|he|she|there|what|who|here|this|one|everything|how|where|let)'s$/.test(word)
}

function isBalanced(text: string) {
  return (text.match(/["“”]/g)?.length ?? 0) % 2 === 0 && (text.match(/\(/g)?.length ?? 0) === (text.match(/\)/g)?.length ?? 0)
}

/** Signs of a sentence begun twice: "we could we should", "I what I", "the it". */
function isMuddled(text: string, words: readonly string[]) {
  const line = words.join(' ')
  return (
    /\b(?:the|a|an|my|our|of the|to the) (?:i|we|you|it|he|she|they|is|are|was|it's|i'm|and|or|but|so|to|of|that's|there's|if|because|the|a|an)\b/.test(
      line
    ) ||
    /\b(?:i|we|they|he|she) (?:i|we|they|he|she|what|it's|that's|the|a|i'm|we're|there's|it)\b|\byou (?:i|we|they|he|she|it's|that's|i'm|we're|there's)\b/.test(
      line
    ) ||
    /\b(?:is|are|was) (?:is|are|was|i|we've|it's|i'm|you're|they're)\b/.test(line) ||
    /\b(?:it's|that's|there's) (?:it's|that's|there's|i|we|is|it|they|you|we're|i'm|you're)\b/.test(line) ||
    /\b(?:to|will|would|can|could|should) (?:i|we|he|she|they|is|are|was|it's|to|will|would|can|could|should)\b(?! be)/.test(
      line.replace(/\b(?:would|could|can|should|will) (?:i|we|he|she|they)\b/g, text.endsWith('?') ? ' ' : '$&')
    ) ||
    /\b(?:we|i|you|they|shall we) (?:well|so|okay|um)\b/.test(line) ||
    /\b(\p{L}{4,}) (?!(?:by|to|for|and|or|of|in|on|is|are|per|the|no|as) )\p{L}{1,3} \1\b|\b(\p{L}+ \p{L}+) (?:of|the|\p{L}{1,2}) \2\b/u.test(
      line
    ) ||
    /\b(?:and|or|but) (?:and|or|but)\b|\b(?:sort|kind) of\b.*\b(?:sort|kind) of\b|\bum\b|\buh\b/.test(line) ||
    /[—–] ?\w+ ?[—–]/.test(text)
  )
}
