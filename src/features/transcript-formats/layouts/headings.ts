import { isName, isPersonName, isVoiceLabel } from '../../../platform/text/speaker-name.ts'
import { plainMarkdown } from './markdown.ts'
import { leftOut } from './no-speech.ts'

const HEADING = /^\s{0,3}#{1,6}\s+(\S.*)$/
const SECTION = /^(?:transcript|transcription)\s*:?$/i
const TIMED = /\d:\d{2}/
const MAX_SHOWN = 20
const MIN_SHARE = 0.7

interface ReadHeadings {
  title: string | null
  /** The lines with the headings blank, so that the numbers of lines stay. */
  lines: readonly string[]
  warnings: string[]
}

/**
 * Reads the headings of Markdown: the first one of the first level is the title, and the others are no speech. A heading with a time, or
 * with the name of a speaker that comes again, is the head of a turn.
 */
export function readHeadings(all: readonly string[]): ReadHeadings {
  const headings = all.map(line => plainMarkdown(HEADING.exec(line.slice(0, MAX_LINE))?.[1] ?? '').trim())
  const counts = new Map<string, number>()
  for (const heading of headings) counts.set(heading, (counts.get(heading) ?? 0) + 1)
  const named = [...counts].filter(([name]) => isName(name) && (isPersonName(name) || isVoiceLabel(name)))
  const names = new Set(named.map(([name]) => name))
  // Names lead turns if they come again, and most headings are names.
  const others = headings.filter(heading => heading !== '').length - 1
  const lead =
    named.some(([, count]) => count > 1) && named.reduce((sum, [, count]) => sum + count, 0) >= others * MIN_SHARE
  const isSpeaker = (name: string) => lead && names.has(name)
  const first = all.findIndex(line => line.trim() !== '')
  let title: string | null = null
  let speaker: string | null = null
  const left: { line: number; heading: string }[] = []
  const lines = all.map((line, at) => {
    const heading = headings[at] ?? ''
    if (heading === '') {
      const label = speaker
      if (line.trim() !== '') speaker = null
      return label === null || line.trim() === '' ? line : `${label}: ${line.trim()}`
    }
    speaker = isSpeaker(heading) ? heading : null
    if (speaker !== null) return ''
    if (TIMED.test(heading)) return line
    if (title === null && at === first && /^\s{0,3}#\s/.test(line)) title = heading
    else if (!SECTION.test(heading)) left.push({ line: at + 1, heading })
    return ''
  })
  return { title, lines, warnings: describe(left) }
}

const MAX_LINE = 2_000

function describe(left: readonly { line: number; heading: string }[]) {
  const shown = left.slice(0, MAX_SHOWN).map(({ line, heading }) => leftOut(line, heading))
  const more = left.slice(MAX_SHOWN).map(({ line }) => line)
  return more.length === 0 ? shown : [...shown, `Lines ${more.join(', ')} are left out, because they are headings`]
}
