import { expect, test } from 'vitest'
import { proxies } from '../../src/core/settings.ts'

test.each([
  [undefined, false],
  ['false', false],
  ['0', false],
  ['1', 1],
  ['2', 2],
  ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
  ['2001:db8::/32', ['2001:db8::/32']]
])('TRUST_PROXY=%s is read as %j', (text, trusted) => {
  expect(proxies.parse(text)).toEqual(trusted)
})

test.each(['true', 'yes', '-1', '1.5', '100', 'proxy.internal', '10.0.0.0/33', '10.0.0.0/8,', 'loopback'])(
  'TRUST_PROXY=%s is refused',
  text => {
    expect(proxies.safeParse(text).error?.issues.map(({ message }) => message)).toEqual([
      'send the number of proxies in front, such as 1, or their addresses and networks, such as 10.0.0.0/8,::1'
    ])
  }
)
