import { readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { oneOf } from '../contract/common.ts'
import { EXPORT_FORMATS, EXPORT_PARTS, type ExportFormat, type ExportPart, LibraryExport } from '../contract/export.ts'
import { readConfig } from '../platform/config/config.ts'
import { httpUrl } from '../platform/config/settings.ts'
import { publicUrlOf } from '../server/compose.ts'
import { download } from './download.ts'
import { Refusal, toWaitMs } from './feed.ts'
import { addCommand, optionOf, optionsOf } from './options.ts'
import { CommandFailed, show } from './output.ts'
import { type Progress, startProgress } from './progress.ts'

interface ExportOptions {
  token: string
  url?: string
  format: ExportFormat
  part?: ExportPart[]
  since?: string
  recordings?: boolean
  out?: string
  json?: boolean
}

export function addExport(program: Command) {
  addCommand(program, 'export', 'export the whole library of a user through a server, and download it')
    .requiredOption('--token <token>', 'token of the owner with sessions:read, and the scopes of the parts')
    .option(
      '--url <url>',
      'URL of the server (default: PUBLIC_URL, or the configured port of this machine)',
      optionOf(httpUrl)
    )
    .addOption(new Option('--format <format>', 'form of the file').choices(EXPORT_FORMATS).default('zip'))
    .option(
      '--part <part>',
      `only these parts besides the sessions: ${EXPORT_PARTS.join(', ')}; repeat for more`,
      optionsOf(oneOf(EXPORT_PARTS))
    )
    .option('--since <instant>', 'only sessions that have changed since')
    .option('--recordings', 'with the recordings')
    .option('--out <file>', 'the file to write (default: parlance-<day>.zip)')
    .action(exportLibrary)
}

const POLL_MS = 2_000

async function exportLibrary({ token, url: sentUrl, out, json, format, part, since, recordings }: ExportOptions) {
  const url = sentUrl ?? publicUrlOf(readConfig())
  const progress = startProgress()
  const path = out ?? `parlance-${new Date().toISOString().slice(0, 10)}.${format}`
  try {
    const ask = (method: string, at: string, body?: object) => request({ url, token, progress }, method, at, body)
    const begun = await findBegun(path)
    const earlier = begun === undefined ? undefined : await ask('GET', `/v1/exports/${begun}`).catch(() => undefined)
    if (begun !== undefined && !earlier) await rm(partialOf(path, begun))
    let state =
      earlier && earlier.status !== 'failed'
        ? earlier
        : await ask('POST', '/v1/exports', {
            format,
            ...(part && { parts: part }),
            ...(since !== undefined && { since }),
            recordings: recordings ?? false
          })
    while (state.status === 'running') {
      progress.show(`${state.sessions_done} of ${state.sessions_total} sessions written`)
      await setTimeout(POLL_MS)
      state = await ask('GET', `/v1/exports/${state.id}`)
    }
    if (state.error !== null) throw new CommandFailed(`The export failed: ${state.error}`)
    if (state.download_url === null || state.bytes === null)
      throw new CommandFailed('The token lacks a scope of the parts of this export')
    const partial = partialOf(path, state.id)
    await download(atServer(url, state.download_url), partial, state.bytes, progress)
    await rename(partial, path)
    progress.end()
    const words = `${path}: ${state.sessions_done} sessions, ${state.bytes} bytes.\nTo check it: npm run -s parlance -- verify ${path}`
    show(json, { file: path, ...state }, words)
  } finally {
    progress.end()
  }
}

function partialOf(path: string, exportId: string) {
  return `${path}.${exportId}.partial`
}

/** Returns the id of the export of which a part was downloaded to this path. */
async function findBegun(path: string) {
  const prefix = `${basename(path)}.`
  const names = await readdir(dirname(path)).catch(() => [])
  return names.find(name => name.startsWith(`${prefix}exp_`) && name.endsWith('.partial'))?.slice(prefix.length, -8)
}

/** The link of the server, at the address by which it is reached here. */
function atServer(url: string, link: string) {
  return `${url}${link.slice(link.indexOf('/v1/export-files/'))}`
}

async function request(
  { url, token, progress }: { url: string; token: string; progress: Progress },
  method: string,
  path: string,
  body?: object
): Promise<LibraryExport> {
  for (;;) {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) })
    }).catch(error => {
      throw new CommandFailed(`The server at ${url} does not answer (${error.cause?.code ?? error.message})`)
    })
    const sent: unknown = await answer.json().catch(() => undefined)
    const { data } = LibraryExport.safeParse(sent)
    if (data) return data
    const retryAfter = answer.headers.get('retry-after')
    if (retryAfter === null || (answer.status !== 429 && answer.status !== 503))
      throw new CommandFailed(
        Refusal.safeParse(sent).data?.error.message ??
          `${url} is not that of a Parlance server: it answered ${answer.status}`
      )
    progress.show('The server asks to wait')
    await setTimeout(toWaitMs(retryAfter))
  }
}
