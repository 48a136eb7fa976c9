import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exportMetrics } from '../../ops/guide-tables.ts'
import { namesOf } from '../support/metrics.ts'

const text = await exportMetrics()
const exported = namesOf(text)
const own = [...text.matchAll(/^# TYPE (parlance_\S+)/gm)].map(([, name]) => name!)

const NAME = /\b(?:parlance|nodejs|process)_[a-z0-9_]+/g
const guide = readFileSync('docs/operations/metrics.md', 'utf8')
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

test('the guide names no metric that there is not', () => {
  const named = new Set(
    [...guide.matchAll(/`([a-z0-9_]+)[`{]/g)].map(([, name]) => name!).filter(name => name.match(NAME))
  )
  expect([...named].filter(name => !exported.has(name))).toEqual([])
})
