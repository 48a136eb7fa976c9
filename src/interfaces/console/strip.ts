import type { Strip } from '../../platform/ports/strip.ts'
import { type Html, html } from '../web/html.ts'
import { face, voiceOf } from './faces.ts'

/** The width of a part, in which a bar stands. */
const STEP = 3
const HEIGHT = 20
/** The colour of everyone who has none of their own. */
const OTHERS = 8

/** The bars of who speaks when, in the colours of the voices: one path for each colour. */
export function stripBars({ voices, short }: Strip): Html {
  const paths = new Map<number, string>()
  for (const [at, digit] of [...short].entries()) {
    const label = voices[Number(digit) - 1]
    if (digit === '0') continue
    const colour = label === undefined ? OTHERS : voiceOf(label)
    paths.set(colour, `${paths.get(colour) ?? ''}M${at * STEP + 1} 4v12`)
  }
  const drawn = [...paths].map(([colour, path]) => html`<path class="v${colour}" d="${path}"/>`)
  return html`<svg class="strip" viewBox="0 0 ${short.length * STEP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="Who spoke when">${drawn}</svg>`
}

const MAX_FACES = 3

/** The initials of those who speak the most, and how many there are besides. */
export function stripFaces({ voices }: Strip): Html {
  const more = voices.length - MAX_FACES
  const shown = voices.slice(0, MAX_FACES).map(name => face(name))
  return html`<span class="faces" role="img" aria-label="${voices.join(', ')}">${shown}${more > 0 ? html`<span class="quiet" aria-hidden="true">+${more}</span>` : ''}</span>`
}
