import { knownSpeaker } from '../../platform/text/speaker-name.ts'
import { CLOCK_TIME, parseClockTime } from './clock-time.ts'
import { leftOut } from './layouts/no-speech.ts'
import type { ParsedTranscript, Turn } from './transcript.ts'
import { completeTranscript } from './turns.ts'
import { readElements } from './xml.ts'

const HIDDEN = new Set(['head', 'script', 'style', 'template', 'noscript', 'svg', 'nav'])
const BLOCKS = new Set([
  'p',
  'cite',
  'time',
  'title',
  'h1',
  'h2',
  'h3',
  'h4',
  'div',
  'li',
  'section',
  'article',
  'main',
  'body',
  'footer'
])
const TIME = new RegExp(`^[[(]?(${CLOCK_TIME})[\\])]?$`)

/** Returns whether a web page is a transcript as the podcast namespace describes it: names, times and paragraphs. */
export function isPodcastHtml(content: string) {
  return /<p[\s>]/i.test(content) && /<time[\s>]/i.test(content) && /<cite[\s>]/i.test(content)
}

/** Reads `<cite>` as the speaker, `<time>` as the begin and `<p>` as the words. */
export function parsePodcastHtml(content: string): ParsedTranscript {
  const turns: Turn[] = []
  const warnings: string[] = []
  let title = ''
  let next: { speaker: string | null; start: number | null } = { speaker: null, start: null }
  let text = ''
  let inside = ''
  function finish() {
    const said = text.trim()
    text = ''
    if (said === '') return
    if (inside === 'cite') next = { ...next, speaker: knownSpeaker(said.replace(/\s*:$/, '')) }
    else if (inside === 'time') next = { ...next, start: timeIn(said) ?? next.start }
    else if (inside === 'title') title = said
    else if (inside === 'p') {
      turns.push({ ...next, end: null, text: said })
      next = { ...next, start: null }
    } else if (/^h\d$/.test(inside) && turns.length === 0) title ||= said
    else warnings.push(leftOut(null, said))
  }
  readElements(
    content,
    {
      open({ name }) {
        if (name === 'br') text += '\n'
        if (!BLOCKS.has(name)) return
        finish()
        inside = name
      },
      text(more, path) {
        const isTitle = path.at(-1)?.name === 'title'
        if (isTitle || !path.some(({ name }) => HIDDEN.has(name))) text += more
      },
      close({ name }, path) {
        if (!BLOCKS.has(name)) return
        finish()
        inside = path.findLast((element, index) => index < path.length - 1 && BLOCKS.has(element.name))?.name ?? ''
      }
    },
    { xml: false }
  )
  finish()
  return completeTranscript({
    turns: turns.some(turn => turn.start !== null) ? joinParagraphs(turns) : turns,
    title: title || null,
    warnings
  })
}

/** Several paragraphs of one speaker may follow one time. */
function joinParagraphs(turns: Turn[]): Turn[] {
  const joined = turns.reduce<Turn[]>((all, turn) => {
    const last = all.at(-1)
    if (turn.start === null && last?.speaker === turn.speaker) last.text += `\n${turn.text}`
    else all.push({ ...turn })
    return all
  }, [])
  return joined
}

function timeIn(text: string) {
  const [, time] = TIME.exec(text.slice(0, 40)) ?? []
  const seconds = time === undefined ? Number.NaN : parseClockTime(time)
  return Number.isFinite(seconds) ? seconds : null
}
