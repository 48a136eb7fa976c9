import { z } from 'zod'
import { ApiError, describeError } from '../../platform/core/api-error.ts'
import { html } from '../web/html.ts'
import type { View, Visit } from './visit.ts'

/** The address of a list to which a form leads back. Anything else would let a form lead away. */
export function backTo(path: string) {
  // Any other character cannot stand in the header that leads back.
  const isList = (text: string) => (text === path || text.startsWith(`${path}?`)) && /^[\x21-\x7e]*$/.test(text)
  return z.string().max(4_000).refine(isList, `${path} with the query of the list`).default(path)
}

/** Something of a list that a form didn't change, and why. */
interface RefusedRow {
  name: string
  /** Its page, if there is one. */
  to?: string | undefined
  words: string
}

/** Runs a change for each of several ids in turn, and returns the refusal of each that was refused. */
export async function changeEach(ids: readonly string[], change: (id: string) => Promise<unknown>) {
  const refusals: { id: string; words: string }[] = []
  for (const id of ids) {
    try {
      await change(id)
    } catch (error) {
      // Anything else is a bug, which must not look like a refusal.
      if (!(error instanceof ApiError)) throw error
      const { problem, expected } = error
      refusals.push({ id, words: describeError({ problem, expected }, 'expected') })
    }
  }
  return refusals
}

interface Refused extends Pick<View, 'part'> {
  /** How many of them were changed, as a sentence. */
  words: string
  rows: readonly RefusedRow[]
  /** The address of the list. */
  back: string
}

/** Says what became of a change of several rows of which some were refused, and names each of these. */
export function refusedView({ link }: Pick<Visit, 'link'>, { words, rows, back, part }: Refused): View {
  const refused = rows.map(
    ({ name, to, words: why }) =>
      html`<li>${to === undefined ? html`<bdi>${name}</bdi>` : html`<a href="${link(to)}"><bdi>${name}</bdi></a>`}: ${why}</li>`
  )
  return {
    title: 'Not everything was changed',
    status: 409,
    narrow: true,
    ...(part && { part }),
    main: html`<h1>Not everything was changed</h1>
<p>${words} These stayed as they were:</p>
<ul>${refused}</ul>
<p><a class="button" href="${link(back)}">Go back to the list</a></p>`
  }
}
