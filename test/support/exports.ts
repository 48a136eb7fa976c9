import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { readArchive } from '../../src/features/exports/archive-reader.ts'
import { exportLibrary } from '../../src/features/exports/export-library.ts'
import type { Services } from '../../src/features/services.ts'
import { type newUser, PUBLIC_URL, testServices } from './server.ts'

type User = Awaited<ReturnType<typeof newUser>>
export const never = new AbortController().signal

/** Asks for an export, and returns its id. */
export async function beginExport(user: User, request: object = {}): Promise<string> {
  const { status, body } = await user.post('/v1/exports', request)
  expect(status).toBe(202)
  return body.id
}

/** Does the job of an export. */
export async function runExport(user: User, exportId: string, overrides: Partial<Services> = {}, signal = never) {
  const services = await testServices(overrides)
  await exportLibrary(services, { userId: user.id, exportId }, { last: true, signal })
}

/** Exports the library of a user, and returns the path of the downloaded file. */
export async function exportTo(folder: string, user: User, request: object = {}) {
  const id = await beginExport(user, request)
  await runExport(user, id)
  const { body } = await user.get(`/v1/exports/${id}`)
  expect(body).toMatchObject({ status: 'completed', error: null })
  const answer = await user.app.inject({ method: 'GET', url: pathOf(body.download_url) })
  expect(answer.statusCode).toBe(200)
  const path = join(folder, `${id}.${body.format}`)
  await writeFile(path, answer.rawPayload)
  await user.delete(`/v1/exports/${id}`)
  return path
}

/** The path of a link of the server. */
export function pathOf(url: string) {
  expect(url.startsWith(PUBLIC_URL)).toBe(true)
  return url.slice(PUBLIC_URL.length)
}

/** The files of an archive by name. */
export async function filesOf(path: string) {
  const files = new Map<string, Buffer>()
  for await (const file of readArchive(path)) files.set(file.name, await buffer(Readable.from(await file.open())))
  return files
}

/** The one file of an archive whose name ends like this. */
export function fileNamed(files: Map<string, Buffer>, end: string) {
  const found = [...files].filter(([name]) => name.endsWith(end))
  expect(found.map(([name]) => name)).toHaveLength(1)
  return found[0]![1].toString()
}

/** Tests an archive with another program. */
export async function unzipTest(path: string) {
  return (await promisify(execFile)('python3', ['-m', 'zipfile', '-t', path])).stdout
}

export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-test-exported-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
