import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type LinkTarget, mediaLinks } from '../../../src/features/library/media-links.ts'
import { localMedia } from '../../../src/features/recordings/local-store.ts'
import { MediaError, mediaKey } from '../../../src/features/recordings/store.ts'
import type { MediaStore } from '../../../src/platform/ports/media-store.ts'
import { openDiskReserve } from '../../../src/platform/work/disk-reserve.ts'
import { fileIn, temporaryFolder } from '../../support/folders.ts'

const publicUrl = 'http://here'
const links = mediaLinks({ publicUrl, secretKey: 'a secret for tests, and for nothing else' })
const OWNER = { userId: 'usr_1', sessionId: 'ses_1' } as const
const KEY = 'usr_1/ses_1/audio.mp3'

function local(root = join(temporaryFolder(), 'media')) {
  return { root, store: localMedia(root, openDiskReserve(0)) }
}

const bytesOf = (store: MediaStore, key: string) => store.withFile(key, async path => readFileSync(path))

describe('the folder of recordings', () => {
  test('keeps the bytes of a file, for its owner alone, and gives them back', async () => {
    const { root, store } = local()
    const bytes = randomBytes(300_000)
    expect(await store.put(KEY, fileIn(temporaryFolder(), 'a.mp3', bytes), 'audio/mpeg')).toBe(300_000)
    expect((await bytesOf(store, KEY)).equals(bytes)).toBe(true)
    expect((await stat(join(root, KEY))).mode & 0o777).toBe(0o600)
    expect((await stat(root)).mode & 0o777).toBe(0o700)
  })

  test('deletes, again too, what a killed writer left as well', async () => {
    const { root, store } = local()
    const source = fileIn(temporaryFolder(), 'a.mp3', 'sound')
    await store.put(KEY, source, 'audio/mpeg')
    await writeFile(join(root, `${KEY}.partial`), 'half')
    await store.delete(KEY)
    await store.delete(KEY)
    expect(readdirSync(root, { recursive: true })).toEqual([])
    await expect(bytesOf(store, KEY)).rejects.toThrow('The recording does not exist')
  })

  test('keeps the audio when the video of the session is deleted', async () => {
    const { store } = local()
    const source = fileIn(temporaryFolder(), 'a.mp3', 'sound')
    await store.put(KEY, source, 'audio/mpeg')
    await store.put('usr_1/ses_1/video.mp4', source, 'video/mp4')
    await store.delete('usr_1/ses_1/video.mp4')
    expect(String(await bytesOf(store, KEY))).toBe('sound')
  })

  test.each([
    '../ses_1/audio.mp3',
    'usr_1/../audio.mp3',
    'usr_1/ses_1/../../../audio.mp3',
    '/usr_1/ses_1/audio.mp3',
    'usr_1\\ses_1\\audio.mp3',
    'usr_1/ses_1/audio.mp3/x',
    'usr_1/ses_1/audio.mp3\0',
    'usr_1/ses_1/audio.mp3\n',
    'usr_1/ses_1/notes.txt',
    ''
  ])('takes no key but those it makes: %j', async key => {
    const { store } = local()
    const source = fileIn(temporaryFolder(), 'a.mp3', 'sound')
    for (const use of [() => store.put(key, source, 'audio/mpeg'), () => store.delete(key), () => bytesOf(store, key)])
      await expect((async () => await use())()).rejects.toBeInstanceOf(MediaError)
  })

  test('makes keys of ids, kind and extension', () => {
    expect(mediaKey({ ...OWNER, kind: 'audio' }, 'mp3')).toBe(KEY)
    expect(() => mediaKey({ ...OWNER, sessionId: '../x', kind: 'audio' }, 'mp3')).toThrow(MediaError)
  })

  test('leaves nothing half-written where the disk is full, and says so', async () => {
    const { root, store } = local()
    await mkdir(join(root, 'usr_1/ses_1'), { recursive: true })
    // Every write to this device fails as one to a full disk does.
    symlinkSync('/dev/full', join(root, `${KEY}.partial`))
    const refused = store.put(KEY, fileIn(temporaryFolder(), 'a.mp3', randomBytes(200_000)), 'audio/mpeg')
    await expect(refused).rejects.toMatchObject({
      name: 'MediaError',
      message: `The disk of the recordings is full: ${root}`
    })
    expect(readdirSync(root, { recursive: true })).toEqual([])
  })

  test.runIf(process.getuid?.() !== 0)('says that it may not write, and that to doctor too', async () => {
    const root = temporaryFolder()
    const { store } = local(root)
    chmodSync(root, 0o500)
    const message = `The folder of the recordings may not be written by this user: ${root}`
    await expect(store.put(KEY, fileIn(temporaryFolder(), 'a.mp3', 'sound'), 'audio/mpeg')).rejects.toMatchObject({
      message
    })
    await expect(store.check()).rejects.toMatchObject({ message })
  })

  test('says that its place is a file', async () => {
    const root = fileIn(temporaryFolder(), 'media', 'a file')
    const { store } = local(root)
    await expect(store.put(KEY, root, 'audio/mpeg')).rejects.toMatchObject({
      message: expect.stringMatching(/^The folder of the recordings is/)
    })
    await expect(store.check()).rejects.toBeInstanceOf(MediaError)
  })

  test('is looked at without being made', async () => {
    const { root, store } = local()
    expect(await store.check()).toBe(`${root}, created with the first recording`)
    expect(existsSync(root)).toBe(false)
    mkdirSync(root)
    expect(await store.check()).toBe(root)
    expect(readdirSync(root)).toEqual([])
  })
})

describe('the signature of a link', () => {
  const expires = 1_772_449_200
  const target = { userId: 'usr_1', sessionId: 'ses_1', kind: 'audio', grant: '' }
  const link = { ...target, expires }
  const sign = (changes: Partial<LinkTarget> = {}) => {
    const url = links.urlOf({ ...target, ...changes }, new Date(expires * 1_000))
    return new URL(url).searchParams.get('signature')!
  }

  test('covers every part, the grant too, and depends on the secret', () => {
    expect(links.matches(link, sign())).toBe(true)
    const others = [
      { userId: 'usr_2' },
      { sessionId: 'ses_2' },
      { kind: 'video' },
      { expires: expires + 1 },
      { grant: 'shr_1' }
    ]
    for (const other of others) expect(links.matches({ ...link, ...other }, sign())).toBe(false)
    expect(mediaLinks({ publicUrl, secretKey: 'another secret of thirty-two letters' }).matches(link, sign())).toBe(
      false
    )
    for (const wrong of ['', `${sign()}=`, sign().slice(1), sign().toUpperCase()])
      expect(links.matches(link, wrong)).toBe(false)
  })

  test('of a link with a grant is good for that grant alone', () => {
    const granted = sign({ grant: 'shr_1' })
    expect(links.matches({ ...link, grant: 'shr_1' }, granted)).toBe(true)
    expect(links.matches(link, granted)).toBe(false)
  })

  test('does not let the parts run into one another', () => {
    const signed = sign({ userId: 'a\nb', sessionId: 'c' })
    for (const read of [
      { userId: 'a\nb', sessionId: 'c' },
      { userId: 'a', sessionId: 'b\nc' }
    ])
      expect(links.matches({ ...link, ...read }, signed)).toBe(false)
  })

  test('of the last letter every bit counts', () => {
    const signed = sign()
    const alike = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map(
      last => signed.slice(0, -1) + last
    )
    expect(alike.filter(other => links.matches(link, other))).toEqual([signed])
  })
})
