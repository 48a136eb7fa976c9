import type OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import type { z } from 'zod'
import { ProviderError, responseTo } from './errors.ts'

interface Question<T> {
  name: string
  shape: z.ZodType<T>
  instructions: string
  /** The untrusted part: what users said. */
  content: string
}

/** Asks the model for an answer of a shape. Rejects with a ProviderError; its reason is `too_long` if shorter content may succeed. */
export type Ask = <T>(question: Question<T>, signal?: AbortSignal) => Promise<T>

/** The tokens of a request and of its answer, as the server counts them. */
interface TokenUse {
  input: number
  output: number
}

const MAX_ANSWERS = 3

/** Facts vary with the temperature; at zero some models repeat themselves. */
const TEMPERATURE = 0.2

/** The fields of a request that not every server takes. */
interface Accepted {
  format: 'json_schema' | 'json_object' | 'none'
  temperature: boolean
}

export type OnTokens = (use: TokenUse) => void

/**
 * Opens conversations with a model, which remembers what its server takes. The function that it returns gets the tokens of each answer, also of one
 * that is of no use.
 */
export function structuredChat(client: OpenAI, model: string): (onTokens?: OnTokens) => Ask {
  // Some servers support json_object only, and some models no temperature but their own.
  let accepted: Accepted = { format: 'json_schema', temperature: true }

  interface Call {
    onTokens: OnTokens
    signal: AbortSignal | undefined
  }

  async function complete<T>(question: Question<T>, call: Call, fields = accepted): Promise<string> {
    const { onTokens, signal } = call
    const { name, shape, instructions, content } = question
    const schema = zodResponseFormat(shape, name)
    const format = fields.format === 'json_schema' ? schema : ({ type: 'json_object' } as const)
    const request = client.chat.completions.create(
      {
        model,
        messages: [
          { role: 'system', content: `${instructions}\n\n${inWords(schema.json_schema.schema)}` },
          { role: 'user', content }
        ],
        ...(fields.temperature && { temperature: TEMPERATURE }),
        ...(fields.format !== 'none' && { response_format: format })
      },
      { signal }
    )
    try {
      const completion = await responseTo(client, request, { signal, content })
      onTokens(tokensIn(completion))
      const answer = contentOf(completion)
      // Only an answer proves it, because a refusal may quote speech about json_schema.
      accepted = fields
      return answer
    } catch (error) {
      const others = error instanceof ProviderError ? withoutRefused(fields, error) : undefined
      if (!others) throw error
      return await complete(question, call, others)
    }
  }

  return (onTokens = () => {}) =>
    async (question, signal) => {
      for (let answers = 0; answers < MAX_ANSWERS; answers++) {
        const answer = parseJson(await complete(question, { onTokens, signal }))
        const { success, data } = question.shape.safeParse(answer)
        if (success) return data
      }
      throw new ProviderError(`The model ${model} did not answer in the shape asked for.`, { final: false })
    }
}

/** Returns the fields without the one that the refusal names. Undefined if a request with others would be refused too. */
function withoutRefused(fields: Accepted, { reason }: ProviderError): Accepted | undefined {
  if (reason === 'temperature' && fields.temperature) return { ...fields, temperature: false }
  if (reason !== 'response_format' || fields.format === 'none') return undefined
  return { ...fields, format: fields.format === 'json_schema' ? 'json_object' : 'none' }
}

/** Some servers accept a schema and ignore it, so the prompt states it as well. */
function inWords(schema: unknown) {
  return `Answer with one JSON object and nothing else. It must fit this JSON Schema:\n${JSON.stringify(schema)}`
}

/** The tokens that a server counted; none if it counts none. */
function tokensIn(completion: Partial<OpenAI.ChatCompletion> | null): TokenUse {
  const { prompt_tokens: input, completion_tokens: output } = completion?.usage ?? {}
  return { input: toCount(input), output: toCount(output) }
}

const MAX_TOKENS = 100_000_000

function toCount(tokens: unknown) {
  return typeof tokens === 'number' && Number.isInteger(tokens) && tokens > 0 ? Math.min(tokens, MAX_TOKENS) : 0
}

/** Returns the text that the model wrote. Throws if the model gave no answer. Servers omit fields that the SDK's type declares. */
function contentOf(completion: Partial<OpenAI.ChatCompletion> | null) {
  const choice = completion?.choices?.[0]
  if (choice?.message?.refusal)
    throw new ProviderError('The model refused to work on the conversation.', { final: true })
  if (choice?.finish_reason === 'content_filter') {
    throw new ProviderError("The AI provider's content filter stopped the answer.", { final: true })
  }
  if (choice?.finish_reason === 'length') {
    throw new ProviderError('The answer of the model was cut off at its limit.', { final: false, reason: 'too_long' })
  }
  return choice?.message?.content ?? ''
}

// Models without a schema like to wrap their JSON in a code fence, or to think aloud before it.
function parseJson(content: string): unknown {
  const answer = content.replace(/^\s*<think>[\s\S]*?<\/think>/, '')
  try {
    return JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1))
  } catch {
    return undefined
  }
}
