import { createHash, randomUUID } from 'node:crypto'
import etag from '@fastify/etag'
import rateLimit from '@fastify/rate-limit'
import { and, arrayContains, asc, desc, eq, gt, isNull, lt, ne, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import Fastify from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import {
  events,
  folderSessions,
  sessions,
  tokenOwners,
  tokens,
  transcripts,
  userCounters,
  webhookDeliveries,
  webhooks
} from './idiomatic-schema.ts'

/** The stack that an engineer would choose today, used as its documentation shows: Fastify, drizzle, zod, and Fastify's own plugins. */

declare module 'fastify' {
  interface FastifyRequest {
    userId: string
  }
}

const db = drizzle({
  connection: {
    connectionString: process.env.DATABASE_URL,
    application_name: 'bench idiomatic',
    options: '-c TimeZone=UTC',
    max: 10,
    keepAlive: true
  },
  casing: 'snake_case'
})

const app = Fastify({ logger: false }).withTypeProvider<ZodTypeProvider>()
app.setValidatorCompiler(validatorCompiler)
app.setSerializerCompiler(serializerCompiler)
app.decorateRequest('userId', '')
await app.register(etag)
// A limit that counts every request and refuses none.
await app.register(rateLimit, {
  max: 999_999_999,
  timeWindow: '1 minute',
  keyGenerator: request => request.headers.authorization ?? request.ip
})

app.addHook('onRequest', async (request, reply) => {
  const secret = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
  const hash = createHash('sha256').update(secret).digest()
  const [token] = await db
    .select({ userId: tokens.userId, scopes: tokens.scopes })
    .from(tokenOwners)
    .innerJoin(tokens, and(eq(tokens.userId, tokenOwners.userId), eq(tokens.tokenId, tokenOwners.tokenId)))
    .where(and(eq(tokenOwners.hash, hash), gt(tokens.expiresAt, new Date()), isNull(tokens.revokedAt)))
  if (!token?.scopes.includes('sessions:read')) return reply.code(401).send({ error: 'unauthorized' })
  request.userId = token.userId
})

const Item = z.object({
  id: z.string(),
  title: z.string(),
  timestamp: z.date().nullable(),
  duration_seconds: z.number(),
  type: z.string(),
  platform: z.string().nullable(),
  audio_deleted_at: z.date().nullable(),
  phone: z.record(z.string(), z.unknown()).optional()
})
const List = z.object({ sessions: z.array(Item), next_cursor: z.date().nullable(), has_more: z.boolean() })
const Detail = Item.extend({
  language: z.string().nullable(),
  summary: z.string().nullable(),
  notes: z.string().nullable(),
  tags: z.array(z.string()),
  favorite: z.boolean(),
  folder_ids: z.array(z.string()),
  action_items: z.array(z.record(z.string(), z.unknown())),
  action_items_version: z.number()
})
const Segment = z.object({ speaker: z.string(), start: z.number(), end: z.number(), text: z.string() })
const Transcript = z.object({ id: z.string(), transcript: z.string(), segments: z.array(Segment) })
const Changed = z.object({ id: z.string(), updated_fields: z.array(z.string()), updated_at: z.date() })
const Missing = z.object({ error: z.string() })
const ById = z.object({ id: z.string() })

const listed = {
  id: sessions.sessionId,
  title: sessions.title,
  timestamp: sessions.timestamp,
  duration_seconds: sessions.durationSeconds,
  type: sessions.type,
  platform: sessions.platform,
  audio_deleted_at: sessions.audioDeletedAt,
  phone: sessions.phone
}

const withPhone = <Row extends { phone: Record<string, unknown> | null }>({ phone, ...row }: Row) =>
  phone ? { ...row, phone } : row

const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.coerce.date().optional()
})

app.get(
  '/sessions',
  { schema: { querystring: ListQuery, response: { 200: List } } },
  async ({ userId, query: { limit, cursor } }) => {
    const before = cursor && lt(sessions.sortAt, cursor)
    const rows = await db
      .select({ ...listed, sortAt: sessions.sortAt })
      .from(sessions)
      .where(and(eq(sessions.userId, userId), eq(sessions.state, 'completed'), before))
      .orderBy(desc(sessions.sortAt))
      .limit(limit + 1)
    const page = rows.slice(0, limit)
    const more = rows.length > limit
    return {
      sessions: page.map(({ sortAt: _, ...row }) => withPhone(row)),
      next_cursor: (more && page.at(-1)?.sortAt) || null,
      has_more: more
    }
  }
)

