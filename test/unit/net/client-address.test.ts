import { expect, test } from 'vitest'
import { addressLimit, MAX_ADDRESSES } from '../../../src/features/access/address-limit.ts'
import { addressKey } from '../../../src/platform/net/client-address.ts'
import { leastOfEach } from '../../support/processor-time.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', undefined],
  ['unknown', undefined],
  ['192.0.2.7:8080', undefined],
  ['192.0.2', undefined],
  ['0x7f.1', undefined],
  ['1'.repeat(16_000), undefined]
])('%j is counted as %j', (text, key) => {
  expect(addressKey(text)).toBe(key)
})

test('of more addresses than a process remembers, those that were counted longest ago begin anew', () => {
  const limit = addressLimit({ now: () => new Date(0) }, 10)
  const left = (address: string) => limit.count(address).remaining
  expect([left('first'), left('second'), left('first')]).toEqual([9, 9, 8])
  for (let index = 0; index < MAX_ADDRESSES - 1; index++) limit.count(`other ${index}`)
  expect([left('first'), left('second')]).toEqual([7, 9])
})

test('counting an address takes no longer when others have to be forgotten for it', async () => {
  const countAddresses = (many: number) => {
    const limit = addressLimit({ now: () => new Date(0) }, 10)
    for (let index = 0; index < many; index++) limit.count(`address ${index}`)
  }
  const [few = 0, many = 0] = await leastOfEach(countAddresses, [MAX_ADDRESSES, 2 * MAX_ADDRESSES])
  expect(many / few).toBeLessThan(10)
})

test('a limit takes memory for the addresses that it counts, not for those that it could', () => {
  const before = process.memoryUsage().arrayBuffers
  const limits = Array.from({ length: 100 }, () => addressLimit({ now: () => new Date(0) }, 10))
  for (const limit of limits) limit.count('192.0.2.7')
  expect((process.memoryUsage().arrayBuffers - before) / limits.length).toBeLessThan(100_000)
})

test('a new minute forgets all addresses', () => {
  let now = 59_999
  const limit = addressLimit({ now: () => new Date(now) }, 1)
  expect([limit.count('a').allowed, limit.count('a').allowed, limit.peek('a').allowed]).toEqual([true, false, false])
  now = 60_000
  expect([limit.peek('a').allowed, limit.count('a').allowed]).toEqual([true, true])
})
