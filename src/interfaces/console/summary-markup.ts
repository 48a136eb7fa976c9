import type { Actor } from '../../platform/ports/actor.ts'
import type { LongReads } from '../../platform/ports/long-reads.ts'
import type { Html } from '../web/html.ts'
import { markdown, markdownInSteps } from './markdown.ts'

/** A shorter summary takes 20 ms at most. */
const LONG_CHARACTERS = 8_000

/** Renders a summary for its reader. Throws service_unavailable if too many long ones wait for it. */
export type SummaryMarkup = (summary: string, reader: Actor) => Promise<Html>

/** Opens the rendering of summaries. A long one is rendered in steps, and after those before it, so that together they delay others no more than one. */
export function openSummaryMarkup(longReads: LongReads): SummaryMarkup {
  let turn: Promise<unknown> = Promise.resolve()
  return async (summary, reader) => {
    if (summary.length <= LONG_CHARACTERS) return markdown(summary)
    using _ = longReads(reader)
    const rendered = turn.then(() => markdownInSteps(summary))
    turn = rendered.catch(() => {})
    return await rendered
  }
}
