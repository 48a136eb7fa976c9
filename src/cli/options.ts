import { InvalidArgumentError } from 'commander'
import type { z } from 'zod'

/** Parses an option with the zod schema of the API's field. */
export function optionOf<T>(shape: z.ZodType<T>) {
  return (text: string): T => {
    const { data, error } = shape.safeParse(text)
    if (error) throw new InvalidArgumentError(sentence(error.issues[0]?.message ?? 'send another value'))
    return data as T
  }
}

function sentence(words: string) {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}
