import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { UnreadableArchive } from '../features/exports/archive-reader.ts'
import { readThumbprints } from '../features/exports/trusted-keys.ts'
import { type Verified, verifyArchive } from '../features/exports/verify.ts'
import { codeOf } from '../platform/core/error-code.ts'
import { addCommand } from './options.ts'
import { CommandFailed, printError, show } from './output.ts'

export function addVerify(program: Command) {
  addCommand(
    program,
    'verify',
    'check an export: name each file that is missing, added or changed, and who signed it when'
  )
    .argument('<file>', 'the export, as zip or ndjson')
    .option(
      '--keys <keys>',
      'URL or file of the keys of the server, such as https://parlance.example.com/.well-known/jwks.json'
    )
    .action(verify)
}

async function verify(path: string, { keys, json }: { keys?: string; json?: boolean }) {
  const trusted = keys === undefined ? undefined : await readKeys(keys)
  const verified = await verifyArchive(path).catch((error: unknown) => {
    if (error instanceof UnreadableArchive) throw new CommandFailed(`${path}: ${error.message}`)
    if (codeOf(error) === '') throw error
    throw new CommandFailed(`${path} cannot be read (${codeOf(error)})`)
  })
  const { problems, key, manifest } = verified
  const isForeign = trusted !== undefined && (key === undefined || !trusted.includes(key))
  if (json) show(true, { ...verified, trusted: trusted === undefined ? null : !isForeign }, '')
  else {
    for (const { file, problem } of problems) printError(`${problem}: ${file}`)
    show(false, {}, describe(verified, keys))
  }
  if (isForeign && !json) printError(`The key of the signature is none of ${keys}`)
  const count = problems.length + (isForeign ? 1 : 0)
  if (count > 0 || !manifest) throw new CommandFailed(`${path} is not as it was signed`, { reported: true })
}

function describe({ manifest, key, problems }: Verified, keys: string | undefined) {
  if (!manifest) return 'It has no manifest, so nobody says what it should have.'
  const { issuer, created_at, user, counts } = manifest
  const owner = user.email ?? user.name ?? user.id
  const who = key === undefined ? 'Nobody has signed this manifest; it says' : `Signed with the key ${key}; it says`
  const check =
    key !== undefined && keys === undefined ? [`To check the key: --keys ${issuer}/.well-known/jwks.json`] : []
  const result = problems.length === 0 ? 'Each file is as it was.' : `${problems.length} are not as they were.`
  return [
    `${who}: made by ${issuer} on ${created_at} for ${owner}.`,
    `${counts.sessions} sessions, ${counts.files} files. ${result}`,
    ...check
  ].join('\n')
}

async function readKeys(place: string) {
  const text = await (/^https?:/.test(place) ? fetchText(place) : readFile(place, 'utf8')).catch((error: Error) => {
    throw new CommandFailed(`${place} cannot be read (${codeOf(error) || error.message})`)
  })
  const keys = await readThumbprints(text)
  if (!keys) throw new CommandFailed(`${place} has no keys: name the JSON Web Key Set of the server`)
  return keys
}

async function fetchText(url: string) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(30_000) })
  if (!answer.ok) throw new Error(`it answered ${answer.status}`)
  return await answer.text()
}
