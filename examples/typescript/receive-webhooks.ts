// Takes webhooks on RECEIVER_PORT (3000), signed with WEBHOOK_SECRET, each event once.
// Run it in the folder of the repository, after `npm ci`: npx node examples/typescript/receive-webhooks.ts
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'

const secret = process.env.WEBHOOK_SECRET
if (!secret) {
  console.error('Set WEBHOOK_SECRET to the secret of the webhook')
  process.exit(1)
}
const key = createSecretKey(secret, 'utf8')
const seen = new Set<string>()

function isGenuine(headers: IncomingHttpHeaders, body: Buffer) {
  const { 'x-svc-webhook-id': id, 'x-svc-webhook-timestamp': timestamp, 'x-svc-webhook-signature': signature } = headers
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  const sent = Buffer.from(String(signature), 'hex')
  return (
    sent.length === expected.length &&
    timingSafeEqual(sent, expected) &&
    Math.abs(Date.now() / 1_000 - Number(timestamp)) <= 300
  )
}

const port = Number(process.env.RECEIVER_PORT ?? 3_000)
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    if (!isGenuine(request.headers, body)) return void response.writeHead(401).end()
    // The answer first: what takes longer than 15 seconds counts as failed and comes again.
    response.writeHead(204).end()
    const { id, event, data } = JSON.parse(body.toString())
    if (seen.has(id)) return
    seen.add(id)
    console.log(`${event}  ${data.session.id}  ${data.session.title}`)
  })
})
server.once('error', fault => {
  console.error(`The receiver cannot listen on port ${port}: ${fault.message}`)
  process.exit(1)
})
server.listen(port, '127.0.0.1', () => console.log(`Waiting for webhooks at http://127.0.0.1:${port}`))
