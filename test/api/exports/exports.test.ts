// @module-tag both
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Ajv from 'ajv'
import formats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import type { Scope } from '../../../src/contract/scopes.ts'
import { issueToken } from '../../../src/features/access/tokens.ts'
import { endAccount } from '../../../src/features/deletions/delete-user.ts'
import { removeOldExports } from '../../../src/features/exports/remove-old.ts'
import { verifyArchive } from '../../../src/features/exports/verify.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import {
  beginExport,
  exportTo,
  fileNamed,
  filesOf,
  pathOf,
  runExport,
  temporaryFolder,
  unzipTest
} from '../../support/exports.ts'
import { clock, NOW, newUser, testServices, UPLOADS } from '../../support/server.ts'
import { trash } from '../../support/trash.ts'

const EXPORTS = `${UPLOADS}-exports`
const folder = temporaryFolder()

const DOCUMENT = {
  title: 'Offer: "Soil" & more / 2026',
  timestamp: '2026-03-01T09:00:00Z',
  summary: '## Overview\n\nThe offer goes out.',
  notes: 'Ask Ben again.',
  tags: ['soil', 'offer'],
  folders: ['Clients'],
  platform: 'zoom',
  language: 'en',
  speakers: [{ label: 'Ada', person: 'Ada Lovelace' }],
  segments: [
    { speaker: 'Ada', start: 0, end: 2.5, text: 'Good *morning*.' },
    { speaker: 'Ben', start: 2.5, end: 4, text: 'I will send the offer.' }
  ],
  action_items: [{ text: 'Send the offer', assignee: 'Ben', due_date: '2026-03-06', source_start: 2.5 }]
}

async function ask(url: string, headers: Record<string, string> = {}) {
  const { app } = await newUser()
  return await app.inject({ method: 'GET', url, headers })
}

/** A validator of the unsigned form of a vCon. */
async function vconValidator() {
  const ajv = new Ajv.default({ strict: false })
  formats.default(ajv)
  return ajv.compile(JSON.parse(await readFile('test/fixtures/vcon.schema.json', 'utf8')))
}

/** Another token of a user. */
async function tokenOf(user: Awaited<ReturnType<typeof newUser>>, ...scopes: Scope[]) {
  const { token } = await issueToken(user.db, user.id, 'other', scopes, clock.now())
  return { authorization: `Bearer ${token}` }
}

