import { expect } from 'vitest'

/**
 * A refusal says twice which parameter is at fault: at the start of its message and in `error.param`. This holds the two against each other
 * in every test, and takes `param` away, so that tests compare the message.
 */
export function withoutParam<Body>(body: Body): Body {
  const { error } = Object(body)
  if (typeof error?.message !== 'string') return body
  const [, named] = /^(?!body:|parameters:|path:|headers:|form:)([^\s:]{1,200}): /.exec(error.message) ?? []
  expect(error.param, error.message).toBe(named)
  const { param: _, ...rest } = error
  return { ...body, error: rest }
}
