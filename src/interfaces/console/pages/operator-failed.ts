import { z } from 'zod'
import { everyScope } from '../../../features/access/actor.ts'
import { getUser } from '../../../features/accounts/operations.ts'
import { retrySession } from '../../../features/ingest/retry.ts'
import {
  type FailedSession,
  isFailedCursor,
  listFailedSessions,
  retryFailed
} from '../../../features/ingest/retry-failed.ts'
import type { Services } from '../../../features/services.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { ApiError } from '../../../platform/core/api-error.ts'
import { type Html, html, when } from '../../web/html.ts'
import { cardList, moreLink } from '../cards.ts'
import { ageOf } from '../dates.ts'
import { confirmed } from '../fields.ts'
import { problemOf } from '../form-problem.ts'
import { type Notice, noticeAbove } from '../notice.ts'
import { type Console, NONE } from '../open-console.ts'
import { FAILED_PATH, operatorView, USERS_PATH } from '../operator.ts'
import { pathId, pathParams } from '../path-params.ts'
import { addressOf } from '../query-form.ts'
import type { View, Visit } from '../visit.ts'

const Query = z.object({
  cursor: z.string().refine(isFailedCursor).optional().catch(undefined)
})

const FailedParams = pathParams({ user_id: pathId('usr'), id: pathId('ses') })

const PAGE = 50

/** The failed sessions of all users by their ids, and the forms that retry one or all. */
export function operatorFailed({ services, operator }: Console) {
  operator.page(FAILED_PATH, { ...NONE, query: Query }, async (visit, { query: { cursor } }) =>
    failedView(services, visit, cursor === undefined ? {} : { cursor })
  )

  operator.form(`${FAILED_PATH}/retry`, NONE, async visit => {
    const { queued } = await retryFailed(services)
    const words =
      queued === 0
        ? 'No session has failed.'
        : `${queued === 1 ? '1 session is' : `${queued} sessions are`} retried in the background.`
    return await failedView(services, visit, { notice: { words } })
  })

  operator.form(
    `${FAILED_PATH}/:user_id/:id/retry`,
    { ...NONE, params: FailedParams },
    async (visit, { params: { user_id: userId, id } }) => {
      const notice = await retryOf(services, userId, id).catch(refusal)
      return await failedView(services, visit, { notice })
    }
  )
}

async function retryOf(services: Services, userId: string, id: string): Promise<Notice> {
  const actor = everyScope(userId, 'admin')
  await getUser(services, actor)
  await retrySession(services, actor, id)
  return { words: 'The session is processed again.' }
}

/** The list may be older than a deletion or a retry by others. */
function refusal(error: unknown): Notice {
  if (error instanceof ApiError && error.code === 'not_found')
    return { words: 'The session is deleted.', isBad: true, status: 404 }
  return { words: problemOf(error), isBad: true, status: 409 }
}

async function failedView(
  services: Services,
  visit: Visit<Visitor>,
  { cursor, notice }: { cursor?: string; notice?: Notice }
): Promise<View> {
  const page = cursor === undefined ? { limit: PAGE } : { limit: PAGE, cursor }
  const { sessions, next_cursor: next } = await listFailedSessions(services, page)
  const now = services.clock.now()
  return operatorView(visit, FAILED_PATH, {
    title: 'Failed sessions',
    status: notice?.status ?? 200,
    main: html`${noticeAbove(notice)}
${when(sessions.length > 0, () => retryAll(visit))}${cardList(sessions, one => row(visit, one, now), 'No session has failed.')}
${moreLink(next, cursor => visit.link(addressOf(FAILED_PATH, { cursor })))}`
  })
}

function retryAll({ form }: Visit): Html {
  return confirmed(
    'Retry all',
    'The server processes all of them again in the background, owner by owner. Sessions without speech and without a recording stay failed.',
    form(`${FAILED_PATH}/retry`, html`<button>Retry all</button>`)
  )
}

function row(
  { form, link }: Visit,
  { user_id: userId, session_id: id, owner, reason, failed_at: at }: FailedSession,
  now: Date
): Html {
  return html`<li><h2><code>${id}</code></h2>
<p class="facts"><span class="broken">${reason ?? 'It failed without a reason.'}</span></p>
<p class="facts">Failed ${ageOf(new Date(at), now)} ago, of <a href="${link(`${USERS_PATH}/${userId}`)}"><bdi>${owner ?? userId}</bdi></a></p>
${form(`${FAILED_PATH}/${userId}/${id}/retry`, html`<button class="second">Retry</button>`)}</li>`
}
