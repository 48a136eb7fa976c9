import pg from 'pg'
import { vi } from 'vitest'
import { escapeLiteral } from '../../src/platform/db/literal.ts'

export interface Sent {
  text: string
  values: unknown[]
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Index Cond'?: string
  'Recheck Cond'?: string
  'TID Cond'?: string
  Plans?: Plan[]
}

/**
 * Returns the statements that read for a user meanwhile, but those of authentication. Applications of other tests may send statements of their own in
 * this process.
 */
export async function recordReads(userId: string, run: () => Promise<void>) {
  const spy = vi.spyOn(pg.Query.prototype as unknown as { submit(): unknown }, 'submit')
  try {
    await run()
    return spy.mock.contexts
      .map(query => query as unknown as Sent)
      .filter(({ text }) => /^[\s(]*(select|with)\b/.test(text) && !/token_owners|\b(insert into|update) /.test(text))
      .filter(({ text, values = [] }) => values.includes(userId) || text.includes(userId))
  } finally {
    spy.mockRestore()
  }
}

/** Returns the numbers of rows that the statement reads from each table and its indexes: with a plan for its values, or one for any values. */
export async function countRowsRead(client: pg.ClientBase, sent: Sent, plan: 'custom' | 'generic') {
  return new Map(
    [...Map.groupBy(countsOf(await explain(client, sent, plan, 'analyze, timing off, ')), ({ table }) => table)].map(
      ([table, scans]) => [table, scans.reduce((sum, { rows }) => sum + rows, 0)]
    )
  )
}

/** Returns the tables that the plan of a statement reads, each with the condition by which it finds rows. */
export async function scansOf(client: pg.ClientBase, sent: Sent, plan: 'custom' | 'generic') {
  const found: { table: string; by: string }[] = []
  const visit = ({ Plans = [], ...node }: Plan) => {
    const table = node['Relation Name']
    const by = node['Index Cond'] ?? node['Recheck Cond'] ?? node['TID Cond'] ?? ''
    if (table !== undefined && node['Node Type'].endsWith('Scan')) found.push({ table, by })
    Plans.forEach(visit)
  }
  visit(await explain(client, sent, plan))
  return found
}

async function explain(client: pg.ClientBase, { text, values = [] }: Sent, plan: 'custom' | 'generic', options = '') {
  await client.query(`set plan_cache_mode = force_${plan}_plan`)
  await client.query(`prepare explained as ${text}`)
  const parameters = values.length > 0 ? `(${values.map(literalOf).join(', ')})` : ''
  const { rows } = await client.query(`explain (${options}format json) execute explained${parameters}`)
  await client.query('deallocate explained')
  await client.query('reset plan_cache_mode')
  return rows[0]['QUERY PLAN'][0].Plan as Plan
}

function countsOf({ Plans = [], ...node }: Plan): { table: string; rows: number }[] {
  const rows = node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0))
  const table = node['Relation Name']
  return [...(table === undefined ? [] : [{ table, rows }]), ...Plans.flatMap(countsOf)]
}

function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return escapeLiteral(`{${value.map(item => JSON.stringify(String(item))).join(',')}}`)
  return escapeLiteral(value instanceof Date ? value.toISOString() : String(value))
}
