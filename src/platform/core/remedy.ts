import type { z } from 'zod'
import { invalid, type Refusal } from './api-error.ts'

const MAX_NAMES = 3
const MAX_NAME = 50

const TYPES: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a JSON object'
}

/** Says what a value should be, for issues whose schema has no message of its own: the object of a verb such as send. */
export function remedyFor(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? 'another value'
    case 'invalid_value':
      return `${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `${issue.inclusive === false ? 'more than' : 'at least'} ${amount(issue.minimum, issue.origin)}`
    case 'too_big':
      return `${issue.inclusive === false ? 'less than' : 'at most'} ${amount(issue.maximum, issue.origin)}`
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`
    case 'invalid_format':
      return issue.format === 'regex' ? 'it in the form that the reference shows' : `a valid ${issue.format}`
    case 'unrecognized_keys':
      return `leave out ${named(issue.keys)}; this body takes no other fields`
    default:
      return 'a value of the form that the reference shows'
  }
}

/** Reads an input in its shape. Throws what is wrong with the first bad part; `whole` names the input where all of it is wrong. */
export function readShape<S extends z.ZodType>(shape: S, sent: unknown, whole?: string): z.output<S> {
  const { data, error } = shape.safeParse(sent, { error: remedyFor })
  if (error) throw refusedByShape(error, whole)
  return data
}

/** The error of an input that its shape refuses, for its first issue. `whole` names the input where the issue is about all of it. */
export function refusedByShape({ issues: [issue] }: z.ZodError, whole?: string) {
  if (!issue) return invalid({ ...(whole !== undefined && { field: whole }), problem: 'it is not valid' })
  const field = issue.path.join('.') || whole
  return invalid({ ...(field !== undefined && { field }), ...refusalOf(issue) })
}

/**
 * Why a shape refuses a value. The message of an issue is the object of a verb, such as "a whole number". A custom issue names a problem in
 * `params.problem`; one with nothing to expect instead has it as its message too.
 */
export function refusalOf(issue: z.core.$ZodIssue): Refusal {
  if (issue.code === 'unrecognized_keys') return { problem: issue.message }
  const problem: unknown = issue.code === 'custom' ? issue.params?.problem : undefined
  if (typeof problem !== 'string') return { expected: issue.message }
  return issue.message === problem ? { problem } : { problem, expected: issue.message }
}

const UNITS: Record<string, [one: string, several: string]> = {
  string: [' character', ' characters'],
  array: [' entry', ' entries']
}

function amount(count: number | bigint, origin: string) {
  const [one, several] = UNITS[origin] ?? ['', '']
  return `${count}${Number(count) === 1 ? one : several}`
}

/** Lists unknown field names, shortened: a client may send thousands, each as long as the body. */
function named(keys: string[]) {
  const some = keys
    .slice(0, MAX_NAMES)
    .map(key => (key.length > MAX_NAME ? `${key.slice(0, MAX_NAME).toWellFormed()}…` : key))
  return some.join(', ') + (keys.length > MAX_NAMES ? ' …' : '')
}
