import { spawnSync } from 'node:child_process'
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
const RULES = 'deploy/prometheus-rules.yml'
const rules = readFileSync(RULES, 'utf8').replace(/^#.*$|summary:.*$|description:.*$/gm, '')
const isInstalled = (...[program, ...words]: [string, ...string[]]) => spawnSync(program, words).status === 0
const drawn = dashboard.panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => expr.match(NAME) ?? []))

test('every metric that the dashboard draws is one the server exports', () => {
  expect(drawn.length).toBeGreaterThan(20)
  expect(drawn.filter(name => !exported.has(name))).toEqual([])
})

test('every metric in the rules for Prometheus is one the server exports', () => {
  const ruled = rules.match(NAME) ?? []
  expect(ruled.length).toBeGreaterThan(12)
  expect(ruled.filter(name => !exported.has(name))).toEqual([])
})

test('the rules for Prometheus have an alert for each row of the guide', () => {
  const [, table = ''] = guide.split('## Alerts')
  expect(rules.match(/^ +- alert: /gm)).toHaveLength(
    table.split('\n').filter(line => /^\| (?!alert when)/.test(line)).length
  )
})

test.runIf(isInstalled('promtool', '--version'))('promtool takes the rules for Prometheus', () => {
  const { status, stdout } = spawnSync('promtool', ['check', 'rules', RULES], { encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/SUCCESS: \d+ rules found/) })
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
