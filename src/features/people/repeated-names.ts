import type { Outline, Statement } from '../../platform/text/outline.ts'

const MARKER = /^\s{0,12}(?:[-*+]|\d{1,3}[.)])\s/
/** A heading in front of a list on one line, such as `**Participants:**`. */
const LEAD = /^[^:,\n]{1,60}:(?:\*\*)?\s/

/**
 * Leaves out the second of two equal names in the lists of a text, which naming a speaker brings about: "Ada, Speaker 2" becomes "Ada, Ada". A list is
 * one of names alone, on lines of its own or on one line; sentences stay as they are.
 */
export function withoutRepeatedNames(text: string, names: ReadonlySet<string>) {
  let listed = new Set<string>()
  const kept: string[] = []
  for (const line of text.split('\n')) {
    const marker = MARKER.exec(line)?.[0]
    if (marker === undefined) listed = new Set()
    const item = line.slice(marker?.length ?? 0).trim()
    if (marker !== undefined && names.has(item)) {
      if (listed.has(item)) continue
      listed.add(item)
    }
    kept.push(onOneLine(line, names))
  }
  return kept.join('\n')
}

function onOneLine(line: string, names: ReadonlySet<string>) {
  const marker = MARKER.exec(line)?.[0] ?? ''
  const lead = marker + (LEAD.exec(line.slice(marker.length))?.[0] ?? '')
  const entries = line
    .slice(lead.length)
    .split(',')
    .map(entry => entry.trim())
  const unique = [...new Set(entries)]
  return unique.length < entries.length && entries.every(entry => names.has(entry)) ? lead + unique.join(', ') : line
}

/** Does the same in the parts of a summary: a section of names alone has each name once, with the lines of all. */
export function mergeRepeatedNames(outline: Outline, names: ReadonlySet<string>): Outline {
  const sections = outline.sections.map(section => {
    const areNames = section.points.every(({ text, speaker }) => speaker === null && names.has(text))
    return areNames ? { ...section, points: mergeEqual(section.points) } : section
  })
  return { ...outline, sections }
}

function mergeEqual(points: readonly Statement[]) {
  const merged = new Map<string, Statement>()
  for (const point of points) {
    const first = merged.get(point.text)
    const sources = [...(first?.sources ?? []), ...point.sources].sort((one, other) => one.segment - other.segment)
    merged.set(point.text, { ...(first ?? point), sources })
  }
  return [...merged.values()]
}
