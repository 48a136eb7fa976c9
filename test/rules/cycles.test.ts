import { dirname, join } from 'node:path/posix'
import { expect, test } from 'vitest'
import { files, importsOf, read } from './source.ts'

const imported = new Map(
  files.map(file => [
    file,
    importsOf(read(file))
      .map(({ from }) => join(dirname(file), from))
      .filter(target => files.includes(target))
  ])
)

test('no file imports itself by way of others; the import of a type counts as well', () => {
  expect(files.filter(file => reachableFrom(file).has(file))).toEqual([])
})

test('only the command imports what is in cli/', () => {
  const outside = files.filter(
    file => !file.startsWith('cli/') && imported.get(file)?.some(target => target.startsWith('cli/'))
  )
  expect(outside).toEqual(['cli.ts'])
})

function reachableFrom(file: string) {
  const reached = new Set<string>()
  const open = [file]
  for (let next = open.pop(); next; next = open.pop()) {
    for (const target of imported.get(next) ?? []) {
      if (!reached.has(target)) open.push(target)
      reached.add(target)
    }
  }
  return reached
}
