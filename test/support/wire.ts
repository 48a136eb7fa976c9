import { Agent, request } from 'node:http'

export interface Wired {
  method: string
  /** The path of the request as sent, without normalization. */
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}

export interface WireAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** Sends requests over real connections, with paths and headers unchanged. */
export function openWire(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const send = ({ method, path, headers = {}, body }: Wired) =>
    new Promise<WireAnswer>((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const sent = request(
        { port, host: '127.0.0.1', agent, method, path, headers: { ...length, ...headers } },
        answer => {
          const chunks: Buffer[] = []
          answer.on('data', chunk => chunks.push(chunk))
          answer.on('error', reject)
          answer.on('end', () =>
            resolve({ status: answer.statusCode!, headers: answer.headers, text: Buffer.concat(chunks).toString() })
          )
        }
      )
      sent.on('error', reject)
      sent.end(body)
    })
  return { send, close: () => agent.destroy() }
}