const detailed = {
  ...listed,
  language: sessions.language,
  summary: sessions.summary,
  notes: sessions.notes,
  tags: sessions.tags,
  favorite: sessions.favorite,
  action_items: sessions.actionItems,
  action_items_version: sessions.actionItemsVersion
}

async function findFolderIds(tx: Pick<typeof db, 'select'>, userId: string, id: string) {
  const rows = await tx
    .select({ id: folderSessions.folderId })
    .from(folderSessions)
    .where(and(eq(folderSessions.userId, userId), eq(folderSessions.sessionId, id)))
    .orderBy(asc(folderSessions.folderId))
  return rows.map(({ id }) => id)
}

app.get(
  '/sessions/:id',
  { schema: { params: ById, response: { 200: Detail, 404: Missing } } },
  async ({ userId, params: { id } }, reply) => {
    const [[row], folderIds] = await Promise.all([
      db
        .select(detailed)
        .from(sessions)
        .where(and(eq(sessions.userId, userId), eq(sessions.sessionId, id))),
      findFolderIds(db, userId, id)
    ])
    if (!row) return reply.code(404).send({ error: 'not_found' })
    return withPhone({ ...row, folder_ids: folderIds, action_items: row.action_items ?? [] })
  }
)

app.get(
  '/sessions/:id/transcript',
  { schema: { params: ById, response: { 200: Transcript, 404: Missing } } },
  async ({ userId, params: { id } }, reply) => {
    const [row] = await db
      .select({ segments: transcripts.segments })
      .from(transcripts)
      .where(and(eq(transcripts.userId, userId), eq(transcripts.sessionId, id)))
    if (!row) return reply.code(404).send({ error: 'not_found' })
    const { segments } = row
    return { id, transcript: segments.map(({ speaker, text }) => `${speaker}: ${text}`).join('\n'), segments }
  }
)

app.patch(
  '/sessions/:id',
  { schema: { params: ById, body: z.object({ favorite: z.boolean() }), response: { 200: Changed, 404: Missing } } },
  async ({ userId, params: { id }, body }, reply) => {
    const now = new Date()
    const found = await db.transaction(async tx => {
      const [session] = await tx
        .update(sessions)
        .set({ favorite: body.favorite, updatedAt: now })
        .where(and(eq(sessions.userId, userId), eq(sessions.sessionId, id), ne(sessions.state, 'deleted')))
        .returning(detailed)
      if (!session) return false
      const folderIds = await findFolderIds(tx, userId, id)
      const [counter] = await tx
        .insert(userCounters)
        .values({ userId, lastSeq: 1 })
        .onConflictDoUpdate({ target: userCounters.userId, set: { lastSeq: sql`${userCounters.lastSeq} + 1` } })
        .returning()
      const event = { userId, seq: counter!.lastSeq, eventId: `evt_${randomUUID()}`, type: 'session.updated' }
      const data = { session: { ...session, folder_ids: folderIds } }
      const payload = { id: event.eventId, event: event.type, created_at: now, data }
      await tx.insert(events).values({ ...event, sessionId: id, createdAt: now, body: JSON.stringify(payload) })
      const hooks = await tx
        .select({ webhookId: webhooks.webhookId })
        .from(webhooks)
        .where(
          and(eq(webhooks.userId, userId), eq(webhooks.active, true), arrayContains(webhooks.events, [event.type]))
        )
      if (hooks.length > 0)
        await tx
          .insert(webhookDeliveries)
          .values(hooks.map(({ webhookId }) => ({ ...event, webhookId, attempt: 0, attemptsBefore: 0, nextAt: now })))
      return true
    })
    if (!found) return reply.code(404).send({ error: 'not_found' })
    return { id, updated_fields: Object.keys(body), updated_at: now }
  }
)

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
