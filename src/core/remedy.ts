import type { z } from 'zod'

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

/** The advice for issues whose schema has no message of its own. */
export function remedyFor(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `send ${TYPES[issue.expected] ?? 'another value'}`
    case 'invalid_value':
      return `send ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `send ${issue.inclusive === false ? 'more than' : 'at least'} ${amount(issue.minimum, issue.origin)}`
    case 'too_big':
      return `send ${issue.inclusive === false ? 'less than' : 'at most'} ${amount(issue.maximum, issue.origin)}`
    case 'not_multiple_of':
      return `send a multiple of ${issue.divisor}`
    case 'invalid_format':
      return issue.format === 'regex' ? 'send it in the form that the reference shows' : `send a valid ${issue.format}`
    case 'unrecognized_keys':
      return `leave out ${named(issue.keys)}; this body takes no other fields`
    default:
      return 'send a value of the form that the reference shows'
  }
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
