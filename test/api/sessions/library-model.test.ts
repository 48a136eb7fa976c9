import { expect, test } from 'vitest'
import { folderKey } from '../../../src/platform/text/fold.ts'
import { acceptSession, completeSession, newUser } from '../../support/server.ts'

/** What the server should hold, kept in memory. */
interface Model {
  sessions: Map<string, ModelSession>
  folders: Map<string, string>
}

interface ModelSession {
  title: string
  type: string
  platform: string | null
  seconds: number
  at: number
  tags: string[]
  folders: Set<string>
  completed: boolean
}

type User = Awaited<ReturnType<typeof newUser>>

const TYPES = ['meeting', 'phone', 'podcast']
const TAGS = ['a', 'b', 'C', 'c', 'd e']
const NAMES = ['Clients', 'CLIENTS', 'Straße', 'STRASSE', 'Board', 'Ärzte', 'ärzte', 'x']
const FIRST = Date.UTC(2026, 1, 20, 22)

/** The same numbers for the same seed: a failure can be repeated. */
function dice(seed: number) {
  let state = seed
  const below = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % limit
  }
  return {
    below,
    one: <T>(of: readonly T[]) => of[below(of.length)]!,
    some: <T>(of: readonly T[]) => of.filter(() => below(3) === 0)
  }
}

class Library {
  readonly model: Model = { sessions: new Map(), folders: new Map() }
  private readonly taken = new Set<number>()
  private readonly user: User
  private readonly dice: ReturnType<typeof dice>

  constructor(user: User, seed: number) {
    this.user = user
    this.dice = dice(seed)
  }

  async step() {
    const acts = [
      this.add,
      this.add,
      this.complete,
      this.change,
      this.remove,
      this.makeFolder,
      this.rename,
      this.dropFolder,
      this.link,
      this.unlink
    ]
    await this.dice.one(acts).call(this)
  }

  private anySession() {
    return this.model.sessions.size > 0 ? this.dice.one([...this.model.sessions]) : undefined
  }

  private anyFolder() {
    return this.model.folders.size > 0 ? this.dice.one([...this.model.folders.keys()]) : undefined
  }

  /** An instant that no other session has: how ties are placed has tests of its own. */
  private freeInstant(): number {
    const at = FIRST + this.dice.below(8 * 24 * 4) * 900_000
    if (this.taken.has(at)) return this.freeInstant()
    this.taken.add(at)
    return at
  }

  private async add() {
    const { one, some, below } = this.dice
    const at = this.freeInstant()
    const document = {
      title: `s${at}`,
      type: one(TYPES),
      platform: one(['zoom', null]),
      duration_seconds: below(1000) / 10
    }
    const [tags, names] = [some(TAGS), some(NAMES)]
    const id = await acceptSession(this.user.id, {
      ...document,
      timestamp: new Date(at).toISOString(),
      tags,
      folders: names
    })
    const { body } = await this.user.get(`/v1/sessions/${id}`)
    const { title, type, platform, duration_seconds: seconds } = document
    this.model.sessions.set(id, {
      title,
      type,
      platform,
      seconds,
      at,
      tags,
      folders: new Set(body.folder_ids),
      completed: false
    })
    await this.learnFolders()
    const names_ = [...new Set(names.map(folderKey))].sort()
    expect(body.folder_ids.map((folder: string) => folderKey(this.model.folders.get(folder)!)).sort()).toEqual(names_)
    if (below(4) > 0) await this.finish(id)
  }

  /** Imports make folders of their own; which ids they have, only the server knows. */
  private async learnFolders() {
    const { body } = await this.user.get('/v1/folders')
    for (const { id, name } of body.folders) if (!this.model.folders.has(id)) this.model.folders.set(id, name)
  }

  private async complete() {
    const [id] = [...this.model.sessions].find(([, { completed }]) => !completed) ?? []
    if (id) await this.finish(id)
  }

  private async finish(id: string) {
    await completeSession(this.user.id, id)
    this.model.sessions.get(id)!.completed = true
  }

  private async change() {
    const [id, session] = this.anySession() ?? []
    if (!id || !session) return
    const change = { title: `t${this.dice.below(100)}`, tags: this.dice.some(TAGS) }
    expect((await this.user.patch(`/v1/sessions/${id}`, change)).status).toBe(200)
    Object.assign(session, change)
  }

  private async remove() {
    const [id] = this.anySession() ?? []
    if (!id) return
    expect((await this.user.delete(`/v1/sessions/${id}`)).status).toBe(200)
    this.model.sessions.delete(id)
  }

  private async makeFolder() {
    const name = this.dice.one(NAMES)
    const { status, body } = await this.user.post('/v1/folders', { name })
    const existing = [...this.model.folders].find(([, other]) => folderKey(other) === folderKey(name))
    expect([status, body.name]).toEqual([201, existing?.[1] ?? name])
    if (existing) expect(body.id).toBe(existing[0])
    this.model.folders.set(body.id, body.name)
  }