describe('POST /v1/exports', () => {
  test('answers with a running export, whose job writes the library into a file behind a signed link', async () => {
    const user = await newUser()
    await user.session(DOCUMENT)
    const { status, body } = await user.post('/v1/exports', {})
    const running = {
      id: expect.stringMatching(/^exp_/),
      status: 'running',
      format: 'zip',
      parts: ['transcripts', 'folders', 'people', 'terms', 'templates', 'shares'],
      since: null,
      recordings: false,
      sessions_total: 1,
      sessions_done: 0,
      bytes: null,
      download_url: null,
      error: null,
      created_at: NOW,
      finished_at: null,
      expires_at: '2026-03-04T10:00:00.000Z'
    }
    expect({ status, body }).toEqual({ status: 202, body: running })
    await runExport(user, body.id)
    const done = await user.get(`/v1/exports/${body.id}`)
    expect(done).toEqual({
      status: 200,
      body: {
        ...running,
        status: 'completed',
        sessions_done: 1,
        bytes: expect.any(Number),
        download_url: expect.stringContaining(`/v1/export-files/${user.id}/${body.id}?expires=`),
        finished_at: NOW,
        expires_at: '2026-03-03T10:00:00.000Z'
      }
    })
    expect((await user.get('/v1/exports')).body).toEqual({ exports: [done.body] })
    const file = await ask(pathOf(done.body.download_url))
    expect([file.statusCode, file.headers['content-type'], file.rawPayload.length]).toEqual([
      200,
      'application/zip',
      done.body.bytes
    ])
    expect(file.headers['content-disposition']).toContain('attachment; filename="parlance-2026-03-02.zip"')
  })

  test('writes each session as Markdown, captions, import document, state and vCon, and the lists', async () => {
    const user = await newUser()
    const id = await user.session(DOCUMENT)
    await user.post('/v1/terms', { heard: ['par lance'], meant: 'Parlance' })
    const path = await exportTo(folder, user)
    const files = await filesOf(path)
    const place = `sessions/2026-03/2026-03-01-offer-soil-more-2026-${id}`
    expect([...files.keys()]).toEqual([
      'folders.json',
      'people.json',
      'terms.json',
      'templates.json',
      ...['session.md', 'transcript.vtt', 'document.json', 'state.json', 'vcon.json'].map(name => `${place}/${name}`),
      'shares.json',
      'SHA256SUMS',
      'manifest.json',
      'manifest.jws'
    ])
    expect(fileNamed(files, 'session.md')).toBe(`---
id: ${id}
title: 'Offer: "Soil" & more / 2026'
date: 2026-03-01T09:00:00.000Z
duration_seconds: 4
type: import
platform: zoom
language: en
tags:
  - soil
  - offer
folders:
  - Clients
people:
  - Ada Lovelace
  - Ben
favorite: false
---

# Offer: "Soil" & more / 2026

## Summary

## Overview

The offer goes out.

## Action items

- [ ] Send the offer (Ben, 2026-03-06)

## Notes

Ask Ben again.

## Transcript

**Ada Lovelace** (00:00:00): Good \\*morning\\*.

**Ben** (00:00:02.500–00:00:04): I will send the offer.
`)
    expect(fileNamed(files, 'transcript.vtt')).toContain('<v Ada Lovelace>Good *morning*.')
    expect(JSON.parse(fileNamed(files, 'document.json'))).toMatchObject({
      external_id: id,
      title: DOCUMENT.title,
      timestamp: '2026-03-01T09:00:00.000Z',
      folders: ['Clients'],
      segments: [{ speaker: 'Ada Lovelace', start: 0, end: 2.5, text: 'Good *morning*.' }, { speaker: 'Ben' }]
    })
    const vcon = JSON.parse(fileNamed(files, 'vcon.json'))
    expect(vcon).toMatchObject({
      uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      subject: DOCUMENT.title,
      parties: [{ name: 'Ada Lovelace' }, { name: 'Ben' }],
      dialog: [
        { type: 'text', start: '2026-03-01T09:00:00.000Z', duration: 4, mediatype: 'text/vtt', encoding: 'none' }
      ]
    })
    expect(vcon.analysis.map(({ type }: { type: string }) => type)).toEqual(['summary', 'action_items', 'transcript'])
    expect(JSON.parse(fileNamed(files, 'terms.json'))).toMatchObject([{ heard: ['par lance'], meant: 'Parlance' }])
    expect(JSON.parse(fileNamed(files, 'manifest.json'))).toMatchObject({
      kind: 'parlance-library',
      issuer: 'http://parlance.test',
      created_at: NOW,
      user: { id: user.id },
      counts: { sessions: 1, transcripts: 1, recordings: 0, folders: 1, people: 2, terms: 1, shares: 0, files: 10 },
      left_out: { processing: 0, trash: 0 }
    })
    expect(await unzipTest(path)).toContain('Done testing')
  })

  test('has nothing of others, of the trash, or of what has not changed since', async () => {
    const [user, other] = [await newUser(), await newUser()]
    await other.session({ title: 'Of another' })
    await user.session({ title: 'Kept' })
    await trash(user, user.id, await user.session({ title: 'Thrown away' }))
    const text = (await filesOf(await exportTo(folder, user))).values().map(String).toArray().join('\n')
    expect(text).toContain('Kept')
    expect(text).not.toMatch(/Of another|Thrown away/)
    const later = await filesOf(await exportTo(folder, user, { since: '2026-03-02T10:00:01Z' }))
    expect([...later.keys()].filter(name => name.startsWith('sessions/'))).toEqual([])
    expect(JSON.parse(fileNamed(later, 'manifest.json'))).toMatchObject({ since: '2026-03-02T10:00:01.000Z' })
  })

  test('writes ndjson, a value on each line, with a signed manifest as the last one', async () => {
    const user = await newUser()
    await user.session(DOCUMENT)
    const path = await exportTo(folder, user, { format: 'ndjson', parts: ['transcripts', 'folders', 'people'] })
    const lines = (await readFile(path, 'utf8'))
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines.map(({ kind }) => kind)).toEqual(['folder', 'person', 'person', 'session', 'manifest'])
    expect(lines[3].document).toMatchObject({ title: DOCUMENT.title })
    expect(await verifyArchive(path)).toMatchObject({ problems: [], key: expect.any(String) })
    await writeFile(path, (await readFile(path, 'utf8')).replace('Clients', 'clients'))
    expect((await verifyArchive(path)).problems).toEqual([{ file: 'lines', problem: 'changed' }])
  })

  test('leaves out the parts that nobody asks for', async () => {
    const user = await newUser()
    await user.session(DOCUMENT)
    const files = await filesOf(await exportTo(folder, user, { parts: ['folders'] }))
    const names = [...files.keys()].map(name => name.split('/').at(-1))
    expect(names).toEqual(
      'folders.json session.md document.json state.json vcon.json SHA256SUMS manifest.json manifest.jws'.split(' ')
    )
    expect([...files.values()].join('')).not.toContain('Good')
  })

  test.for<[string, Scope[], object, string]>([
    [
      'transcripts',
      ['sessions:read'],
      { parts: ['transcripts'] },
      'parts with transcripts needs the scope transcripts:read'
    ],
    ['shares', ['sessions:read', 'transcripts:read'], {}, 'parts with shares needs the scope sharing:manage'],
    ['recordings', ['sessions:read'], { parts: [], recordings: true }, 'recordings needs the scope media:read']
  ])('refuses %s to a token without their scope', async ([, scopes, request, message]) => {
    const user = await newUser(...scopes)
    expect(await user.post('/v1/exports', request)).toEqual({
      status: 403,
      body: { error: { code: 'insufficient_scope', message } }
    })
  })

  test('gives the link to no token that could not have asked for the parts', async () => {
    const user = await newUser()
    const id = await beginExport(user)
    await runExport(user, id)
    const reader = await tokenOf(user, 'sessions:read')
    const { body } = await user.ask('GET', `/v1/exports/${id}`, { headers: reader })
    expect(body).toMatchObject({ status: 'completed', download_url: null })
  })

  test.for<[object, string]>([
    [{ format: 'tar' }, 'format: send one of zip, ndjson'],
    [{ parts: ['all'] }, 'parts.0: send one of transcripts, folders, people, terms, templates, shares'],
    [{ since: 'yesterday' }, 'since: send a date and time with its time zone, such as 2026-03-02T10:00:00Z, or a date'],
    [{ format: 'ndjson', recordings: true }, 'recordings: send false with the format ndjson, which has no files']
  ])('refuses %j', async ([request, message]) => {
    const user = await newUser()
    expect(await user.post('/v1/exports', request)).toEqual({
      status: 400,
      body: { error: { code: 'invalid_request', message } }
    })
  })

  test('refuses more than five exports at once', async () => {
    const user = await newUser()
    for (let at = 0; at < 5; at++) await beginExport(user)
    expect(await user.post('/v1/exports', {})).toMatchObject({
      status: 400,
      body: { error: { code: 'limit_exceeded' } }
    })
  })
})

