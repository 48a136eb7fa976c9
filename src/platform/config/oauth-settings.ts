import { z } from 'zod'

export const OAUTH_SETTINGS = {
  OAUTH_CLIENT_DOCUMENTS: z
    .enum(['on', 'off'], 'on or off')
    .default('on')
    .describe(
      'Whether assistants learn that the server reads the documents that they publish (`on`); with `off` they register instead, for a server that may not reach other hosts'
    ),
  OAUTH_LAN_REDIRECTS: z
    .enum(['on', 'off'], 'on or off')
    .default('off')
    .describe(
      'Whether an agent may get its answers over http at an address of your local network (`on`), as one that you host at `http://192.168.1.20:3000` needs. They travel without encryption there'
    )
}
