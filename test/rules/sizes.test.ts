import { dirname } from 'node:path/posix'
import { expect, test } from 'vitest'
import { files, read } from './source.ts'

/** Raised for a new capability only, by what it takes. */
const MAX_LINES = 29_000
const MAX_FILE_LINES = 250
const MAX_MEDIAN_LINES = 60
const MAX_FOLDERS = 33

const sizes = files.map(file => ({ file, lines: read(file).trimEnd().split('\n').length }))

test(`src has at most ${MAX_LINES} lines in ${MAX_FOLDERS} folders`, () => {
  expect(sizes.reduce((sum, { lines }) => sum + lines, 0)).toBeLessThanOrEqual(MAX_LINES)
  expect(new Set(files.map(dirname)).size).toBeLessThanOrEqual(MAX_FOLDERS)
})

test(`no file of src is longer than ${MAX_FILE_LINES} lines, and half of them have at most ${MAX_MEDIAN_LINES}`, () => {
  expect(sizes.filter(({ lines }) => lines > MAX_FILE_LINES)).toEqual([])
  const sorted = sizes.map(({ lines }) => lines).sort((a, b) => a - b)
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(MAX_MEDIAN_LINES)
})
