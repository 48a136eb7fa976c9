import type pg from 'pg'
import { ALL_SCOPES } from '../src/contract/scopes.ts'
import { hashToken, makeToken } from '../src/features/access/token-format.ts'
import { withClient } from './database.ts'
import type { Ask } from './seed-sessions.ts'

export async function createAsks(client: pg.Client) {
  await client.query('create schema if not exists bench')
  await client.query(`create table if not exists bench.asks (
    kind text, n int, token text not null, token_id text not null, user_id text not null, session_id text not null, primary key (kind, n))`)
}

/** Adds a token for each row of the query, which names an owner and one of their sessions. The order of the rows is kept. */
export async function addAsks(client: pg.Client, kind: string, query: string, values: unknown[] = []) {
  const { rows } = await client.query<[string, string]>({ text: query, values, rowMode: 'array' })
  const tokens = rows.map(makeToken)
  await client.query(
    `with made as (
      select n, user_id, session_id, token, hash, 'tok_' || $1::text || n as token_id
      from unnest($2::text[], $3::text[], $4::text[], $5::bytea[]) with ordinality as m(user_id, session_id, token, hash, n)
    ), issued as (
      insert into tokens (user_id, token_id, name, scopes, hint, created_at, expires_at)
      select user_id, token_id, 'bench', $6::text[], left(token, 8), now(), now() + interval '10 years' from made
    ), owned as (
      insert into token_owners (hash, user_id, token_id) select hash, user_id, token_id from made
    )
    insert into bench.asks select $1::text, n, token, token_id, user_id, session_id from made`,
    [
      kind,
      rows.map(([userId]) => userId),
      rows.map(([, sessionId]) => sessionId),
      tokens,
      tokens.map(hashToken),
      ALL_SCOPES
    ]
  )
}

export async function readAsks(url: string, kind: string): Promise<Ask[]> {
  return await withClient(url, async client => {
    const { rows } = await client.query(
      'select token, user_id as "userId", session_id as "sessionId" from bench.asks where kind = $1 order by n',
      [kind]
    )
    if (rows.length === 0) throw new Error(`${kind}: nothing is seeded for it; run with --reseed`)
    return rows
  })
}
