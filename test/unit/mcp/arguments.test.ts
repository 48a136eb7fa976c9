import { expect, test } from 'vitest'
import { z } from 'zod'
import { inFormOf } from '../../../src/interfaces/mcp/arguments.ts'

test.each(['constructor', 'toString', 'hasOwnProperty'])(
  'a field named %s, which every object inherits, stays as it was sent',
  name => {
    const shape = z.object({ lines: z.array(z.strictObject({ index: z.number() })) })
    expect(inFormOf(shape, { lines: [{ index: '1', [name]: {} }] })).toEqual({ lines: [{ index: 1, [name]: {} }] })
  }
)
