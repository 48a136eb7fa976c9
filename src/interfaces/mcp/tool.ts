import type { CallToolResult, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server'
import type { FastifyBaseLogger } from 'fastify'
import { z } from 'zod'
import { OPERATIONS, type TokenOperation } from '../../contract/operations.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { Services } from '../../features/services.ts'
import { ApiError, describeError, invalid } from '../../platform/core/api-error.ts'
import { lazy } from '../../platform/core/lazy.ts'
import { readShape } from '../../platform/core/remedy.ts'
import type { Actor } from '../../platform/ports/actor.ts'

/** One request of an assistant. */
export interface Call {
  services: Services
  actor: Actor
  log: FastifyBaseLogger
  /** Makes the request fail as one to `/v1` would, for an error that other arguments would not mend. */
  fail(error: unknown): void
}

/** Text for an assistant, or an object in the shape that its makers prescribe. */
type Answer = string | Record<string, unknown>

interface ToolDescription<Input extends z.ZodObject> {
  name: string
  title: string
  description: string
  /** The operation that it calls, which checks its scopes. Any one of them lists the tool. */
  operation: TokenOperation
  input: Input
  /** True for a shape whose numbers are texts, as a query has them. */
  asQuery?: boolean
  annotations?: ToolAnnotations
  answer(call: Call, input: z.output<Input>): Promise<Answer>
}

export interface Tool {
  name: string
  scopes: readonly Scope[]
  config: { title: string; description: string; inputSchema: StandardSchemaWithJSON; annotations: ToolAnnotations }
  /** The answer to arguments as they were sent. Throws what is wrong with them. */
  answer(call: Call, sent: unknown): Promise<Answer>
}

const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false }

/** Makes a tool of one operation, the shape of its input and how its result reads. */
export function defineTool<Input extends z.ZodObject>(about: ToolDescription<Input>): Tool {
  const { name, title, description, operation, input, asQuery = false, annotations = READS, answer } = about
  return {
    name,
    scopes: OPERATIONS[operation],
    config: { title, description, inputSchema: describedOnly(input), annotations: { title, ...annotations } },
    answer: async (call, sent) => await answer(call, readArguments(input, sent, asQuery))
  }
}

/** Calls a tool as the protocol does: an error of the arguments is a result, which the assistant reads and mends. */
export async function callTool(tool: Tool, call: Call, sent: unknown): Promise<CallToolResult> {
  try {
    return toResult(await tool.answer(call, sent))
  } catch (error) {
    if (!isOfArguments(error)) call.fail(error)
    return { content: [{ type: 'text', text: messageOf(error) }], isError: true }
  }
}

function readArguments<Input extends z.ZodObject>(input: Input, sent: unknown, asQuery: boolean) {
  const given: Record<string, unknown> = { ...Object(sent) }
  const known = Object.keys(input.shape)
  const unknown = Object.keys(given).find(name => !known.includes(name))
  if (unknown !== undefined)
    throw invalid({
      field: unknown.slice(0, 60).toWellFormed() || 'arguments',
      problem: 'there is no such argument',
      expected: `one of ${known.join(', ')}`
    })
  if (asQuery)
    for (const [name, value] of Object.entries(given)) if (typeof value === 'number') given[name] = String(value)
  return readShape(input, given, 'arguments')
}

function toResult(answer: Answer): CallToolResult {
  if (typeof answer === 'string') return { content: [{ type: 'text', text: answer }] }
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer }
}

/** Returns whether other arguments would mend an error. */
export function isOfArguments(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500 && error.code !== 'insufficient_scope'
}

/** The sentence that an assistant reads about an error, without the text of one that is not its own. */
function messageOf(error: unknown) {
  return isOfArguments(error) ? describeError(error, 'give') : 'The server cannot answer this now'
}

/** A shape as the protocol lists it. The tool reads its arguments itself, so that their errors read like those of other doors. */
function describedOnly(shape: z.ZodObject): StandardSchemaWithJSON {
  const described = lazy(() => ({ ...z.toJSONSchema(shape, { io: 'input' }), additionalProperties: false }))
  return {
    '~standard': {
      version: 1,
      vendor: 'parlance',
      validate: value => ({ value }),
      jsonSchema: { input: described, output: described }
    }
  }
}
