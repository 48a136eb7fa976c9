// @module-tag postgres
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startAiServer } from '../support/ai-server.ts'
import { fileIn, migratedDatabase, newOwner, run, serve, temporaryFolder } from '../support/process.ts'
import { silence } from '../support/sound.ts'

const SLOW = { timeout: 300_000 }
const SECRETS = {
  SECRET_KEY: 'a secret for tests, and for nothing else',
  OPENAI_API_KEY: 'sk-test',
  APP_API_KEY: 'k'.repeat(40)
}

/** The description of a file that has sound, as ffprobe prints it. */
const SOUND = JSON.stringify({ format: { format_name: 'wav', duration: '1' }, streams: [{ codec_type: 'audio' }] })

/** A folder with a program of that name, which writes the environment that it was started with, and says that a file holds sound. */
function falseProgram(name: string) {
  const folder = temporaryFolder()
  const seen = join(folder, 'environment')
  const script = `#!/bin/sh\ntr '\\0' '\\n' < /proc/$$/environ >> ${seen}\necho '${SOUND}'\n`
  chmodSync(fileIn(folder, name, script), 0o755)
  return { folder, seen: () => (existsSync(seen) ? readFileSync(seen, 'utf8').trim().split('\n') : []) }
}

test.runIf(process.platform === 'linux')(
  'what a program of others gets of the environment is where programs are, at the server and in a command',
  SLOW,
  async () => {
    const provider = await startAiServer()
    onTestFinished(() => provider.close())
    const place = await migratedDatabase()
    const { folder, seen } = falseProgram('ffprobe')
    const PATH = [folder, process.env.PATH].join(delimiter)
    const openai = { OPENAI_BASE_URL: provider.url, TRANSCRIPTION_MODEL: 'whisper-1' }
    const environment = { ...place.environment, ...SECRETS, ...openai, PATH }
    const owner = await newOwner(place)
    const file = fileIn(temporaryFolder(), 'talk.wav', silence(1))
    expect(await run({ environment }, 'import', '--user', owner.email, file)).toMatchObject({ code: 0 })
    expect(seen()).toEqual([`PATH=${PATH}`, 'LC_ALL=C'])
    const server = await serve({ environment })
    const response = await fetch(`${server.url}/v1/sessions/upload?file=other.wav`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/octet-stream' },
      body: silence(2)
    })
    expect(response.status).toBe(202)
    // The job of the recording may have started the program as well.
    expect(seen().length).toBeGreaterThanOrEqual(4)
    expect(new Set(seen())).toEqual(new Set([`PATH=${PATH}`, 'LC_ALL=C']))
  }
)
