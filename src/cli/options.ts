import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { describeError } from '../platform/core/api-error.ts'

/** The output of a command with `--json`. */
type Printed = 'one JSON value' | 'one JSON value per line' | 'one JSON value per conversation'

/** Adds a command that takes `--json`. */
export function addCommand(parent: Command, name: string, description: string, printed: Printed = 'one JSON value') {
  return parent.command(name).description(description).option('--json', `print ${printed}`)
}

/** Adds a command on the data of one user. */
export function addOwnerCommand(parent: Command, name: string, description: string, printed?: Printed) {
  return addCommand(parent, name, description, printed).requiredOption(
    '--user <user>',
    'id or e-mail address of the owner'
  )
}

export interface OwnerOptions {
  user: string
  json?: boolean
}

/** Parses an option with the zod schema of the API's field. */
export function optionOf<T>(shape: z.ZodType<T>) {
  return (text: string): T => {
    const { data, error } = shape.safeParse(text)
    if (error) throw new InvalidArgumentError(`${describeError({ expected: error.issues[0]?.message }, 'give')}.`)
    return data as T
  }
}

/** Parses an option that may be repeated. */
export function optionsOf<T>(shape: z.ZodType<T>) {
  const parse = optionOf(shape)
  return (text: string, earlier: T[] = []) => [...earlier, parse(text)]
}

export const yesOrNo = z.stringbool({ truthy: ['yes'], falsy: ['no'], error: 'yes or no' })
