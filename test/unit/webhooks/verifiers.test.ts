import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newSecret, signatureHeaders, signingKey } from '../../../src/features/webhooks/signature.ts'
import { blockOf } from '../../support/guides.ts'

interface Signed {
  secret: string
  headers: Record<string, string>
  body: string
  now: number
}

const snippet = (language: string) =>
  blockOf('docs/api/webhooks.md', language, { sh: 'verifier', json: 'vector' }[language])
const vector = JSON.parse(snippet('json'))

let folder = ''
const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const installed = (command: string) => spawnSync(command, ['--version']).status !== null
const says = (command: string, words: string[], input: string | Buffer, cwd = folder) =>
  execFileSync(command, words, { input, cwd }).toString().trim() === 'true'

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parlance-verifier-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The verifiers of the guide as they stand there. What is verified is handed to them as JSON. */
const VERIFIERS: Record<string, (signed: Signed) => boolean | Promise<boolean>> = {
  async js({ secret, headers, body, now }) {
    const { verify } = await import(file('verify.mjs', snippet('js')))
    return verify(secret, headers, body, now)
  },
  python(signed) {
    const main =
      'import json, sys\ns = json.load(sys.stdin)\nprint(str(verify(s["secret"], s["headers"], s["body"].encode(), s["now"])).lower())\n'
    return says('python3', [file('verify.py', `${snippet('python')}\n${main}`)], JSON.stringify(signed))
  },
  go(signed) {
    file('verify.go', snippet('go').replace('package webhook', 'package main'))
    file('main.go', GO_MAIN)
    return says('go', ['run', 'verify.go', 'main.go'], JSON.stringify(signed))
  },
  sh({ secret, headers, body, now }) {
    const words = [
      secret,
      headers['x-svc-webhook-id']!,
      headers['x-svc-webhook-timestamp']!,
      headers['x-svc-webhook-signature']!
    ]
    const script = file('verify.sh', `${snippet('sh')}\nverify "$@" && echo true || echo false\n`)
    return (
      execFileSync('sh', [script, ...words], { input: body, env: { ...process.env, NOW: String(now) } })
        .toString()
        .trim() === 'true'
    )
  }
}
const NEEDS = { js: 'node', python: 'python3', go: 'go', sh: 'openssl' }

describe.each(Object.entries(NEEDS))('the verifier in %s of the guide', (language, command) => {
  const verify = (signed: Signed) => VERIFIERS[language]!(signed)

  test.runIf(installed(command))('takes what is right and refuses what was changed or is old', async () => {
    const now = Number(vector.headers['x-svc-webhook-timestamp'])
    expect(await verify({ ...vector, now })).toBe(true)
    const fresh = delivery('{"text":"Grüße 😀"}')
    expect(await verify(fresh)).toBe(true)
    expect(await verify({ ...fresh, now: fresh.now + 299 })).toBe(true)
    expect(await verify({ ...fresh, now: fresh.now + 301 })).toBe(false)
    expect(await verify({ ...fresh, now: fresh.now - 301 })).toBe(false)
    expect(await verify({ ...fresh, body: `${fresh.body} ` })).toBe(false)
    expect(await verify({ ...fresh, secret: newSecret() })).toBe(false)
    expect(await verify({ ...fresh, headers: { ...fresh.headers, 'x-svc-webhook-id': 'evt_2' } })).toBe(false)
    expect(await verify({ ...fresh, headers: { ...fresh.headers, 'x-svc-webhook-signature': 'not hex' } })).toBe(false)
    expect(await verify({ ...fresh, headers: { ...fresh.headers, 'x-svc-webhook-signature': 'é' } })).toBe(false)
  })
})

describe.each(['js', 'python', 'go'] as const)('the verifier in %s of the guide', language => {
  test.runIf(installed(NEEDS[language]))(
    'refuses a delivery without headers, and one whose time is no number',
    async () => {
      const fresh = delivery('{}')
      const verify = (headers: Record<string, string>) => VERIFIERS[language]!({ ...fresh, headers })
      expect(await verify({})).toBe(false)
      expect(await verify({ ...fresh.headers, 'x-svc-webhook-timestamp': 'noon' })).toBe(false)
    }
  )
})

function delivery(body: string): Signed {
  const [secret, now] = [newSecret(), Math.floor(Date.now() / 1_000)]
  const headers = Object.entries(signatureHeaders({ id: 'evt_1', timestamp: now, body, key: signingKey(secret) })).map(
    ([name, value]) => [name.toLowerCase(), value]
  )
  return { secret, headers: Object.fromEntries(headers), body, now }
}

const GO_MAIN = `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"
)

func main() {
	var s struct {
		Secret, Body string
		Headers      map[string]string
		Now          int64
	}
	json.NewDecoder(os.Stdin).Decode(&s)
	header := http.Header{}
	for name, value := range s.Headers {
		header.Set(name, value)
	}
	fmt.Println(Verify(s.Secret, header, []byte(s.Body), time.Unix(s.Now, 0)))
}
`
