import { z } from 'zod'
import { ProviderError } from './faults.ts'
import type { Send } from './transport.ts'

export interface Question<T> {
  name: string
  shape: z.ZodType<T>
  instructions: string
  /** The untrusted part: what users said. */
  content: string
}

export type Ask = <T>(question: Question<T>, signal?: AbortSignal) => Promise<T>

/** The input or the answer did not fit into the model; less of it may. */
export class Overflow extends ProviderError {
  /** How often it is worth halving: an answer without end does not get shorter, a context can be far smaller than thought. */
  readonly halvings: number

  constructor(message: string, options: { final: boolean; halvings: number }) {
    super(message, options)
    this.halvings = options.halvings
  }
}

interface ChatOptions {
  model: string
  timeoutMs: number
  retries: number
}

type Format = 'json_schema' | 'json_object'

const ASKED_AGAIN = 2

export function structuredChat(send: Send, options: ChatOptions): Ask {
  // Learned from the server's refusal and kept, so that one request pays for it.
  let format: Format = 'json_schema'

  async function complete<T>(question: Question<T>, again: boolean, signal?: AbortSignal): Promise<unknown> {
    const used = format
    try {
      return await request(send, options, question, { format: used, explained: again || used === 'json_object' }, signal)
    } catch (fault) {
      if (!(fault instanceof ProviderError)) throw fault
      if (fault.topic === 'context') throw new Overflow(fault.message, { final: true, halvings: 4 })
      if (fault.topic !== 'response_format' || used === 'json_object') throw fault
      format = 'json_object'
      return await complete(question, again, signal)
    }
  }

  return async (question, signal) => {
    for (let tries = 0; tries <= ASKED_AGAIN; tries++) {
      const answer = question.shape.safeParse(answerIn(await complete(question, tries > 0, signal)))
      if (answer.success) return answer.data
    }
    throw new ProviderError(`The model ${options.model} did not answer in the shape asked for.`, { final: false })
  }
}

/** With `explained`, the schema also stands in the prompt: some servers ignore response_format, some models forget it. */
async function request<T>(
  send: Send,
  { model, timeoutMs, retries }: ChatOptions,
  { name, shape, instructions, content }: Question<T>,
  { format, explained }: { format: Format; explained: boolean },
  signal?: AbortSignal
): Promise<unknown> {
  const schema = schemaOf(shape)
  const inWords = `Answer with one JSON object and nothing else. It must fit this JSON Schema:\n${JSON.stringify(schema)}`
  const chat = {
    model,
    messages: [
      { role: 'system' as const, content: explained ? `${instructions}\n\n${inWords}` : instructions },
      { role: 'user' as const, content }
    ],
    response_format: format === 'json_schema' ? { type: format, json_schema: { name, strict: true, schema } } : { type: format }
  }
  return await send((client, requestSignal) => client.chat.completions.create(chat, { signal: requestSignal }), {
    timeoutMs,
    retries,
    sent: content,
    signal
  })
}

function schemaOf(shape: z.ZodType): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(shape, {
    // Strict mode refuses `default`, which is ours for servers that leave a null out.
    override: ({ jsonSchema }) => {
      delete jsonSchema.default
    }
  })
  return schema
}

const Completion = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() })
      })
    )
    .min(1)
})

/** The JSON a completion carries; undefined when it carries none. Throws where the model says that it did not answer. */
function answerIn(completion: unknown): unknown {
  const choice = Completion.safeParse(completion).data?.choices[0]
  if (!choice) return undefined
  if (choice.message.refusal) throw new ProviderError('The model refused to work on the conversation.', { final: true })
  if (choice.finish_reason === 'content_filter') {
    throw new ProviderError("The AI provider's content filter stopped the answer.", { final: true })
  }
  if (choice.finish_reason === 'length')
    throw new Overflow('The answer of the model was cut off at its limit.', { final: false, halvings: 1 })
  return jsonIn(choice.message.content ?? '')
}

// Models asked in words like to wrap their JSON in a code fence, or to think aloud before it.
function jsonIn(content: string): unknown {
  const answer = content.replace(/^\s*<think>[\s\S]*?<\/think>/, '')
  try {
    return JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1))
  } catch {
    return undefined
  }
}
