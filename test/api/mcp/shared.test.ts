import { beforeAll, describe, expect, test } from 'vitest'
import { openFlagged, openWorld, type World } from '../../matrix/world.ts'
import { callTool } from '../../support/mcp.ts'

let world: World
let id: string
let url: string

beforeAll(async () => {
  world = await openWorld()
  id = `${world.owner.id}/${world.ids.session}`
  url = `http://parlance.test/shared/${id}`
})

test('list_shared_sessions lists what others share, and nothing of which access has ended', async () => {
  const { object, text } = await callTool(world.recipient, 'list_shared_sessions')
  expect(object.sessions).toEqual([
    {
      id,
      title: 'Offers of the spring',
      url,
      owner: expect.any(String),
      parts: ['summary', 'action_items', 'transcript']
    }
  ])
  expect(text).toContain(`id ${id}, ${url}`)
  expect((await callTool(world.revoked, 'list_shared_sessions')).object).toEqual({ sessions: [] })
  expect((await callTool(world.owner, 'list_shared_sessions')).object).toEqual({ sessions: [] })
})

describe('a conversation that is shared', () => {
  test.each<[string, (id: string, url: string) => string]>([
    ['the id that the list shows', shown => shown],
    ['the id of a second', shown => `${shown}#1`],
    ['the link to cite', (_, link) => link],
    ['the link to a second', (_, link) => `${link}#t=1`]
  ])('is read by %s', async (_, written) => {
    const named = written(id, url)
    const { object } = await callTool(world.recipient, 'get_session', { id: named })
    expect(object).toMatchObject({ id, url, title: 'Offers of the spring', summary: 'OWNED SUMMARY' })
    expect(object.action_items).toMatchObject([{ text: 'OWNED ITEM' }])
    expect(object).not.toHaveProperty('notes')
    expect(object).not.toHaveProperty('if_version')
    const several = await callTool(world.recipient, 'get_sessions', { ids: [named] })
    expect(several.object.sessions).toEqual([object])
    const { object: said } = await callTool(world.recipient, 'get_transcript', { id: named, start: 0 })
    expect(said).toMatchObject({ id, url, segments: [{ text: 'OWNED TRANSCRIPT' }, { text: 'OWNED REPLY' }] })
    const { object: fetched } = await callTool(world.recipient, 'fetch', { id: named })
    expect(fetched.text).toContain('OWNED TRANSCRIPT')
    expect(fetched.text).not.toContain('OWNED NOTES')
  })

  test('is unknown to everybody else, and to those whose access has ended', async () => {
    for (const user of [world.revoked, world.owner])
      for (const tool of ['get_session', 'get_transcript', 'fetch'])
        expect(await callTool(user, tool, { id })).toMatchObject({
          isError: true,
          text: 'Shared session not found; search_sessions and list_sessions have the ids, list_shared_sessions those of others'
        })
  })

  test('is changed by no tool', async () => {
    const error = 'give the id of a conversation of the user, because one that others share can only be read'
    for (const [tool, args] of [
      ['update_session', { id, title: 'x' }],
      ['change_tags', { ids: [id], add: ['x'] }],
      ['create_action_item', { id, text: 'x' }],
      ['add_to_folder', { id, folder: 'x' }],
      ['correct_transcript', { id, segments: [{ index: 0, text: 'x' }], if_version: 1 }]
    ] as const) {
      const { text, isError } = await callTool(world.recipient, tool, args)
      expect([isError, text], tool).toEqual([true, expect.stringContaining(error)])
    }
    expect((await callTool(world.recipient, 'get_transcript', { id, indexes: true })).text).toBe(
      'indexes: others share the conversation, so it can only be read'
    )
  })

  test('shows only the parts that its owner shares', async () => {
    const flagged = await openFlagged(world)
    const read = async (session: string) =>
      await callTool(world.recipient, 'get_session', { id: `${world.owner.id}/${session}` })
    expect((await read(flagged.summary)).object).not.toHaveProperty('summary')
    expect((await read(flagged.action_items)).object).not.toHaveProperty('action_items')
    const silent = `${world.owner.id}/${flagged.transcript}`
    expect((await callTool(world.recipient, 'get_transcript', { id: silent })).text).toMatch(
      /^Shared transcript not found/
    )
    const { object } = await callTool(world.recipient, 'fetch', { id: silent })
    expect(object.text).toContain('The owner does not share the transcript.')
    expect(object.text).not.toContain('OWNED TRANSCRIPT')
  })
})
