import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export async function freePort() {
  return (await freePorts(1))[0]!
}

/** Different ones: all are held until each is known. */
export async function freePorts(count: number) {
  const probes = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(probes.map(probe => once(probe, 'listening')))
  const ports = probes.map(probe => (probe.address() as AddressInfo).port)
  await Promise.all(probes.map(probe => once(probe.close(), 'close')))
  return ports
}
