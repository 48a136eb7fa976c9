import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import S3rver from 's3rver'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './folders.ts'
import { freePort } from './ports.ts'

/** The credentials that the server accepts, in the variables of the AWS tools. */
export const S3_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' }

export const BUCKET = 'recordings'

/** Starts a real S3 server with one bucket. It can stop and start again with its content. */
export async function startS3() {
  const [port, directory] = [await freePort(), temporaryFolder()]
  const open = async () => {
    const server = new S3rver({
      address: '127.0.0.1',
      port,
      silent: true,
      directory,
      configureBuckets: [{ name: BUCKET }]
    })
    await server.run()
    return server
  }
  let running: S3rver | undefined = await open()
  const stop = async () => {
    const server = running
    running = undefined
    await server?.close()
  }
  onTestFinished(stop)
  const endpoint = `http://127.0.0.1:${port}`
  return {
    endpoint,
    mediaUrl: `s3://${BUCKET}?region=us-east-1&endpoint=${encodeURIComponent(endpoint)}`,
    stop,
    async start() {
      running ??= await open()
    },
    /** The keys in the bucket. */
    keys: () =>
      readdirSync(join(directory, BUCKET), { recursive: true, encoding: 'utf8' })
        .filter(name => name.endsWith('._S3rver_object'))
        .map(name => name.slice(0, -'._S3rver_object'.length))
        .sort()
  }
}
