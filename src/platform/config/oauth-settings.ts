import { z } from 'zod'

export const OAUTH_SETTINGS = {
  OAUTH_CLIENT_DOCUMENTS: z
    .enum(['on', 'off'], 'on or off')
    .default('on')
    .describe(
      'Whether assistants learn that the server reads the documents that they publish (`on`); with `off` they register instead, for a server that may not reach other hosts'
    )
}
