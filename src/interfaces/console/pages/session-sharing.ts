import { z } from 'zod'
import { FIELD_LIMITS, LIMITS } from '../../../contract/limits.ts'
import { ShareInvites, type ShareInvitesResponse, type SkipReason } from '../../../contract/sharing.ts'
import {
  cancelShareInvite,
  createShareInvites,
  createShareLink,
  removeShareRecipient,
  resetShareLink,
  updateShareScope
} from '../../../features/sharing/operations.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { ApiError, throwNotFound } from '../../../platform/core/api-error.ts'
import { html } from '../../web/html.ts'
import { onDay } from '../dates.ts'
import { type Console, NONE } from '../open-console.ts'
import { SessionParams, toPanel } from '../session-address.ts'
import type { Answer, View, Visit } from '../visit.ts'

const checked = z.stringbool().default(false)
const Parts = z.object({ summary: checked, transcript: checked, audio: checked, action_items: checked })
const Reset = z.object({ remove_everyone: checked })
const Invites = z
  .object({ emails: z.string().max(LIMITS.bodyBytes), message: z.string().default('') })
  .transform(
    ({ emails, message: text }): z.input<typeof ShareInvites> => ({
      emails: emails.split(/[\s,;]+/).filter(address => address !== ''),
      message: text.replaceAll('\r\n', '\n')
    })
  )
  .pipe(ShareInvites)
const Cancel = z.object({
  email: z.string().max(LIMITS.sharing.email),
  invite_id: z.string().max(LIMITS.sharing.inviteId)
})
const Remove = z.object({ recipient_id: z.string().max(FIELD_LIMITS.id) })

const SKIPPED: Record<string, string> = {
  self: 'is your own address',
  already_shared: 'has access already',
  already_invited: 'was invited less than an hour ago',
  invalid_email: 'is not an e-mail address'
} satisfies Record<SkipReason, string>

/** The forms of the share panel. */
export function sessionSharing({ services, user }: Console) {
  type Input<B> = { params: { id: string }; body: B }

  /** A recipient learns no more of a session's sharing than anyone else: the page is unknown. */
  function form<B extends z.ZodType>(
    action: string,
    body: B,
    act: (visit: Visit<Visitor>, input: Input<z.output<B>>) => Promise<Answer>
  ) {
    user.form(`/s/:id/sharing/${action}`, { ...NONE, params: SessionParams, body }, (visit, input) =>
      act(visit, input).catch(error => {
        if (error instanceof ApiError && error.code === 'no_access') throwNotFound('Session')
        throw error
      })
    )
  }

  form('parts', Parts, async ({ visitor }, { params: { id }, body }) => {
    await updateShareScope(services, visitor.actor, id, body)
    return toPanel(id, 'sharing')
  })

  form('invites', Invites, async (visit, { params: { id }, body }) => {
    const outcome = await createShareInvites(services, visit.visitor.actor, id, body)
    return outcome.skipped.length > 0 ? skippedView(visit, id, outcome) : toPanel(id, 'sharing')
  })

  form('link', NONE.body, async (visit, { params: { id } }) =>
    linkView(visit, id, await createShareLink(services, visit.visitor.actor, id), visit.visitor.timeZone)
  )

  form('reset', Reset, async (visit, { params: { id }, body }) =>
    linkView(visit, id, await resetShareLink(services, visit.visitor.actor, id, body), visit.visitor.timeZone)
  )

  form('cancel', Cancel, async ({ visitor }, { params: { id }, body }) => {
    const { email, invite_id: inviteId } = body
    await cancelShareInvite(services, visitor.actor, id, { email, inviteId: inviteId === '' ? undefined : inviteId })
    return toPanel(id, 'sharing')
  })

  form('remove', Remove, async ({ visitor }, { params: { id }, body }) => {
    await removeShareRecipient(services, visitor.actor, id, body.recipient_id)
    return toPanel(id, 'sharing')
  })
}

/** The only page that has the link: the server keeps its hash. */
function linkView({ link }: Visit, id: string, made: { url: string; expires_at: string }, timeZone: string): View {
  return {
    title: 'The new link',
    part: 'sessions',
    narrow: true,
    main: html`<h1>The new link</h1>
<label for="link">Copy it now: it is not shown again</label><input id="link" readonly value="${made.url}">
<p class="quiet">It works until ${onDay(new Date(made.expires_at), timeZone)}, for everyone who has it and signs in.</p>
<p><a href="${link(`/s/${id}?open=sharing#sharing`)}">Back to the session</a></p>`
  }
}

function skippedView({ link }: Visit, id: string, { sent, skipped }: ShareInvitesResponse): View {
  return {
    title: 'Invites',
    part: 'sessions',
    narrow: true,
    main: html`<h1>Not everyone was invited</h1>
<ul>${skipped.map(({ email, reason }) => html`<li><bdi>${email}</bdi> ${SKIPPED[reason] ?? reason}</li>`)}</ul>
<p>${sent.length === 0 ? 'No invite was sent.' : html`Invited: <bdi>${sent.join(', ')}</bdi>`}</p>
<p><a href="${link(`/s/${id}?open=sharing#sharing`)}">Back to the session</a></p>`
  }
}
