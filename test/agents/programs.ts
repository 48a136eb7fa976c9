import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { until } from '../support/process.ts'

const MODULES = resolve('test/agents/node_modules')

/** Starts a program of these packages with a home of its own. `BROWSER` keeps it from opening one. */
export function startClient(path: string, words: string[]) {
  const HOME = temporaryFolder()
  const env = { PATH: process.env.PATH, HOME, MCP_REMOTE_CONFIG_DIR: join(HOME, 'mcp'), BROWSER: 'true', NO_COLOR: '1' }
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [join(MODULES, path), ...words], {
    env,
    cwd: HOME
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', text => {
      output[name] += text
    })
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, output, ended, home: HOME }
}

type Client = ReturnType<typeof startClient>

/** The address of the page to which the program sends its user. */
export async function pageOf({ output, ended }: Client, origin: string) {
  const address = new RegExp(`${origin}/oauth/authorize\\?\\S+`)
  let over = false
  void ended.then(() => {
    over = true
  })
  return await until('the program names a page', () => {
    const [found] = address.exec(output.stdout + output.stderr) ?? []
    if (over && !found) throw new Error(`The program ended: ${output.stdout}${output.stderr}`)
    return found
  })
}

/** Returns a function that sends a message to a program on its standard input, and returns the answer that it prints. */
export function speakWith({ child, output }: Client) {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const send = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  return {
    send,
    async ask(method: string, params: object = {}) {
      send({ id: 1, method, params })
      const { value, done } = await lines.next()
      if (done) throw new Error(`The program ended: ${output.stderr}`)
      return JSON.parse(value)
    }
  }
}
