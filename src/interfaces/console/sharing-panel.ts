import { LIMITS } from '../../contract/limits.ts'
import type { SessionSharingResponse, ShareScope } from '../../contract/sharing.ts'
import { type Html, html, when } from '../web/html.ts'
import { panel } from './session-panels.ts'
import { SHARE_PARTS } from './share-parts.ts'
import type { Visit } from './visit.ts'

/** The recipients of a session, the parts that they see, and the forms that add others. */
export function sharingPanel(
  { form }: Pick<Visit, 'form'>,
  id: string,
  { people, pending_invites: invites }: SessionSharingResponse,
  scope: ShareScope,
  isOpen: boolean
): Html {
  const to = (action: string) => `/s/${id}/sharing/${action}`
  const parts = SHARE_PARTS.map(
    ([part, words]) =>
      html`<label class="check"><input type="checkbox" name="${part}" value="true"${when(scope[part], () => html` checked`)}> ${words}</label>`
  )
  const recipients = people.map(({ id: recipient, name, email }) =>
    form(
      to('remove'),
      html`<input type="hidden" name="recipient_id" value="${recipient}"><bdi title="${email ?? ''}">${name ?? email ?? 'somebody'}</bdi>
<button class="plain" aria-label="Remove ${name ?? email ?? 'somebody'}">Remove</button>`,
      { class: 'line' }
    )
  )
  const pending = invites.map(({ email, invite_id: invite }) =>
    form(
      to('cancel'),
      html`<input type="hidden" name="email" value="${email ?? ''}"><input type="hidden" name="invite_id" value="${invite ?? ''}">
<span><bdi>${email}</bdi> <span class="quiet">invited</span></span> <button class="plain" aria-label="Withdraw the invite to ${email}">Withdraw</button>`,
      { class: 'line' }
    )
  )
  const count = people.length + invites.length
  return panel(
    'sharing',
    count > 0 ? `Sharing (${count})` : 'Sharing',
    isOpen,
    html`${recipients}${pending}
${form(to('parts'), html`<fieldset><legend>Everyone it is shared with sees</legend>${parts}</fieldset><button>Save</button>`)}
${form(
  to('invites'),
  html`<label>Invite by e-mail<input name="emails" required placeholder="ada@example.com, ben@example.com"></label>
<label>Message<textarea name="message" rows="2" dir="auto" maxlength="${LIMITS.sharing.message}"></textarea></label><button>Invite</button>`
)}
<p class="quiet">Or make a link. It works for ${LIMITS.sharing.linkDays} days, for everyone who has it, and is shown once.</p>
${form(to('link'), html`<button>Make a link</button>`)}
${form(
  to('reset'),
  html`<label class="check"><input type="checkbox" name="remove_everyone" value="true"> and remove everyone</label>
<button class="plain">Replace all links by a new one</button>`
)}`
  )
}
