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

const MAX_ANSWERS = 3

export function structuredChat(client: OpenAI, model: string): Ask {
  // Some servers support json_object only.
  let knowsSchemas = true

  async function complete<T>(question: Question<T>, signal?: AbortSignal, withSchema = knowsSchemas): Promise<string> {
    const { name, shape, instructions, content } = question
    const schema = zodResponseFormat(shape, name)
    const request = client.chat.completions.create(
      {
        model,
        messages: [
          { role: 'system', content: `${instructions}\n\n${inWords(schema.json_schema.schema)}` },
          { role: 'user', content }
        ],
        response_format: withSchema ? schema : { type: 'json_object' }
      },
      { signal }
    )
    try {
      return contentOf(await responseTo(client, request, { signal, content }))
    } catch (error) {
      if (!withSchema || !(error instanceof ProviderError && error.reason === 'response_format')) throw error
      const answer = await complete(question, signal, false)
      // Only this answer proves it, because another refusal may quote speech about json_schema.
      knowsSchemas = false
      return answer
    }
  }

  return async (question, signal) => {
    for (let answers = 0; answers < MAX_ANSWERS; answers++) {
      const { success, data } = question.shape.safeParse(parseJson(await complete(question, signal)))
      if (success) return data
    }
    throw new ProviderError(`The model ${model} did not answer in the shape asked for.`, { final: false })
  }
}

/** Some servers accept a schema and ignore it, so the prompt states it as well. */
function inWords(schema: unknown) {
  return `Answer with one JSON object and nothing else. It must fit this JSON Schema:\n${JSON.stringify(schema)}`
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