describe('the vCon of a session', () => {
  test.for<[string, object]>([
    ['with times, a summary, items, notes and tags', DOCUMENT],
    ['without times', { title: 'A note', segments: [{ text: 'Just this.' }] }],
    [
      'of a call without a day',
      { title: '', type: 'phone', phone: { direction: 'inbound' }, segments: DOCUMENT.segments, platform: 'twilio' }
    ]
  ])('is as the draft describes it: %s', async ([, document]) => {
    const user = await newUser()
    await user.session({ title: 'Untitled', ...document })
    for (const parts of [undefined, []]) {
      const files = await filesOf(await exportTo(folder, user, { ...(parts && { parts }) }))
      const vcon = JSON.parse(fileNamed(files, 'vcon.json'))
      const isVcon = await vconValidator()
      isVcon(vcon)
      expect(isVcon.errors).toBeNull()
      expect(
        isVcon({ ...vcon, dialog: [{ ...vcon.dialog[0], encoding: 'json', mediatype: undefined, body: 1 }] })
      ).toBe(false)
      const [dialog] = vcon.dialog
      for (const index of dialog.parties) expect(vcon.parties[index]).toEqual({ name: expect.any(String) })
      for (const { dialog: at } of [...vcon.analysis, ...vcon.attachments]) expect(vcon.dialog[at]).toBeDefined()
    }
  })
})

