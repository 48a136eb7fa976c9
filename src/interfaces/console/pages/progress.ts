import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { followSessions } from '../../../features/sessions/progress.ts'
import { authenticateConsole } from '../../../features/sign-in/sign-in.ts'
import { throwNotFound } from '../../../platform/core/api-error.ts'
import { type Console, NONE } from '../open-console.ts'
import { pathId } from '../path-params.ts'

/** The time after which a silent stream says that it is alive: proxies cut one that is silent for a minute, or for half of it. */
const BEAT_MS = 15_000
/** The time after which a browser opens a stream again. */
const RETRY_MS = 3_000

const id = pathId('ses')
const Query = z
  .object({ session: z.union([id.transform(one => [one]), z.array(id).min(1).max(LIMITS.followedSessions)]) })
  .catch(() => throwNotFound('Page'))

/** Server-sent events for the pages that wait until sessions are processed: `progress` when it changes, and `state` for each at its end. */
export function progressStream({ services, user }: Console) {
  user.page('/progress', { ...NONE, query: Query }, async ({ visitor, cookies }, { query: { session: ids } }) => ({
    events: async signal => {
      const settled = await followSessions(services, visitor.actor, ids, { beatMs: BEAT_MS, signal })
      return written(settled, async () => {
        const cookie = cookies.session()
        return cookie !== undefined && (await authenticateConsole(services, cookie)) !== undefined
      })
    }
  }))
}

/** A browser that has signed out meanwhile, on any server, gets nothing more. */
async function* written(
  settled: Awaited<ReturnType<typeof followSessions>>,
  isSignedIn: () => Promise<boolean>
): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n\n`
  for await (const one of settled) {
    if (one === 'beat') yield ': beat\n\n'
    else if (await isSignedIn())
      yield `event: ${'state' in one ? 'state' : 'progress'}\ndata: ${JSON.stringify(one)}\n\n`
    else return
  }
}
