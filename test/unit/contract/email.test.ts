import { expect, test } from 'vitest'
import { emailAddress } from '../../../src/contract/email.ts'

test.each([
  [' Ada@Example.COM ', 'ada@example.com'],
  ['ada@münchen.de', 'ada@xn--mnchen-3ya.de'],
  ['ada@MU\u0308NCHEN.de', 'ada@xn--mnchen-3ya.de'],
  ['ada@xn--mnchen-3ya.de', 'ada@xn--mnchen-3ya.de'],
  ['ada@почта.рф', 'ada@xn--80a1acny.xn--p1ai'],
  ['ada@例え。テスト', 'ada@xn--r8jz45g.xn--zckzah'],
  ["o'neill+tag@mail.example.com", "o'neill+tag@mail.example.com"]
])('%j is stored as %j', (text, email) => {
  expect(emailAddress.parse(text)).toBe(email)
})

test.each([
  '',
  'ada',
  'ada@',
  '@example.com',
  'ada@localhost',
  'ada@ü.1',
  'ada@mün chen.de',
  'ada@mün/chen.de',
  'ada@mün?chen.de',
  'ada@mün@chen.de',
  'ada@１２７.0.0.1',
  'ада@example.com',
  'ada..l@example.com',
  'ada@example.com\nBcc: x@example.com',
  `ada@${'ü'.repeat(250)}.de`,
  `ada@${'ü'.repeat(100_000)}.de`
])('%j is refused', text => {
  expect(emailAddress.safeParse(text).error?.issues[0]?.message).toBe('an e-mail address')
})
