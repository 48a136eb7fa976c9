import type { Served } from '../support/server.ts'
import { ALL_SHARED, changeShareScope, claim, inviteTo, linkTo, newSharer } from '../support/sharing.ts'

export type Flag = keyof typeof ALL_SHARED
export type Sharer = Awaited<ReturnType<typeof newSharer>>
export type World = Awaited<ReturnType<typeof openWorld>>
export type Ids = World['ids']
/** What an id in a request is the id of. */
export type Kind =
  | 'owner'
  | 'session'
  | 'folder'
  | 'person'
  | 'webhook'
  | 'event'
  | 'recipient'
  | 'item'
  | 'upload'
  | 'term'
  | 'template'
  | 'export'

export const FLAGS = Object.keys(ALL_SHARED) as Flag[]

/** Something of every part that can be shared, each with a text of its own. */
const DOCUMENT = {
  title: 'Offers of the spring',
  summary: 'OWNED SUMMARY',
  notes: 'OWNED NOTES',
  tags: ['owned-tag'],
  folders: ['Owned folder'],
  speakers: [{ label: 'Ada', person: 'Owned Person' }],
  segments: [
    { speaker: 'Ada', start: 0, end: 2, text: 'OWNED TRANSCRIPT' },
    { speaker: 'Speaker 2', start: 2, end: 3, text: 'OWNED REPLY' }
  ],
  action_items: [{ text: 'OWNED ITEM', source_start: 1 }],
  media: { audio: 'https://media.example/OWNED-AUDIO' }
}

/** Somebody with one of each thing, of which one session is shared with two people and then with one of them no more. */
export async function openWorld(served?: Served) {
  const [owner, recipient, revoked] = [
    await newSharer({}, served),
    await newSharer({}, served),
    await newSharer({}, served)
  ]
  const session = await owner.session(DOCUMENT)
  const link = await linkTo(owner, session)
  await claim(recipient, link)
  await claim(revoked, link)
  await owner.delete(`/v1/sessions/${session}/sharing/people/${revoked.id}`)
  const email = `invited-${owner.id}@example.com`
  await inviteTo(owner, session, email)
  const webhook = (await owner.post('/v1/webhooks', { url: 'http://127.0.0.1:1/owned', events: ['session.updated'] }))
    .body.id
  await owner.patch(`/v1/sessions/${session}`, { favorite: true })
  const { body: otherPerson } = await owner.post('/v1/people', { name: 'Other Person', is_me: true })
  await owner.post(`/v1/sessions/${session}/summarize`, {})
  const upload = await beginUpload(owner)
  const { body: term } = await owner.post('/v1/terms', { heard: ['OWNED TERM'], meant: 'Parlance' })
  await owner.post(`/v1/terms/${term.id}/apply`)
  const { body: template } = await owner.post('/v1/summary-templates', {
    name: 'OWNED TEMPLATE',
    sections: [{ heading: 'OWNED HEADING' }]
  })
  const { body: made } = await owner.post('/v1/exports', { parts: [] })
  const [sharing, folders, people, feed, items] = await Promise.all(
    [`/v1/sessions/${session}/sharing`, '/v1/folders', '/v1/people', '/v1/events', '/v1/action-items'].map(url =>
      owner.get(url)
    )
  )
  const ids = {
    owner: owner.id,
    session,
    folder: String(folders!.body.folders[0].id),
    person: String(people!.body.people.find(({ name }: { name: string }) => name === 'Owned Person').id),
    otherPerson: String(otherPerson.id),
    webhook: String(webhook),
    event: String(feed!.body.events.at(-1).id),
    recipient: recipient.id,
    upload,
    term: String(term.id),
    template: String(template.id),
    export: String(made.id),
    item: String(items!.body.action_items[0].id),
    invite: String(sharing!.body.pending_invites[0].invite_id),
    email
  }
  return { owner, recipient, revoked, ids }
}

/** An upload in parts, of which nothing has arrived. */
export async function beginUpload(owner: Sharer) {
  const { headers } = await owner.app.inject({
    method: 'POST',
    url: '/v1/uploads',
    headers: { authorization: `Bearer ${owner.token}`, ...UPLOAD }
  })
  return String(headers.location).split('/').at(-1)!
}

export const UPLOAD = {
  'tus-resumable': '1.0.0',
  'upload-length': '10',
  'upload-metadata': `filename ${Buffer.from('weekly.vtt').toString('base64')}`
}

/** A session of the same owner for each flag, shared with the same recipient without what the flag is for. */
export async function openFlagged({ owner, recipient }: World) {
  const sessions = {} as Record<Flag, string>
  for (const flag of FLAGS) {
    const id = await owner.session(DOCUMENT)
    await claim(recipient, await linkTo(owner, id))
    await changeShareScope(owner, id, { ...ALL_SHARED, [flag]: false })
    sessions[flag] = id
  }
  return sessions
}
