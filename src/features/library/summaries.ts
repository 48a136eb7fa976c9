import { isDeepStrictEqual } from 'node:util'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { summaries } from '../../platform/db/schema/index.ts'
import { mapOutline, type Outline, type Source } from '../../platform/text/outline.ts'

export type NewSummary = Omit<typeof summaries.$inferInsert, 'userId' | 'sessionId'>

/** Keeps how the summary and the action items of a session were made, in place of what was kept before. */
export async function saveSummary(tx: Db, userId: string, sessionId: string, made: NewSummary) {
  await tx
    .insert(summaries)
    .values({ userId, sessionId, ...made })
    .onConflictDoUpdate({ target: [summaries.userId, summaries.sessionId], set: made })
}

/** Returns the lines that the action items of a session come from, by the ids of the items. */
export async function findItemSources(tx: Db, userId: string, sessionId: string) {
  const [kept] = await tx
    .select({ itemSources: summaries.itemSources })
    .from(summaries)
    .where(matches(summaries, { userId, sessionId }))
  return kept?.itemSources ?? {}
}

/** Forgets the parts and the template of a summary in place of which the session gets another one. Action items keep their sources. */
export async function forgetOutline(tx: Db, userId: string, sessionId: string) {
  await tx.update(summaries).set({ outline: null, template: null }).where(matches(summaries, { userId, sessionId }))
}

/** Changes the texts of the parts, as the Markdown of the session is changed. */
export async function changeOutlineTexts(tx: Db, userId: string, sessionId: string, change: (text: string) => string) {
  await changeKept(tx, userId, sessionId, ({ outline, itemSources }) => ({
    outline:
      outline &&
      mapOutline(outline, said => ({
        ...said,
        text: change(said.text),
        speaker: said.speaker && change(said.speaker)
      })),
    itemSources
  }))
}

/** Moves all sources with the lines of a transcript; `move` returns undefined for a line that is removed. */
export async function moveSources(
  tx: Db,
  userId: string,
  sessionId: string,
  move: (source: Source) => Source | undefined
) {
  const moveAll = (sources: readonly Source[]) =>
    sources.flatMap(source => move(source) ?? []).sort((one, other) => one.segment - other.segment)
  await changeKept(tx, userId, sessionId, ({ outline, itemSources }) => ({
    outline: outline && mapOutline(outline, said => ({ ...said, sources: moveAll(said.sources) })),
    itemSources: Object.fromEntries(Object.entries(itemSources).map(([id, sources]) => [id, moveAll(sources)]))
  }))
}

interface Kept {
  outline: Outline | null
  itemSources: Record<string, Source[]>
}

/** The lock of the session, which every change of it holds, keeps others from changing the row meanwhile. */
async function changeKept(tx: Db, userId: string, sessionId: string, change: (kept: Kept) => Kept) {
  const ofSession = matches(summaries, { userId, sessionId })
  const [kept] = await tx
    .select({ outline: summaries.outline, itemSources: summaries.itemSources })
    .from(summaries)
    .where(ofSession)
  if (!kept) return
  const changed = change(kept)
  if (!isDeepStrictEqual(changed, kept)) await tx.update(summaries).set(changed).where(ofSession)
}
