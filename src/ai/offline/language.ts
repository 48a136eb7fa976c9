import { LEXICONS, NEIGHBOURS } from './words/languages.ts'

const READ_CHARACTERS = 20_000
/** Of spoken words, this share at least is among a language's function words. */
const SMALLEST_SHARE = 0.2
const FEWEST_WORDS = 3

const SCRIPTS: [RegExp, string][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 'ja'],
  [/\p{Script=Hangul}/gu, 'ko'],
  [/\p{Script=Han}/gu, 'zh'],
  [/\p{Script=Cyrillic}/gu, 'ru'],
  [/\p{Script=Arabic}/gu, 'ar'],
  [/\p{Script=Hebrew}/gu, 'he'],
  [/\p{Script=Greek}/gu, 'el'],
  [/\p{Script=Thai}/gu, 'th'],
  [/\p{Script=Devanagari}/gu, 'hi']
]

/** ISO 639-1 of the language of a text; null when it cannot be told. */
export function detectLanguage(text: string): string | null {
  const sample = text.slice(0, READ_CHARACTERS)
  return byScript(sample) ?? byWords(sample)
}

function byScript(sample: string) {
  const letters = sample.match(/\p{L}/gu)?.length ?? 0
  const shares = SCRIPTS.map(([script, code]) => ({ code, share: (sample.match(script)?.length ?? 0) / letters }))
  // Japanese is known by its kana, however many Han characters stand between them.
  const found = shares.find(({ code, share }) => share > (code === 'ja' ? 0.15 : 0.4))?.code
  if (found === 'ru' && /[іїєґ]/i.test(sample)) return 'uk'
  return found === 'ar' && /[پچگژ]/.test(sample) ? 'fa' : found
}

function byWords(sample: string): string | null {
  const words = (
    sample
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}'-]+/gu) ?? []
  ).slice(0, 3000)
  if (words.length < FEWEST_WORDS) return null
  const candidates = [
    ...LEXICONS.map(({ code, stop }) => ({ code, stop })),
    ...Object.entries(NEIGHBOURS).map(([code, stop]) => ({ code, stop }))
  ]
  const [best, next] = candidates
    .map(({ code, stop }) => ({ code, share: words.filter(word => stop.has(word)).length / words.length }))
    .sort((a, b) => b.share - a.share)
  if (!best || best.share < SMALLEST_SHARE || best.share < (next?.share ?? 0) * 1.1) return null
  return best.code
}
