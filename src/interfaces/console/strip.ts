import type { Strip } from '../../platform/ports/strip.ts'
import { voiceOf } from '../../platform/text/initials.ts'
import { type Html, html } from '../web/html.ts'
import { face } from './faces.ts'

/** The width of a part, in which a bar stands. */
const STEP = 3
const HEIGHT = 20
/** The colour of everyone who has none of their own. */
const OTHERS = 8

/** The bars of who speaks when, in the colours of the voices: one path for each colour. */
export function stripBars({ voices, short }: Strip): Html {
  return html`<svg class="strip" viewBox="0 0 ${short.length * STEP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="Who spoke when">${barsOf(voices, short)}</svg>`
}

/** The same for a player, with a mark where each chapter begins. The words are beside it, so it is for eyes alone. */
export function longStrip({ voices, long }: Strip, starts: readonly number[], seconds: number): Html {
  const width = long.length * STEP
  const marks = starts.map(start => `M${Math.round((start / seconds) * width)} 0v3`).join('')
  return html`<svg class="strip" viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${barsOf(voices, long)}<path class="marks" d="${marks}"/></svg>`
}

function barsOf(voices: readonly string[], parts: string) {
  const paths = new Map<number, string>()
  for (const [at, digit] of [...parts].entries()) {
    const label = voices[Number(digit) - 1]
    if (digit === '0') continue
    const colour = label === undefined ? OTHERS : voiceOf(label)
    paths.set(colour, `${paths.get(colour) ?? ''}M${at * STEP + 1} 4v12`)
  }
  return [...paths].map(([colour, path]) => html`<path class="v${colour}" d="${path}"/>`)
}

const MAX_FACES = 3

/** The initials of those who speak the most, and how many there are besides. */
export function stripFaces({ voices }: Strip): Html {
  const more = voices.length - MAX_FACES
  const shown = voices.slice(0, MAX_FACES).map(name => face(name))
  return html`<span class="faces" role="img" aria-label="${voices.join(', ')}">${shown}${more > 0 ? html`<span class="quiet" aria-hidden="true">+${more}</span>` : ''}</span>`
}
