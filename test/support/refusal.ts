import { expect } from 'vitest'

/**
 * Removes `error.param` from a refusal, so that tests compare the message. First checks in every test that `param` is the parameter that the
 * message begins with.
 */
export function withoutParam<Body>(body: Body): Body {
  const { error } = Object(body)
  if (typeof error?.message !== 'string') return body
  const [, named] = /^(?!body:|parameters:|path:|headers:|form:)([^\s:]{1,200}): /.exec(error.message) ?? []
  expect(error.param, error.message).toBe(named)
  const { param: _, ...rest } = error
  return { ...body, error: rest }
}
