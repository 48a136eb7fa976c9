import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export async function freePort() {
  return (await freePorts(1))[0]!
}

/** Returns the two ports of a server, as settings. They differ, which two calls of `freePort` do not promise. */
export async function serverPorts(port?: string) {
  const [first, second] = (await freePorts(2)).map(String) as [string, string]
  const PORT = port ?? first
  return { PORT, ADMIN_PORT: PORT === second ? first : second }
}

/** Returns different ports: all are held until each is known. */
export async function freePorts(count: number) {
  const probes = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(probes.map(probe => once(probe, 'listening')))
  const ports = probes.map(probe => (probe.address() as AddressInfo).port)
  await Promise.all(probes.map(probe => once(probe.close(), 'close')))
  return ports
}
