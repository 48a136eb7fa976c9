import { expect, test } from 'vitest'
import { files, read } from './source.ts'

const MAX_FILE_LINES = 250

test(`no file of src is longer than ${MAX_FILE_LINES} lines`, () => {
  const sizes = files.map(file => ({ file, lines: read(file).trimEnd().split('\n').length }))
  expect(sizes.filter(({ lines }) => lines > MAX_FILE_LINES)).toEqual([])
})
