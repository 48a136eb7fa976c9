import { isDeepStrictEqual } from 'node:util'
import type { SummaryMaking } from '../../contract/admin/session.ts'
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

/** The lines that action items come from, by the ids of the items, and the ids of those that the transcript did not support. */
export interface KeptItems {
  itemSources: Record<string, Source[]>
  unsupportedItems: string[]
}

/** Returns the lines that the action items of a session come from, by the ids of the items, and the ids of those that the transcript did not support. */
export async function findKeptItems(tx: Db, userId: string, sessionId: string): Promise<KeptItems> {
  const [kept] = await tx
    .select({ itemSources: summaries.itemSources, unsupportedItems: summaries.unsupportedItems })
    .from(summaries)
    .where(matches(summaries, { userId, sessionId }))
  return { itemSources: kept?.itemSources ?? {}, unsupportedItems: kept?.unsupportedItems ?? [] }
}

/** Returns how a provider made the summary or the action items of a session; undefined if none did. */
export async function findMaking(db: Db, userId: string, sessionId: string): Promise<SummaryMaking | undefined> {
  const [kept] = await db
    .select({
      model: summaries.model,
      promptVersion: summaries.promptVersion,
      inputTokens: summaries.inputTokens,
      outputTokens: summaries.outputTokens,
      madeAt: summaries.madeAt
    })
    .from(summaries)
    .where(matches(summaries, { userId, sessionId }))
  if (!kept || kept.model === null || kept.promptVersion === null) return undefined
  const { model, promptVersion, inputTokens, outputTokens, madeAt } = kept
  const tokens = { input_tokens: inputTokens, output_tokens: outputTokens }
  return { model, prompt_version: promptVersion, ...tokens, made_at: madeAt.toISOString() }
}

/** Forgets the parts and the template of a summary in place of which the session gets another one. Action items keep their sources. */
export async function forgetOutline(tx: Db, userId: string, sessionId: string) {
  await tx.update(summaries).set({ outline: null, template: null }).where(matches(summaries, { userId, sessionId }))
}

/** Changes the parts of a summary, as the Markdown of the session is changed. */
export async function changeOutline(tx: Db, userId: string, sessionId: string, change: (outline: Outline) => Outline) {
  await changeKept(tx, userId, sessionId, ({ outline, itemSources }) => ({
    outline: outline && change(outline),
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
