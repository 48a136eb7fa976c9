import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { openFollower } from '../../src/core/clock.ts'
import { openDatabase } from '../../src/db/open.ts'
import { openMetrics } from '../../src/metrics/metrics.ts'
import { namesOf } from '../support/metrics.ts'

// Nothing listens there: which metrics there are is known without a database.
const database = await openDatabase({ url: 'postgres://127.0.0.1:1/none', dataDir: '', share: false, name: 'test', onError: () => {} })
const { text } = await openMetrics({
  database,
  clock: openFollower(),
  embeddingModel: () => undefined,
  queues: [],
  serving: () => 1
}).text()
const exported = namesOf(text)
const own = [...text.matchAll(/^# TYPE (parlance_\S+)/gm)].map(([, name]) => name!)
afterAll(() => database.close())

const NAME = /\b(?:parlance|nodejs|process)_[a-z0-9_]+/g
const readme = readFileSync('README.md', 'utf8')
const dashboard: { panels: { title: string; targets?: { expr: string }[] }[] } = JSON.parse(
  readFileSync('deploy/grafana-dashboard.json', 'utf8')
)
const drawn = dashboard.panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => expr.match(NAME) ?? []))

test('every metric that the dashboard draws is one the server exports', () => {
  expect(drawn.length).toBeGreaterThan(20)
  expect(drawn.filter(name => !exported.has(name))).toEqual([])
})

test('every metric of our own is drawn by the dashboard', () => {
  const shown = new Set(drawn.map(name => name.replace(/_(bucket|sum|count)$/, '')))
  expect(own.filter(name => !shown.has(name))).toEqual([])
})

test('the README describes every metric of our own, and names none that there is not', () => {
  const section = /<!-- metrics -->([\s\S]*)<!-- \/metrics -->/.exec(readme)?.[1] ?? ''
  const named = new Set([...section.matchAll(/`([a-z0-9_]+)[`{]/g)].map(([, name]) => name!).filter(name => name.match(NAME)))
  expect(own.filter(name => !named.has(name))).toEqual([])
  expect([...named].filter(name => !exported.has(name))).toEqual([])
})
