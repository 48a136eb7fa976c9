import type { CallToolResult, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server'
import type { FastifyBaseLogger } from 'fastify'
import type { z } from 'zod'
import { OPERATIONS, type TokenOperation } from '../../contract/operations.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { Services } from '../../features/services.ts'
import { ApiError, describeError, invalid } from '../../platform/core/api-error.ts'
import { lazy } from '../../platform/core/lazy.ts'
import { readShape } from '../../platform/core/remedy.ts'
import type { Actor } from '../../platform/ports/actor.ts'
import { NOTICE } from './answer-text.ts'
import { fieldsInForm } from './arguments.ts'
import { listedSchema } from './listed-schema.ts'

/** One request of an assistant. */
export interface Call {
  services: Services
  actor: Actor
  log: FastifyBaseLogger
  /** The name and the time zone of the user. */
  user(): Promise<{ name: string | null; timeZone: string }>
  /** The refusal of a request beyond its rate limit. */
  limited: ApiError | undefined
  /** Makes the request fail as one to `/v1` would, for an error that other arguments would not mend. */
  fail(error: unknown): void
}

/** Text for models that read, and the same as an object for programs that they write. */
interface Answer<Content = Record<string, unknown>> {
  text: string
  object: Content
}

/** An object whose makers prescribe that it is also the text. */
export function asJson<Content extends object>(object: Content): Answer<Content> {
  return { text: JSON.stringify(object), object }
}

type Steps = Partial<Record<string, string>>

export const SESSION_IDS = 'search_sessions and list_sessions have the ids'
export const READABLE_IDS = `${SESSION_IDS}, list_shared_sessions those of others`

const STEPS: Steps = {
  subject: SESSION_IDS,
  folder: 'list_folders has the ids and names',
  person: 'list_people has the ids and names',
  if_version: 'get_session shows the current one'
}

interface ToolDescription<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string
  title: string
  description: string
  /** The operation that it calls, which checks its scopes. Any one of them lists the tool. */
  operation: TokenOperation
  input: Input
  /** The shape of the object of an answer. A field without a value is left out, because some clients know no null. */
  output: Output
  /** The next step after an argument that names nothing, or nothing current. `subject` is the argument that the operation is about. */
  steps?: Steps
  annotations?: ToolAnnotations
  /** The question to the user before a change that replaces much, where the client can ask them. Undefined if there is none. */
  confirm?(call: Call, input: z.output<Input>): Promise<string | undefined>
  answer(call: Call, input: z.output<Input>): Promise<Answer<z.input<Output>>>
}

export interface Tool {
  name: string
  scopes: readonly Scope[]
  steps: Steps
  config: {
    title: string
    description: string
    inputSchema: StandardSchemaWithJSON
    outputSchema: StandardSchemaWithJSON
    annotations: ToolAnnotations
  }
  /** The question to the user about arguments as they were sent, and the answer to them. Both throw what is wrong with them. */
  confirm(call: Call, sent: unknown): Promise<string | undefined>
  answer(call: Call, sent: unknown): Promise<Answer>
}

const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false }

/** Makes a tool of one operation, the shape of its input and how its result reads. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  about: ToolDescription<Input, Output>
): Tool {
  const { name, title, description, operation, input, output, steps, annotations = READS, confirm, answer } = about
  return {
    name,
    scopes: OPERATIONS[operation],
    steps: { ...STEPS, ...steps },
    config: {
      title,
      description,
      inputSchema: describedOnly(() => ({ ...listedSchema(input, 'input'), additionalProperties: false })),
      outputSchema: describedOnly(() => listedSchema(output, 'output')),
      annotations
    },
    confirm: async (call, sent) => await confirm?.(call, readArguments(input, sent)),
    answer: async (call, sent) => await answer(call, readArguments(input, sent))
  }
}

/** Whether the client can ask the user, and what they have answered. */
export type Consent = 'unavailable' | 'open' | 'given' | 'refused'

/** A result, or what the user is to be asked before the tool is called once more. */
type Outcome = { result: CallToolResult; question?: undefined } | { result?: undefined; question: string }

/**
 * Calls a tool as the protocol does: an error of the arguments is a result, which the assistant reads and mends. So is a used-up rate limit, because an
 * assistant never reads an error of the transport, and would not learn when to go on.
 */
export async function callTool(tool: Tool, call: Call, sent: unknown, consent: Consent): Promise<Outcome> {
  try {
    if (call.limited) throw call.limited
    const question = consent === 'open' ? await tool.confirm(call, sent) : undefined
    if (question !== undefined) return { question }
    if (consent === 'refused') return { result: toError('The user did not agree, so nothing was changed') }
    return { result: toResult(await tool.answer(call, sent)) }
  } catch (error) {
    if (!isOfArguments(error)) call.fail(error)
    return { result: toError(messageOf(error, tool.steps)) }
  }
}

function toError(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function readArguments<Input extends z.ZodObject>(input: Input, sent: unknown) {
  const given: Record<string, unknown> = { ...Object(sent) }
  const known = Object.keys(input.shape)
  const unknown = Object.keys(given).find(name => !known.includes(name))
  if (unknown !== undefined)
    throw invalid({
      field: unknown.slice(0, 60).toWellFormed() || 'arguments',
      problem: 'there is no such argument',
      expected: `one of ${known.join(', ')}`
    })
  return readShape(input, fieldsInForm(input, given), 'arguments')
}

function toResult({ text, object }: Answer): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: object }
}

/** Returns whether other arguments would mend an error. */
export function isOfArguments(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500 && error.code !== 'insufficient_scope'
}

/** The sentence that an assistant reads about an error, without the text of one that is not its own. */
function messageOf(error: unknown, steps: Steps) {
  if (!isOfArguments(error)) return 'The server cannot answer this now'
  const step = MISSING.includes(error.code) ? steps[error.field ?? 'subject'] : undefined
  const sentence = [describeError(error, 'give'), ...(step === undefined ? [] : [step])].join('; ')
  return sentence.includes('"') ? `${sentence}\n${NOTICE}` : sentence
}

/** The codes of errors about something that is not there, or no longer as it was. */
const MISSING: readonly string[] = ['not_found', 'conflict', 'precondition_failed']

/** A shape as the protocol lists it. The tool reads its arguments itself, so that their errors read like those of other doors. */
function describedOnly(make: () => Record<string, unknown>): StandardSchemaWithJSON {
  const described = lazy(make)
  return {
    '~standard': {
      version: 1,
      vendor: 'parlance',
      validate: value => ({ value }),
      jsonSchema: { input: described, output: described }
    }
  }
}
