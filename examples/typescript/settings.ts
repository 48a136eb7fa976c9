/** Reads server and token from the environment. An error ends the program with one sentence. */
export const url = (process.env.PARLANCE_URL ?? 'http://127.0.0.1:8080').replace(/\/+$/, '')
export const token = process.env.PARLANCE_TOKEN ?? ''

process.on('uncaughtException', fault => {
  const { cause } = fault
  console.error(cause instanceof Error ? `${url}: ${fault.message}, ${cause.message}` : fault.message)
  process.exit(1)
})
if (token === '') throw new Error('Set PARLANCE_TOKEN to a token of the server')
