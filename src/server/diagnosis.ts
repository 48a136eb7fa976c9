import type { Check } from '../contract/check.ts'
import type { Services } from '../features/services.ts'
import type { Ai } from '../platform/ai/ai.ts'
import type { Config } from '../platform/config/config.ts'
import type { OpenDatabase } from '../platform/db/open.ts'

type Running = Pick<Services, 'media' | 'mail' | 'oidc'> & { database: OpenDatabase; ai: Ai }

const leave = async () => {}

/** The checks of the command `doctor` in a running server, on what it has open. They run once at a time, whoever asks. */
export function openDiagnosis(config: Config, { database, ai, media, mail, oidc }: Running): Services['diagnose'] {
  let running: Promise<Check[]> | undefined

  const sources = {
    database: async () => ({ ...database, close: leave }),
    media: async () => ({ ...media, close: leave }),
    mail: async () => ({ ...mail, close: leave }),
    oidc: async () => oidc && { ...oidc, close: leave },
    // Another copy of a bundled model would take its memory again.
    embeddings: async () => ({
      ...ai,
      check: async (signal?: AbortSignal) => void (ai.embedder && (await ai.embed(['check'], signal))),
      close: leave
    })
  }

  async function run() {
    const { runChecks } = await import('./checks.ts')
    return await runChecks(config, sources)
  }

  return () => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}
