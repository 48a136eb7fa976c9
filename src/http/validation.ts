import type { z } from 'zod'
import { invalid } from '../core/api-error.ts'
import { remedyFor } from '../core/remedy.ts'

/** The parts of a request by Fastify's name, as messages call them. */
const PARTS: Record<string, string> = { querystring: 'query', params: 'path', headers: 'headers', body: 'body' }

/** Validates a part of a request against its zod schema. The error names the first invalid field and what to send. */
export function compileValidator({ schema, httpPart = 'body' }: { schema: z.ZodType; httpPart?: string | undefined }) {
  return (sent: unknown) => {
    // Fastify passes null for a missing body; a schema would take that for a value.
    const { data, error } = schema.safeParse(sent ?? undefined, { error: remedyFor })
    const [issue] = error?.issues ?? []
    return issue ? { error: invalid(`${issue.path.join('.') || PARTS[httpPart]}: ${issue.message}`) } : { value: data }
  }
}