  private async rename() {
    const [id, name] = [this.anyFolder(), this.dice.one(NAMES)]
    if (!id) return
    const clash = [...this.model.folders].some(
      ([other, existing]) => other !== id && folderKey(existing) === folderKey(name)
    )
    expect((await this.user.patch(`/v1/folders/${id}`, { name })).status).toBe(clash ? 400 : 200)
    if (!clash) this.model.folders.set(id, name)
  }

  private async dropFolder() {
    const id = this.anyFolder()
    if (!id) return
    expect((await this.user.delete(`/v1/folders/${id}`)).status).toBe(204)
    this.model.folders.delete(id)
    for (const session of this.model.sessions.values()) session.folders.delete(id)
  }

  private async link() {
    await this.setMembership('post')
  }

  private async unlink() {
    await this.setMembership('delete')
  }

  private async setMembership(act: 'post' | 'delete') {
    const [[id, session] = [], folder] = [this.anySession(), this.anyFolder()]
    if (!id || !session || !folder) return
    const { status, body } = await this.user[act](`/v1/sessions/${id}/folders/${folder}`)
    if (act === 'post') session.folders.add(folder)
    else session.folders.delete(folder)
    expect([status, body]).toEqual([
      200,
      { session_id: id, folder_id: folder, folder_ids: [...session.folders].sort() }
    ])
  }

  async compare() {
    const shown = [...this.model.sessions.values()].filter(({ completed }) => completed).sort((a, b) => b.at - a.at)
    expect((await this.user.get('/v1/account')).body.session_count).toBe(shown.length)
    await this.compareFolders(shown)
    for (let turn = 0; turn < 3; turn++) {
      await this.compareList(shown)
      await this.compareStats(shown)
    }
  }

  private async compareFolders(shown: ModelSession[]) {
    const { body } = await this.user.get('/v1/folders')
    const counts = body.folders.map(({ id, name, session_count }: Record<string, unknown>) => [id, name, session_count])
    const expected = [...this.model.folders].map(([id, name]) => [
      id,
      name,
      shown.filter(({ folders }) => folders.has(id)).length
    ])
    expect(counts.sort()).toEqual(expected.sort())
  }

  private async compareList(shown: ModelSession[]) {
    const { one, some, below } = this.dice
    const [type, folder, tags, mode] = [
      one([undefined, ...TYPES]),
      below(2) ? this.anyFolder() : undefined,
      some(TAGS),
      one(['any', 'all'])
    ]
    const since = below(2) ? FIRST + below(8 * 24) * 3_600_000 : undefined
    const query = new URLSearchParams({
      limit: '100',
      ...(type && { type }),
      ...(folder && { folder: one([folder, this.model.folders.get(folder)!.toUpperCase()]) }),
      ...(tags.length > 0 && { tag: tags.join(','), tag_mode: mode }),
      ...(since && { since: new Date(since).toISOString() })
    })
    const expected = shown
      .filter(
        session =>
          (!type || session.type === type) && (!folder || session.folders.has(folder)) && session.at >= (since ?? 0)
      )
      .filter(
        session => tags.length === 0 || tags[mode === 'any' ? 'some' : 'every'](tag => session.tags.includes(tag))
      )
    const { body } = await this.user.get(`/v1/sessions?${query}`)
    const found = body.sessions.map(({ title, timestamp }: Record<string, string>) => [title, timestamp])
    expect([String(query), found]).toEqual([
      String(query),
      expected.map(({ title, at }) => [title, new Date(at).toISOString()])
    ])
  }

  private async compareStats(shown: ModelSession[]) {
    const [from, to] = [this.dice.below(8 * 24), this.dice.below(8 * 24)]
      .sort((a, b) => a - b)
      .map(hour => FIRST + hour * 3_600_000)
    const inside = shown.filter(({ at }) => at >= from! && at < to!)
    const { body } = await this.user.get(
      `/v1/sessions/stats?since=${new Date(from!).toISOString()}&until=${new Date(to!).toISOString()}`
    )
    const tenths = inside.reduce((sum, { seconds }) => sum + Math.round(seconds * 10), 0)
    expect({ ...body, total_duration_seconds: Math.round(body.total_duration_seconds * 10) }).toMatchObject({
      total_sessions: inside.length,
      total_duration_seconds: tenths,
      sessions_by_type: countBy(inside.map(({ type }) => type)),
      sessions_by_platform: countBy(inside.map(({ platform }) => platform ?? 'unknown'))
    })
    expect(Object.keys(body.sessions_by_type).sort()).toEqual(
      Object.keys(countBy(inside.map(({ type }) => type))).sort()
    )
  }
}

function countBy(names: string[]) {
  return Object.fromEntries(
    Object.entries(Object.groupBy(names, name => name)).map(([name, same]) => [name, same?.length])
  )
}

test.each([1, 20260302, 77_777])(
  'after any series of operations, lists, folders, counts and stats are those of a model (seed %i)',
  async seed => {
    const library = new Library(await newUser(), seed)
    for (let step = 1; step <= 150; step++) {
      await library.step()
      if (step % 10 === 0) await library.compare()
    }
  }
)
