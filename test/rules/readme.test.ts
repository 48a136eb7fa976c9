import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SETTINGS } from '../../src/config.ts'

const readme = readFileSync('README.md', 'utf8')
const SECTION = /(<!-- settings -->\n)[\s\S]*?(<!-- \/settings -->)/

test('the README lists every setting with its default and meaning; UPDATE=1 writes the table', () => {
  const table = `| key | default | meaning |\n|---|---|---|\n${Object.entries(SETTINGS).map(row).join('\n')}\n`
  const current = readme.replace(SECTION, `$1${table}$2`)
  if (process.env.UPDATE) writeFileSync('README.md', current)
  expect(readFileSync('README.md', 'utf8')).toBe(current)
})

test('.env.example names every setting', () => {
  const example = readFileSync('.env.example', 'utf8')
  expect(Object.keys(SETTINGS).filter(key => !new RegExp(`^#? ?${key}=`, 'm').test(example))).toEqual([])
})

test('every file that the README links to exists', () => {
  const links = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path]) => path!)
  expect(links.filter(path => !existsSync(path))).toEqual([])
})

function row([key, shape]: [string, (typeof SETTINGS)[keyof typeof SETTINGS]]) {
  const { data } = shape.safeParse(undefined)
  return `| \`${key}\` | ${data === undefined ? '' : `\`${data}\``} | ${shape.description} |`
}