describe('the link of an export', () => {
  test('goes on in the middle by Range', async () => {
    const user = await newUser()
    await user.session(DOCUMENT)
    const id = await beginExport(user)
    await runExport(user, id)
    const { body } = await user.get(`/v1/exports/${id}`)
    const url = pathOf(body.download_url)
    const whole = (await ask(url)).rawPayload
    const [first, rest] = [await ask(url, { range: 'bytes=0-99' }), await ask(url, { range: 'bytes=100-' })]
    expect([first.statusCode, rest.statusCode]).toEqual([206, 206])
    expect(Buffer.concat([first.rawPayload, rest.rawPayload]).equals(whole)).toBe(true)
    expect((await ask(url, { range: `bytes=${whole.length}-` })).statusCode).toBe(416)
  })

  test('is refused with another signature or another time, and is gone with its export and its user', async () => {
    const user = await newUser()
    const [id, second] = [await beginExport(user), await beginExport(user)]
    for (const one of [id, second]) await runExport(user, one)
    const url = pathOf((await user.get(`/v1/exports/${id}`)).body.download_url)
    const left = pathOf((await user.get(`/v1/exports/${second}`)).body.download_url)
    const statusOf = async (link: string) => (await ask(link)).statusCode
    expect(await statusOf(`${url}x`)).toBe(404)
    expect(await statusOf(url.replace(/expires=\d/, 'expires=9'))).toBe(404)
    expect(await user.delete(`/v1/exports/${id}`)).toMatchObject({ status: 204 })
    expect(await statusOf(url)).toBe(404)
    expect(await statusOf(left)).toBe(200)
    await endAccount(await testServices(), user.id, null)
    expect(await statusOf(left)).toBe(404)
    await removeOldExports(await testServices(), clock.now())
    expect((await readdir(EXPORTS)).filter(name => name.startsWith(user.id))).toEqual([])
  })

  test('is gone a day after the export was complete, with its file', async () => {
    const user = await newUser()
    const id = await beginExport(user)
    await runExport(user, id)
    await user.db.execute(sql`
      update exports set expires_at = ${NOW}::timestamptz - interval '1 ms' where user_id = ${user.id} and expires_at = '2026-03-03T10:00:00Z'`)
    expect((await user.get(`/v1/exports/${id}`)).status).toBe(404)
    await removeOldExports(await testServices(), clock.now())
    expect((await user.get(`/v1/exports/${id}`)).status).toBe(404)
    expect((await readdir(EXPORTS)).filter(name => name.startsWith(user.id))).toEqual([])
  })
})

describe('the job of an export', () => {
  test('begins anew after one that was stopped in the middle, and leaves nothing of it', async () => {
    const user = await newUser()
    for (let at = 0; at < 3; at++) await user.session({ ...DOCUMENT, title: `Number ${at}` })
    const id = await beginExport(user)
    const stop = new AbortController()
    const { writer, ...services } = await testServices()
    const stopping = {
      ...writer,
      write(...given: Parameters<typeof writer.write>) {
        stop.abort()
        return writer.write(...given)
      }
    }
    await expect(runExport(user, id, { ...services, writer: stopping }, stop.signal)).rejects.toThrow('aborted')
    expect((await readdir(EXPORTS)).filter(name => name.startsWith(`${user.id}.${id}.`))).toHaveLength(1)
    await runExport(user, id)
    expect((await user.get(`/v1/exports/${id}`)).body).toMatchObject({ status: 'completed', sessions_done: 3 })
    expect((await readdir(EXPORTS)).filter(name => name.startsWith(user.id))).toEqual([`${user.id}.${id}`])
  })

  test('writes nothing of an export that was deleted', async () => {
    const user = await newUser()
    await user.session(DOCUMENT)
    const id = await beginExport(user)
    await user.delete(`/v1/exports/${id}`)
    await runExport(user, id)
    expect((await readdir(EXPORTS).catch(() => [])).filter(name => name.startsWith(user.id))).toEqual([])
  })
})

describe('the verification of an archive', () => {
  test('names a file that is changed by one bit, missing or added', async () => {
    const user = await newUser()
    await user.session(DOCUMENT)
    const path = await exportTo(folder, user)
    const { key, manifest, problems } = await verifyArchive(path)
    expect({ key, problems }).toEqual({ key: expect.any(String), problems: [] })
    expect(manifest).toMatchObject({ issuer: 'http://parlance.test', created_at: NOW })
    const { body } = await user.get('/.well-known/jwks.json')
    expect(body).toEqual({
      keys: [{ kty: 'OKP', crv: 'Ed25519', x: expect.any(String), alg: 'EdDSA', use: 'sig', kid: key }]
    })
    const whole = await readFile(path)
    for await (const { name, at } of dataPlaces(path)) {
      const changed = Buffer.from(whole)
      changed[at]! ^= 1
      const other = join(folder, 'changed.zip')
      await writeFile(other, changed)
      expect((await verifyArchive(other)).problems.map(({ file }) => file)).toContain(name)
    }
  })
})

/** A place in the data of each file of an archive. */
async function* dataPlaces(path: string) {
  const whole = await readFile(path)
  let at = 0
  while (whole.readUInt32LE(at) === 0x04034b50) {
    const [stored, name, extra] = [
      whole.readUInt32LE(at + 18),
      whole.readUInt16LE(at + 26),
      whole.readUInt16LE(at + 28)
    ]
    const begin = at + 30 + name + extra
    yield { name: whole.toString('utf8', at + 30, at + 30 + name), at: begin + Math.floor(stored / 2) }
    at = begin + stored
  }
}
